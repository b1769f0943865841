"""What all online learners promise: sequences, classes that come, kinds of input."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs

from counting_callback import CountingCallback
from estimators.online_problems import (
    DIGITS,
    KERNEL,
    K,
    X,
    Y,
    dense_coefficients,
)
from mercer import KernelPegasos, KernelPerceptron
from mercer.exceptions import DataError, MercerError, ParameterError
from mercer.solvers.online import Updates
from naive import ovo_votes


@pytest.mark.parametrize("variant", ["last", "averaged", "best"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("pieces", [[300], [1, 2, 97, 200], [299, 1]])
def test_partial_fit_over_a_sequence_is_one_fit(variant, multiclass, pieces):
    settings = dict(
        kernel=KERNEL, variant=variant, multiclass=multiclass, shuffle=False
    )
    whole = KernelPerceptron(epochs=1, **settings).fit(X, Y)
    bit_by_bit = KernelPerceptron(**settings)
    start = 0
    for size in pieces:
        part = slice(start, start + size)
        bit_by_bit.partial_fit(X[part], Y[part], classes=np.arange(10))
        start += size
    np.testing.assert_allclose(
        dense_coefficients(bit_by_bit), dense_coefficients(whole), rtol=1e-12
    )
    assert (bit_by_bit.predict(DIGITS / 16) == whole.predict(DIGITS / 16)).all()


def test_partial_fit_goes_on_after_fit():
    model = KernelPerceptron(KERNEL, epochs=2, shuffle=False, variant="averaged")
    model.fit(X, Y).partial_fit(X, Y)
    three = KernelPerceptron(KERNEL, epochs=3, shuffle=False, variant="averaged")
    folded = np.zeros_like(dense_coefficients(three.fit(X, Y)))
    for column, at in enumerate(model.support_):
        folded[:, at % len(X)] += model.dual_coef_[:, column]
    np.testing.assert_allclose(folded, dense_coefficients(three), rtol=1e-9)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_classes_are_taken_as_they_come(multiclass):
    order = np.argsort(Y % 5, kind="stable")
    model = KernelPerceptron(KERNEL, multiclass=multiclass)
    model.partial_fit(X[order[:60]], Y[order[:60]])
    assert model.classes_.tolist() == [0, 5]
    first = model.decision_function(X)
    for part in np.split(order[60:], 6):
        model.partial_fit(X[part], Y[part])
    assert model.classes_.tolist() == list(range(10))
    for _ in range(3):
        model.partial_fit(X, Y)
    assert model.score(X, Y) > 0.95
    assert first.shape == (300,)


def test_new_class_keeps_what_was_learned():
    zero_one, two = Y <= 1, Y == 2
    model = KernelPerceptron(KERNEL, multiclass="ovo")
    model.partial_fit(X[zero_one], Y[zero_one])
    before = model.decision_function(X)
    model.partial_fit(X[two], Y[two])
    pair = model.set_params(decision_function_shape="ovo").decision_function(X)
    np.testing.assert_allclose(pair[:, 0], -before, rtol=1e-9)


def test_an_undeclared_class_is_an_error():
    model = KernelPerceptron().partial_fit(X[:9], Y[:9], classes=np.arange(9))
    before = model.decision_function(X)
    with pytest.raises(DataError, match="holds 9, a class that partial_fit has not"):
        model.partial_fit(X, Y)
    assert (model.decision_function(X) == before).all()
    with pytest.raises(DataError, match="holds 9, a class that partial_fit has not"):
        KernelPerceptron().partial_fit(X, Y, classes=np.arange(9))
    with pytest.raises(DataError, match="one class only"):
        KernelPerceptron().partial_fit(X[:1], Y[:1])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 40), max_size=10, unique=True))
def test_updates_can_be_read_at_any_step(steps):
    steps = np.array(sorted(steps), np.int64)
    updates = Updates(np.arange(len(steps)), steps, 40)
    for step in range(41):
        early = updates.until(step)
        assert early.steps.tolist() == [s for s in steps if s <= step]
        assert early.n_steps == step


@pytest.mark.parametrize("learner", [KernelPerceptron, KernelPegasos])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_decisions_agree_with_scores(learner, multiclass):
    model = learner(KERNEL, multiclass=multiclass, random_state=0).fit(X, Y)
    new = DIGITS[300:600] / 16
    scores = model.decision_function(new)
    assert scores.shape == (300, 10)
    if multiclass == "ovr":
        assert (model.predict(new) == scores.argmax(axis=1)).all()
        return
    pairs = list(combinations(range(10), 2))
    by_pair = model.set_params(decision_function_shape="ovo").decision_function(new)
    assert by_pair.shape == (300, 45)
    votes = ovo_votes(by_pair, pairs, 10)
    assert (model.predict(new) == votes.argmax(axis=1)).all()
    assert (np.round(scores) == votes).all()
    model.set_params(break_ties=True)
    with pytest.raises(ParameterError, match="break_ties must be False"):
        model.predict(new)
    broken = model.set_params(decision_function_shape="ovr").predict(new)
    assert (broken == scores.argmax(axis=1)).all()


@pytest.mark.parametrize("learner", [KernelPerceptron, KernelPegasos])
def test_reproducible_and_independent_of_threads(learner, monkeypatch):
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        model = learner("rbf", random_state=7).fit(X, Y)
        results.append((model.dual_coef_, model.decision_function(DIGITS)))
    for coefficients, scores in results[1:]:
        assert (coefficients == results[0][0]).all()
        assert (scores == results[0][1]).all()


@pytest.mark.parametrize("learner", [KernelPerceptron, KernelPegasos])
def test_kinds_of_input(learner):
    import pandas as pd
    import polars as pl

    names = np.array([f"digit {i}" for i in range(10)])
    settings = dict(kernel="poly", gamma=1.0, coef0=1.0, random_state=0)
    expected = learner(**settings).fit(X, Y).predict(X)
    for table in (
        pd.DataFrame(X),
        pl.DataFrame(X, schema=[f"p{i}" for i in range(64)]),
    ):
        assert (learner(**settings).fit(table, Y).predict(table) == expected).all()
    strings = learner(**settings).fit(X, names[Y])
    assert (strings.predict(X) == strings.classes_[strings.classes_.searchsorted(
        strings.predict(X))]).all()  # fmt: skip
    assert set(strings.predict(X)) <= set(names)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        from_sparse = learner(**settings).fit(kind(X), Y)
        np.testing.assert_array_equal(from_sparse.predict(kind(X)), expected)
        np.testing.assert_array_equal(from_sparse.predict(X), expected)
        assert sparse.issparse(from_sparse.support_vectors_)
    half = learner(**settings).fit(X.astype(np.float32), Y)
    assert half.support_vectors_.dtype == np.float32
    assert (half.predict(X.astype(np.float32)) == expected).mean() > 0.98
    given = learner(kernel="precomputed", random_state=0).fit(K, Y)
    np.testing.assert_array_equal(given.predict(K), expected)
    with pytest.raises(ParameterError, match="precomputed"):
        given.partial_fit(K, Y)
    with pytest.raises(DataError, match=r"square matrix .* shape \(300, 64\)"):
        learner(kernel="precomputed").fit(X, Y)


@pytest.mark.parametrize("learner", [KernelPerceptron, KernelPegasos])
def test_degenerate_input(learner):
    model = learner(random_state=0)
    two = model.fit([[0.0], [1.0]], ["a", "b"])
    assert set(two.predict([[0.0], [1.0], [5.0]])) <= {"a", "b"}
    same = model.fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert len(same.predict(np.ones((3, 2)))) == 3
    for scale in (1e-30, 1e-8, 1e8, 1e30):
        points, y = make_blobs(60, random_state=0)
        scaled = model.fit(points * scale, y)
        assert np.isfinite(scaled.decision_function(points * scale)).all()
        assert scaled.score(points * scale, y) > 0.6
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(np.empty((0, 3)), [])
    with pytest.raises(DataError, match="overflows"):
        learner("poly", gamma=1.0, degree=9).fit(points * 1e30, y)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (KernelPerceptron(variant="avg"), "variant is 'avg'; it must be one of 'last'"),
        (KernelPerceptron(epochs=0), "epochs is 0; it must be a whole number of at"),
        (KernelPerceptron(epochs=2.5), "epochs is 2.5"),
        (KernelPerceptron(multiclass="all"), "multiclass is 'all'; it must be 'ovr'"),
        (KernelPerceptron(mistake="s"), "mistake is 's'; it must be one of 'margin'"),
        (KernelPerceptron(kernel="gauss"), "kernel is 'gauss'; it must be one of"),
        (KernelPerceptron(gamma=-1), "gamma is -1"),
        (KernelPerceptron(memory_budget="much"), "'much' is not a size of memory"),
        (KernelPegasos(lam=0), "lam is 0; it must be a number above 0"),
        (KernelPegasos(C=-1), "C is -1; it must be a number above 0"),
        (KernelPegasos(n_steps=0), "n_steps is 0"),
        (KernelPegasos(epochs=-2), "epochs is -2"),
        (KernelPegasos(record=-1), "record is -1"),
    ],
)
def test_impossible_parameters_get_a_sentence(model, sentence):
    with pytest.raises(MercerError, match=sentence):
        model.fit(X, Y)


def test_verbose_says_how_far_it_is(caplog):
    with caplog.at_level("INFO", logger="mercer"):
        KernelPerceptron(epochs=2, verbose=1).fit(X, Y)
    assert "KernelPerceptron: epoch 1 of 2" in caplog.text
    assert "left" in caplog.text


def test_callbacks_of_scikit_learn_are_called():
    pytest.importorskip("sklearn.callback")
    count = CountingCallback()
    KernelPerceptron(epochs=3, gamma=1e-9).set_callbacks(count).fit(X, Y)
    assert (count.begun, count.ended) == (4, 4)
