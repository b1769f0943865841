"""Perceptron and Pegasos against slow obvious loops, and what they promise."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_blobs

from counting_callback import CountingCallback
from mercer import KernelPegasos, KernelPerceptron
from mercer.estimators import TrainingSet
from mercer.exceptions import DataError, MercerError, ParameterError
from mercer.kernels import Constant, Gaussian, Linear, Polynomial
from mercer.solvers.online import Updates
from naive import ovo_votes, pegasos, perceptron

DIGITS, LABELS = load_digits(return_X_y=True)
X, Y = DIGITS[:300] / 16.0, LABELS[:300]
KERNEL = Polynomial(3, offset=1.0)
K = KERNEL(X)
TINY = 50_000  # bytes: forces the chunked way


def drawn(model, signs, stops=None):
    """What each binary problem of a Pegasos draws."""
    everything = TrainingSet(np.arange(signs.shape[1]), np.zeros(signs.shape[1]), [])
    if stops is None:
        sizes = np.count_nonzero(signs, axis=1)
        stops = [[model.reading(int(size)).n_steps] for size in sizes]
    courses = model.courses(everything, signs, stops)
    return [np.concatenate(course.pieces) for course in courses]


def dense_coefficients(model):
    full = np.zeros((len(model.dual_coef_), len(X)))
    full[:, model.support_] = model.dual_coef_
    return full


def problem_signs(multiclass, y=Y):
    classes = np.unique(y)
    if multiclass == "ovr":
        return [np.where(y == c, 1, -1) for c in classes]
    return [
        np.where(y == a, 1, np.where(y == b, -1, 0))
        for a, b in combinations(classes, 2)
    ]


@pytest.mark.parametrize("budget", [None, TINY], ids=["in memory", "chunked"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("mistake", ["margin", "sign"])
@pytest.mark.parametrize("variant", ["last", "averaged", "best"])
def test_perceptron_is_the_naive_one(variant, mistake, multiclass, budget):
    model = KernelPerceptron(
        KERNEL,
        variant=variant,
        mistake=mistake,
        multiclass=multiclass,
        epochs=3,
        shuffle=False,
        memory_budget=budget,
    ).fit(X, Y)
    order = [np.arange(len(X))] * 3
    signs = problem_signs(multiclass)
    expected = [perceptron(K, s, order, variant, mistake) for s in signs]
    np.testing.assert_allclose(
        dense_coefficients(model), expected, rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize("shuffle_seed", [0, 1])
def test_perceptron_takes_every_epoch_in_a_new_order(shuffle_seed):
    model = KernelPerceptron(KERNEL, epochs=3, random_state=shuffle_seed).fit(X, Y)
    random = np.random.RandomState(shuffle_seed)
    order = []
    for _ in range(3):
        order.append(np.arange(len(X)))
        random.shuffle(order[-1])
    expected = [perceptron(K, s, order, "last", "margin") for s in problem_signs("ovr")]
    np.testing.assert_array_equal(dense_coefficients(model), expected)


@pytest.mark.parametrize("budget", [None, TINY], ids=["in memory", "chunked"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("lam", [1e-5, 0.1])
def test_pegasos_is_the_naive_one(lam, average, multiclass, budget):
    model = KernelPegasos(
        KERNEL,
        lam=lam,
        average=average,
        multiclass=multiclass,
        epochs=1.5,
        random_state=3,
        memory_budget=budget,
    ).fit(X, Y)
    signs = problem_signs(multiclass)
    draws = drawn(model, np.array(signs, float))
    expected = [pegasos(K, s, d, lam, average) for s, d in zip(signs, draws)]
    np.testing.assert_allclose(
        dense_coefficients(model), expected, rtol=1e-10, atol=1e-12 / lam
    )


def test_each_pegasos_problem_has_its_own_draws_from_its_own_samples():
    model = KernelPegasos(multiclass="ovo", n_steps=200, random_state=0)
    signs = np.array(problem_signs("ovo"), float)
    draws = np.array(drawn(model, signs))
    for p in range(len(signs)):
        assert (signs[p, draws[p]] != 0).all()
    assert not (draws[0] == draws[1]).all()
    assert (draws == drawn(model, signs)).all()


def test_fewer_draws_are_the_beginning_of_more():
    signs = np.ones((3, 97))
    signs[1, ::2] = 0
    model = KernelPegasos(random_state=4)
    long = np.array(drawn(model, signs, [[1000]] * 3))
    for steps in (1, 2, 7, 500, 999):
        short = drawn(model, signs, [[steps]] * 3)
        assert (short == long[:, :steps]).all()
    uneven = drawn(model, signs, [[5], [20, 1000], [20]])
    for own, all_of_them in zip(uneven, long):
        assert (own == all_of_them[: len(own)]).all()
    assert [len(own) for own in uneven] == [5, 1000, 20]


def test_pegasos_C_is_one_over_lambda_n():
    by_lam = KernelPegasos(KERNEL, lam=1 / (2.0 * len(X)), random_state=0).fit(X, Y)
    by_C = KernelPegasos(KERNEL, C=2.0, random_state=0).fit(X, Y)
    np.testing.assert_allclose(by_lam.dual_coef_, by_C.dual_coef_, rtol=1e-12)


@pytest.mark.parametrize("budget", [None, TINY])
def test_pegasos_records_the_objective(budget):
    model = KernelPegasos(
        KERNEL, lam=1e-3, epochs=4, record=4, random_state=0, memory_budget=budget
    ).fit(X, Y)
    assert model.recorded_steps_[0].tolist() == [300, 600, 900, 1200]
    for s, coefficients, objective in zip(
        problem_signs("ovr"), dense_coefficients(model), model.objective_
    ):
        scores = K @ coefficients
        hinge = np.maximum(0, 1 - s * scores).mean()
        expected = 0.5e-3 * coefficients @ scores + hinge
        assert objective[-1] == pytest.approx(expected, rel=1e-9)
    assert (model.objective_[:, -1] < model.objective_[:, 0]).all()


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


def test_pegasos_partial_fit_takes_the_samples_as_its_draws():
    draws = np.random.default_rng(0).integers(0, len(X), 400)
    model = KernelPegasos(KERNEL, lam=1e-3)
    for part in np.split(draws, [100, 101]):
        model.partial_fit(X[part], Y[part], classes=np.arange(10))
    folded = np.zeros((10, len(X)))
    for column, at in enumerate(model.support_):
        folded[:, draws[at]] += model.dual_coef_[:, column]
    expected = [pegasos(K, s, draws, 1e-3, False) for s in problem_signs("ovr")]
    np.testing.assert_allclose(folded, expected, rtol=1e-10)


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


def test_early_stop_changes_nothing_but_the_time():
    few = KernelPerceptron(KERNEL, epochs=50, variant="averaged", shuffle=False)
    few.fit(X, Y)
    assert few.n_iter_ < 50
    assert few.mistakes_[:, few.n_iter_ - 1].sum() == 0
    expected = [
        perceptron(K, s, [np.arange(300)] * 50, "averaged", "margin")
        for s in problem_signs("ovr")[:2]
    ]
    np.testing.assert_allclose(dense_coefficients(few)[:2], expected, rtol=1e-12)


def test_record_of_mistakes():
    model = KernelPerceptron(KERNEL, epochs=4, shuffle=False).fit(X, Y)
    counted = np.abs(dense_coefficients(model)).sum(axis=1)
    np.testing.assert_array_equal(model.mistakes_.sum(axis=1), counted)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), margin=st.floats(0.05, 1.0))
def test_novikoff_bound(seed, margin):
    random = np.random.default_rng(seed)
    direction = random.normal(size=4)
    direction /= np.linalg.norm(direction)
    points = random.normal(size=(60, 4))
    sides = points @ direction
    y = np.where(sides > 0, 1, -1)
    points += np.outer(y * margin, direction)
    if len(np.unique(y)) < 2:
        return
    model = KernelPerceptron(Linear(), epochs=1000, random_state=seed).fit(points, y)
    radius = np.linalg.norm(points, axis=1).max()
    gap = np.abs(points @ direction).min()
    assert model.mistakes_.sum() <= (radius / gap) ** 2 + 1e-9
    assert model.score(points, y) == 1.0


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


def test_constant_kernel_is_a_bias():
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0] + 100, y[y > 0]
    bare = KernelPerceptron(Gaussian(1.0), epochs=20, random_state=0).fit(X, y)
    biased = KernelPerceptron(Gaussian(1.0) + Constant(1), epochs=20, random_state=0)
    assert biased.fit(X, y).score(X, y) >= bare.score(X, y) - 0.05
