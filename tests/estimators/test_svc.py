"""KernelSVC against scikit-learn on the same objective, and what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
    make_moons,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from counting_callback import CountingCallback
from mercer import KernelSVC
from mercer.exceptions import DataError, MercerError, ParameterError
from mercer.kernels import Constant, Gaussian, Linear, Polynomial
from mercer.model_selection import GramSearchCV


def scaled(X):
    return StandardScaler().fit_transform(X)


DIGITS, LABELS = load_digits(return_X_y=True)
X, Y = DIGITS[:400] / 16.0, LABELS[:400]
SETS = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
    "moons": make_moons(200, noise=0.3, random_state=0),
    "noise": make_classification(150, 8, n_classes=3, n_informative=5, random_state=0),
    "digits": (DIGITS[:500], LABELS[:500]),
}


@pytest.fixture(params=["one matrix", "rows on demand"])
def either_way(request, monkeypatch):
    """Small problems share a matrix; have them ask for rows as large ones do."""
    if request.param == "rows on demand":
        monkeypatch.setattr("mercer.estimators.svc._ASKING", 0)


def libsvm_dual(reference, X, gamma, C):
    """The dual objective of SVC, from its coefficients, pair by pair."""
    K = Gaussian(gamma)(X[reference.support_])
    owner = np.repeat(np.arange(len(reference.n_support_)), reference.n_support_)
    if len(reference.classes_) == 2:
        a = reference.dual_coef_[0]
        return np.abs(a).sum() - a @ K @ a / 2
    total = 0.0
    for i in range(len(reference.classes_)):
        for j in range(i + 1, len(reference.classes_)):
            a = np.where(owner == i, reference.dual_coef_[j - 1], 0.0)
            a = np.where(owner == j, reference.dual_coef_[i], a)
            total += np.abs(a).sum() - a @ K @ a / 2
    return total


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0, 1e5])
@pytest.mark.parametrize("name", SETS)
def test_agrees_with_scikit_learn(name, C, gamma):
    X, y = scaled(SETS[name][0]), SETS[name][1]
    theirs = SVC(C=C, gamma=gamma).fit(X, y)
    ours = KernelSVC(C=C, gamma=gamma).fit(X, y)
    certificate = ours.certificate_
    assert certificate.converged
    assert certificate.gap >= -1e-9 * certificate.primal
    expected = libsvm_dual(theirs, X, gamma, C)
    assert certificate.dual == pytest.approx(expected, rel=1e-4)
    # the violation is at most tol for each unit of α that could still move
    bound = 2e-3 * sum(C * len(y) for _ in certificate.problems)
    assert certificate.gap <= bound
    assert same_predictions(ours, theirs, X)


def same_predictions(ours, theirs, X, tolerance=1e-2):
    """Whether they agree on all but samples near a boundary between two classes."""
    differ = ours.predict(X) != theirs.predict(X)
    if not differ.any():
        return True
    nearest = [
        np.abs(model.decision_function(X[differ]).reshape(differ.sum(), -1)).min(axis=1)
        for model in (
            ours.set_params(decision_function_shape="ovo"),
            theirs.set_params(decision_function_shape="ovo"),
        )
    ]
    return bool((np.minimum(*nearest) < tolerance).all())


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_attributes_are_those_of_svc(kernel, multiclass):
    settings = dict(kernel=kernel, gamma=0.05, coef0=1.0, C=2.0)
    theirs = SVC(tol=1e-6, **settings).fit(X, Y)
    ours = KernelSVC(tol=1e-6, multiclass=multiclass, **settings).fit(X, Y)
    if multiclass == "ovr":
        assert ours.dual_coef_.shape == (10, len(ours.support_))
        assert ours.score(X, Y) > 0.97
        return
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    new = DIGITS[400:700] / 16.0
    for shape in ("ovr", "ovo"):
        np.testing.assert_allclose(
            ours.set_params(decision_function_shape=shape).decision_function(new),
            theirs.set_params(decision_function_shape=shape).decision_function(new),
            atol=1e-3,
        )
    assert (ours.predict(new) == theirs.predict(new)).all()
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.fit_status_ == 0
    assert len(ours.n_iter_) == 45
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    else:
        assert not hasattr(ours, "coef_")


def test_two_classes_as_svc():
    X, y = make_moons(200, noise=0.3, random_state=1)
    y = np.array(["no", "yes"])[y]
    theirs, ours = SVC(tol=1e-6).fit(X, y), KernelSVC(tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=1e-4
    )


def test_regularized_linear_is_linear_svc():
    X, y = SETS["cancer"]
    X = scaled(X)
    theirs = LinearSVC(loss="hinge", C=0.5, tol=1e-6, max_iter=200_000).fit(X, y)
    ours = KernelSVC(0.5, "linear", bias="regularized", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)


def iris_of_report_004():
    X, y = load_iris(return_X_y=True)
    X, z = X[y > 0], np.where(y[y > 0] == 1, 1, -1)
    order = np.random.RandomState(0).permutation(100)
    return X[order[:66]], z[order[:66]], X[order[66:]], z[order[66:]]


LINEAR_ROWS = [
    (1, 0.1, 3.774974, 2.9), (1, 1.0, 15.77993, 5.9), (1, 10.0, 78.96893, 5.9),
    (10, 0.1, 2.983576, 11.8), (10, 1.0, 11.31707, 5.9), (10, 10.0, 54.64483, 5.9),
]  # fmt: skip


@pytest.mark.parametrize("solver", ["smo", "lbfgs"])
@pytest.mark.parametrize(("K", "C", "dual", "error"), LINEAR_ROWS)
def test_linear_rows_of_report_004(K, C, dual, error, solver):
    train, z, test, truth = iris_of_report_004()
    options = {"maxfun": 100_000, "maxiter": 100_000} if solver == "lbfgs" else None
    model = KernelSVC(
        C, "linear", bias="regularized", bias_scale=K, solver=solver,
        solver_options=options, tol=1e-5 if solver == "smo" else 1e-3,
    ).fit(train, z)  # fmt: skip
    assert model.certificate_.dual == pytest.approx(dual, rel=2e-6)
    assert round(100 * (1 - model.score(test, truth)), 1) == error


KERNEL_ROWS = [
    (0, Polynomial(2), 6.663628, 8.8), (1, Polynomial(2), 6.296912, 8.8),
    (0, Polynomial(2, 1.0), 3.592918, 2.9), (1, Polynomial(2, 1.0), 3.569987, 2.9),
    (0, Gaussian(1.0), 11.98930, 8.8), (1, Gaussian(1.0), 11.97813, 8.8),
    (0, Gaussian(10.0), 18.42757, 11.8), (1, Gaussian(10.0), 18.39182, 8.8),
]  # fmt: skip


@pytest.mark.parametrize("solver", ["smo", "lbfgs"])
@pytest.mark.parametrize(("K", "kernel", "dual", "error"), KERNEL_ROWS, ids=str)
def test_kernel_rows_of_report_004(K, kernel, dual, error, solver):
    train, z, test, truth = iris_of_report_004()
    options = {"maxfun": 100_000, "maxiter": 100_000} if solver == "lbfgs" else None
    model = KernelSVC(
        1.0, kernel, bias="regularized" if K else "none", bias_scale=K or 1.0,
        solver=solver, solver_options=options, tol=1e-5 if solver == "smo" else 1e-3,
    ).fit(train, z)  # fmt: skip
    assert model.certificate_.dual == pytest.approx(dual, rel=2e-6)
    assert round(100 * (1 - model.score(test, truth)), 1) == error


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


def test_class_weight_and_C_of_each_class():
    X, y = make_blobs([100, 20, 50], cluster_std=3.0, random_state=0)
    weights = {0: 1.0, 1: 5.0, 2: 0.5}
    theirs = SVC(C=2.0, class_weight=weights, tol=1e-6).fit(X, y)
    by_weight = KernelSVC(2.0, class_weight=weights, tol=1e-6).fit(X, y)
    by_C = KernelSVC({k: 2.0 * w for k, w in weights.items()}, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(by_weight.dual_coef_, theirs.dual_coef_, atol=1e-3)
    np.testing.assert_allclose(by_weight.dual_coef_, by_C.dual_coef_, atol=1e-9)
    balanced = KernelSVC(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(
        balanced.class_weight_, SVC(class_weight="balanced").fit(X, y).class_weight_
    )


@pytest.mark.parametrize("budget", [None, 150_000], ids=["in memory", "on demand"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_independent_of_threads(budget, multiclass, monkeypatch):
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        model = KernelSVC(10.0, multiclass=multiclass, memory_budget=budget).fit(X, Y)
        results.append(model.dual_coef_)
    assert all(np.array_equal(results[0], other) for other in results[1:])


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


def test_raw_features_converge_without_a_limit():
    raw, y = load_breast_cancer(return_X_y=True)
    model = KernelSVC(C=100, kernel="linear").fit(raw, y)
    assert model.certificate_.converged
    assert model.certificate_.gap < 1e-3 * model.certificate_.primal


def test_what_cannot_converge_names_the_cure():
    rng = np.random.default_rng(0)
    raw, y = rng.standard_normal((60, 2)) * 1e11, rng.integers(0, 2, 60)
    with pytest.warns(ConvergenceWarning, match=r"\(stalled\).*StandardScaler"):
        KernelSVC(kernel="linear").fit(raw, y)


def test_limits_return_the_best_so_far_and_say_how_far_it_is():
    with pytest.warns(
        ConvergenceWarning, match=r"\(iterations\): the gap is .*best so"
    ):
        model = KernelSVC(1e3, max_iter=5).fit(X, Y)
    assert not model.certificate_.converged
    assert np.isfinite(model.decision_function(X)).all()
    with pytest.warns(ConvergenceWarning, match=r"\(time\): the gap is"):
        KernelSVC(1e3, max_seconds=1e-9).fit(X, Y)


def test_what_gets_no_time_is_not_even_built():
    class Watched(KernelSVC):
        def binary_problems(self, *given):
            self.problems = super().binary_problems(*given)
            return self.problems

    n_classes = 120
    points, labels = np.random.default_rng(0).normal(size=(4, 3)), np.arange(n_classes)
    samples, y = np.tile(points, (n_classes // 2, 1)), labels.repeat(2)
    model = Watched(3.0, max_seconds=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"\(time\)"):
        model.fit(samples, y)
    pairs = n_classes * (n_classes - 1) // 2
    assert (len(model.problems), len(model.problems.built)) == (pairs, 0)
    # α = 0 loses C for each of four samples, and the certificate says so
    assert model.certificate_.gap == model.certificate_.primal == pairs * 4 * 3.0
    assert len(model.certificate_.problems) == pairs == len(model.n_iter_)
    assert model.dual_coef_.shape == (n_classes - 1, 0)
    assert (model.decision_function(samples) == labels).all()  # all votes for later


def test_a_model_of_some_of_its_problems():
    """As a limit of time leaves it: the others have score 0 and state their loss."""
    whole, labels = KernelSVC(2.0).fit(X, Y), np.unique(Y)

    class Interrupted(KernelSVC):
        def _keep(self, X, order, problems, solutions):
            some = {p: s for p, s in solutions.begun.items() if p % 3 == 0}
            super()._keep(X, order, problems, some)

    half = Interrupted(2.0, decision_function_shape="ovo").fit(X, Y)
    scores = whole.set_params(decision_function_shape="ovo").decision_function(X)
    scores[:, np.arange(45) % 3 != 0] = 0
    np.testing.assert_allclose(half.decision_function(X), scores, atol=1e-12)
    assert half.dual_coef_.shape == (len(labels) - 1, len(half.support_))


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


DEGENERATE = {
    "two samples": ([[0.0], [1.0]], [0, 1]),
    "all rows equal": (np.ones((10, 3)), [0, 1] * 5),
    "contradictory labels": (np.repeat([[0.0], [1.0]], 10, axis=0), [0, 1] * 10),
    "constant features": (np.c_[X[:60, :5], np.ones((60, 3))], Y[:60]),
    "huge": (X[:60] * 1e20, Y[:60]),
    "tiny": (X[:60] * 1e-20, Y[:60]),
}


@pytest.mark.usefixtures("either_way")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e9])
def test_degenerate_input_ends_without_nan(name, bias, C):
    samples, labels = map(np.asarray, DEGENERATE[name])
    model = KernelSVC(C, bias=bias, max_seconds=20).fit(samples, labels)
    assert np.isfinite(model.decision_function(samples)).all()
    assert np.isfinite([model.certificate_.primal, model.certificate_.dual]).all()
    assert len(model.predict(samples)) == len(samples)


@pytest.mark.usefixtures("either_way")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_degree_nine_at_huge_C_ends(dtype):
    samples = (DIGITS[:200] / 16).astype(dtype)
    model = KernelSVC(1e9, Polynomial(9, offset=1.0), max_seconds=30)
    model.fit(samples, LABELS[:200])
    assert np.isfinite(model.decision_function(samples)).all()
    assert model.certificate_.seconds < 40


def test_indefinite_kernel_is_handled_and_said():
    random = np.random.default_rng(0)
    K = random.normal(size=(60, 60))
    K = K + K.T
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite"):
        model = KernelSVC(1.0, "precomputed").fit(K, random.integers(0, 2, 60))
    assert np.isfinite(model.dual_coef_).all()


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


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_an_infinite_C_is_the_hard_margin(bias):
    two = Y < 2
    settings = {"kernel": "linear", "bias": bias, "tol": 1e-6}
    model = KernelSVC(C=np.inf, **settings).fit(X[two], Y[two])
    w, b = model.coef_[0], model.intercept_[0]
    margins = np.where(Y[two] == 1, 1, -1) * (X[two] @ w + b)
    assert margins.min() == pytest.approx(1, abs=1e-4)
    xi = b * b if bias == "regularized" else 0.0  # the weight of the constant feature
    assert model.certificate_.primal == pytest.approx((w @ w + xi) / 2, rel=1e-3)
    assert model.certificate_.gap < 1e-3 * model.certificate_.primal
    large = KernelSVC(C=1e6, **settings).fit(X[two], Y[two])
    np.testing.assert_allclose(large.coef_[0], w, atol=1e-5)


def test_an_infinite_C_where_no_margin_is():
    random = np.random.default_rng(0)
    points, labels = random.normal(size=(40, 2)), random.integers(0, 2, 40)
    model = KernelSVC(C=float("inf"), kernel="linear", max_iter=10**5)
    with pytest.warns(ConvergenceWarning) as told:
        model.fit(points, labels)
    assert "cannot be told apart without a mistake" in str(told[0].message)
    assert np.isfinite(model.certificate_.primal)


def test_no_step_at_all():
    with pytest.warns(ConvergenceWarning, match="iterations"):
        model = KernelSVC(max_iter=0).fit(X, Y)
    assert len(model.support_) == 0
    assert model.dual_coef_.shape == (9, 0)
    assert (model.n_iter_ == 0).all()
    assert model.predict(X).shape == Y.shape


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
