"""What KernelSVC promises."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import (
    load_digits,
)

from counting_callback import CountingCallback
from mercer import KernelSVC
from mercer.exceptions import DataError, MercerError, ParameterError
from mercer.kernels import Constant, Gaussian, Linear
from mercer.model_selection import GramSearchCV

DIGITS, LABELS = load_digits(return_X_y=True)
X, Y = DIGITS[:400] / 16.0, LABELS[:400]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    C=st.floats(1e-3, 1e3),
    bias=st.sampled_from(["free", "regularized", "none"]),
)
def test_what_always_holds(seed, C, bias):
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 3))
    y = random.integers(0, 2, 30)
    y[:2] = 0, 1
    model = KernelSVC(C, gamma=0.5, bias=bias, tol=1e-6).fit(X, y)
    z = np.where(y[model.support_] == 1, 1, -1)
    alpha = model.dual_coef_[0] * z
    assert (alpha >= 0).all()
    assert (alpha <= C * (1 + 1e-12)).all()
    if bias == "free":
        assert abs(model.dual_coef_.sum()) <= 1e-9 * C * 30
    certificate = model.certificate_
    assert certificate.gap >= -1e-9 * abs(certificate.primal)
    assert certificate.converged


def test_duplicated_rows_are_weights():
    times = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = KernelSVC(3.0, tol=1e-6).fit(X, Y, sample_weight=times)
    repeated = KernelSVC(3.0, tol=1e-6, gamma=weighted.kernel_.gamma)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    assert weighted.certificate_.dual == pytest.approx(
        repeated.certificate_.dual, rel=1e-5
    )
    np.testing.assert_allclose(
        weighted.set_params(decision_function_shape="ovo").decision_function(X),
        repeated.set_params(decision_function_shape="ovo").decision_function(X),
        atol=1e-3,
    )


def test_permuted_features_change_nothing():
    order = np.random.default_rng(0).permutation(X.shape[1])
    one, other = KernelSVC(tol=1e-6).fit(X, Y), KernelSVC(tol=1e-6).fit(X[:, order], Y)
    assert one.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-7)
    assert (one.predict(DIGITS) == other.predict(DIGITS[:, order])).all()


@pytest.mark.parametrize("budget", [None, 150_000], ids=["in memory", "on demand"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_independent_of_threads(budget, multiclass, monkeypatch):
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        model = KernelSVC(10.0, multiclass=multiclass, memory_budget=budget).fit(X, Y)
        results.append(model.dual_coef_)
    assert all(np.array_equal(results[0], other) for other in results[1:])


@pytest.mark.parametrize("shape", [(6000, 20), (1500, 500)], ids=["many", "wide"])
@pytest.mark.parametrize("sort", [np.asarray, sparse.csr_array])
def test_many_samples_are_independent_of_threads(sort, shape, monkeypatch):
    random = np.random.default_rng(0)
    many = random.normal(size=shape) * (random.random(shape) < 0.3)
    y = many[:, :5].sum(axis=1) + random.normal(size=len(many)) > 0
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        model = KernelSVC(gamma=1 / shape[1]).fit(sort(many.astype(np.float32)), y)
        scores = model.decision_function(sort(many)).tobytes()
        found.append((scores, model.certificate_.gap, model.certificate_.dual))
    assert found[0] == found[1] == found[2]
    assert model.certificate_.converged


def test_sparse_samples_of_several_classes_share_a_matrix():
    random = np.random.default_rng(0)
    texts = sparse.random_array((2500, 3000), density=0.01, rng=random, format="csr")
    y = random.integers(4, size=2500)
    model = KernelSVC(gamma=0.5, tol=1e-6).fit(texts, y)
    assert model.certificate_.rows_computed == 2500
    alone = KernelSVC(gamma=0.5, tol=1e-6, memory_budget="10MB").fit(texts, y)
    assert alone.certificate_.rows_computed > 2500
    assert model.certificate_.dual == pytest.approx(alone.certificate_.dual, rel=1e-7)


def test_on_demand_is_in_memory():
    here = KernelSVC(10.0, tol=1e-5).fit(X, Y)
    there = KernelSVC(10.0, tol=1e-5, memory_budget=200_000).fit(X, Y)
    assert here.certificate_.dual == pytest.approx(there.certificate_.dual, rel=1e-6)
    assert (here.predict(DIGITS) == there.predict(DIGITS)).all()
    lbfgs = KernelSVC(10.0, bias="none", solver="lbfgs").fit(X, Y)
    for model in (here, lbfgs):
        assert model.certificate_.rows_computed == len(X)  # of one matrix
    rows = [problem.rows_computed for problem in there.certificate_.problems]
    assert there.certificate_.rows_computed == sum(rows) > len(there.support_)


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_few_scores_at_a_time_are_the_same(kernel, monkeypatch):
    samples = X @ X.T if kernel == "precomputed" else X
    model = KernelSVC(kernel=kernel).fit(samples, Y)
    decision, labels = model.decision_function(samples), model.predict(samples)
    monkeypatch.setattr("mercer.estimators.kernel_machine._MOST_SCORES", 45 * 100)
    np.testing.assert_allclose(model.decision_function(samples), decision, rtol=1e-9)
    assert (model.predict(samples) == labels).all()


def test_kinds_of_input():
    import pandas as pd

    names = np.array([f"digit {i}" for i in range(10)])
    expected = KernelSVC(5.0, gamma=0.1).fit(X, Y).predict(DIGITS / 16)
    frame = KernelSVC(5.0, gamma=0.1).fit(pd.DataFrame(X), names[Y])
    assert (frame.predict(pd.DataFrame(DIGITS / 16)) == names[expected]).all()
    rows = KernelSVC(5.0, gamma=0.1).fit(sparse.csr_matrix(X), Y)
    assert (rows.predict(sparse.csr_matrix(DIGITS / 16)) == expected).all()
    half = KernelSVC(5.0, gamma=0.1).fit(X.astype(np.float32), Y)
    assert half.support_vectors_.dtype == np.float32
    assert (half.predict((DIGITS / 16).astype(np.float32)) == expected).mean() > 0.995
    kernel = Gaussian(0.1)
    given = KernelSVC(5.0, "precomputed").fit(kernel(X), Y)
    assert (given.predict(kernel(DIGITS / 16, X)) == expected).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_a_given_matrix_is_used_as_it_lies(n_classes, multiclass):
    """Whatever the order of the classes, it is not copied, and nothing changes."""
    rng = np.random.default_rng(n_classes)
    samples = rng.normal(size=(2100, 5))
    y = np.digitize(samples[:, 0] + rng.normal(size=2100), np.arange(n_classes - 1))
    K, model = Gaussian(0.2)(samples), KernelSVC(kernel="precomputed")
    model.set_params(multiclass=multiclass, tol=1e-6).fit(K[:300, :300], y[:300])
    tracemalloc.start()
    model.fit(K, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    sorted_first = np.argsort(y, kind="stable")
    ordered = KernelSVC(kernel="precomputed", multiclass=multiclass, tol=1e-6)
    ordered.fit(K[np.ix_(sorted_first, sorted_first)], y[sorted_first])
    assert (sorted_first[ordered.support_] == model.support_).all()
    np.testing.assert_allclose(model.dual_coef_, ordered.dual_coef_, atol=1e-4)
    counts = np.bincount(y[model.support_], minlength=n_classes)
    assert model.n_support_.tolist() == counts.tolist()
    if multiclass == "ovo" and n_classes == 2:
        assert most < 0.8 * K.nbytes


def test_probabilities_are_not_offered_and_it_says_why():
    model = KernelSVC().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="CalibratedClassifier"):
        model.predict_proba(X)


def test_calibrated_probabilities_agree_with_predictions():
    from mercer.calibration import CalibratedClassifier

    model = CalibratedClassifier(KernelSVC(5.0), cv=3).fit(X, Y)
    probabilities = model.predict_proba(DIGITS / 16)
    assert (model.predict(DIGITS / 16) == probabilities.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (KernelSVC(C=0), "C is 0; it must be a number above 0"),
        (KernelSVC(C={0: 1.0}), "C has no value for class 1"),
        (KernelSVC(tol=-1), "tol is -1"),
        (KernelSVC(bias="fre"), "bias is 'fre'.*did you mean 'free'"),
        (KernelSVC(solver="liblinear"), "solver is 'liblinear'"),
        (KernelSVC(solver="lbfgs"), "free"),
        (
            KernelSVC(solver="lbfgs", bias="none", solver_options={"m2": 1}),
            "lbfgs takes",
        ),
        (KernelSVC(max_iter=-2), "max_iter is -2"),
        (KernelSVC(class_weight={3: 0}), "class_weight is 0 for class 3"),
        (KernelSVC(class_weight={3: -1}), "class_weight is -1 for class 3"),
        (KernelSVC(max_seconds=0), "max_seconds is 0"),
        (KernelSVC(bias_scale=0), "bias_scale is 0"),
        (KernelSVC(multiclass="x"), "multiclass is 'x'"),
        (KernelSVC(kernel="precomputed"), "square matrix"),
    ],
)
def test_impossible_parameters_get_a_sentence(model, sentence):
    with pytest.raises(MercerError, match=sentence):
        model.fit(X, Y)


def test_bad_data_gets_a_sentence():
    with pytest.raises(DataError, match="one class only"):
        KernelSVC().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="NaN"):
        KernelSVC().fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(DataError, match="All samples of class 3 have weight 0"):
        KernelSVC().fit(X, Y, sample_weight=(Y != 3).astype(float))
    with pytest.raises(ParameterError, match="kernel is 'gauss'"):
        KernelSVC(kernel="gauss").fit(X, Y)


def test_callbacks_of_scikit_learn_are_called():
    pytest.importorskip("sklearn.callback")
    count = CountingCallback()
    KernelSVC().set_callbacks(count).fit(X, Y)
    assert (count.begun, count.ended) == (46, 46)


def test_a_constant_kernel_is_a_regularized_bias():
    settings = dict(C=2.0, tol=1e-7, decision_function_shape="ovo")
    by_bias = KernelSVC(kernel=Linear(), bias="regularized", bias_scale=3.0, **settings)
    by_kernel = KernelSVC(kernel=Linear() + Constant(9.0), bias="none", **settings)
    np.testing.assert_allclose(
        by_bias.fit(X, Y).decision_function(X),
        by_kernel.fit(X, Y).decision_function(X),
        atol=1e-3,
    )


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_coefficients_are_sparse_after_a_sparse_fit(kind, multiclass):
    settings = {"kernel": "linear", "multiclass": multiclass}
    dense = KernelSVC(**settings).fit(X, Y)
    model = KernelSVC(**settings).fit(kind(X), Y)
    assert type(model.dual_coef_) is type(model.coef_) is kind
    np.testing.assert_array_equal(model.dual_coef_.toarray(), dense.dual_coef_)
    np.testing.assert_allclose(model.coef_.toarray(), dense.coef_, atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        dense.coef_[0, 0] = 1.0
    assert (model.predict(X) == dense.predict(X)).all()


def test_break_ties_needs_scores_of_classes():
    model = KernelSVC(break_ties=True, decision_function_shape="ovo").fit(X, Y)
    with pytest.raises(ParameterError, match="break_ties must be False"):
        model.predict(X)
    with (
        pytest.warns(UserWarning, match="break_ties must be False"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        GramSearchCV(model, {"C": [1.0]}, cv=2).fit(X, Y)
