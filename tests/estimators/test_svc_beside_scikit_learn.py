"""KernelSVC against scikit-learn on the same objective, and against report 004."""

import numpy as np
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
    make_moons,
)
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from mercer import KernelSVC
from mercer.kernels import Gaussian, Polynomial


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
        monkeypatch.setattr("mercer.estimators.kernel_source._ASKING", 0)


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
