"""Kernels that are not positive semidefinite: an end, and no claim that is false."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.kernels import Gaussian, Polynomial, Sigmoid
from mercer.model_selection import GramSearchCV

X, Y = load_iris(return_X_y=True)
SCALED = (X - X.mean(axis=0)) / X.std(axis=0)
SETTINGS = [
    ("sigmoid", 0.1, 0.0),
    ("sigmoid", 0.5, -1.0),
    ("sigmoid", 1.0, 1.0),
    ("poly", 0.3, -2.0),
]


def of_pair(model, i, j):
    """The coefficients of a pair of classes, from LIBSVM's layout."""
    v, owners = np.zeros(len(Y)), Y[model.support_]
    for own, row in ((i, j - 1), (j, i)):
        v[model.support_[owners == own]] = model.dual_coef_[row, owners == own]
    return v


def reached(model):
    """The dual objective, summed over the pairs, from what a model keeps."""
    K = model.kernel_(model.support_vectors_)
    pairs = [(0, 1), (0, 2), (1, 2)]
    coefficients = np.transpose(
        [of_pair(model, i, j)[model.support_] for i, j in pairs]
    )
    return (
        np.abs(coefficients).sum()
        - np.einsum("ip,ij,jp->", coefficients, K, coefficients) / 2
    )


def violation(model, i, j):
    """m(α) − M(α) of the pair of classes i and j."""
    rows = np.flatnonzero((i == Y) | (j == Y))
    z = np.where(Y[rows] == i, 1.0, -1.0)
    v = of_pair(model, i, j)[rows]
    gradient = z - model.kernel_(SCALED[rows]) @ v
    up = v < np.where(z > 0, model.C, 0) - 1e-12
    low = v > np.where(z > 0, 0, -model.C) + 1e-12
    return gradient[up].max() - gradient[low].min()


@pytest.mark.parametrize(("kernel", "gamma", "coef0"), SETTINGS)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_a_stationary_point_as_in_scikit_learn(kernel, gamma, coef0, C):
    settings = {"C": C, "kernel": kernel, "gamma": gamma, "coef0": coef0}
    model = KernelSVC(**settings, max_iter=10**6).fit(SCALED, Y)
    assert model.certificate_.converged
    assert model.certificate_.total.violation <= 1e-3
    assert model.certificate_.dual == pytest.approx(reached(model), rel=1e-6)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        assert violation(model, i, j) < 1.1e-3
    if coef0 == 0:  # else stationary points differ, and models with them
        theirs = SVC(**settings).fit(SCALED, Y)
        assert model.score(SCALED, Y) > theirs.score(SCALED, Y) - 0.03


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("solver", ["smo", "lbfgs"])
def test_every_solver_ends(bias, solver):
    if (bias, solver) == ("free", "lbfgs"):
        pytest.skip("lbfgs knows no free bias")
    model = KernelSVC(10.0, Sigmoid(0.5, -1.0), bias=bias, solver=solver)
    model.fit(SCALED, Y)
    assert np.isfinite(model.decision_function(SCALED)).all()


def test_the_certificate_claims_no_bound():
    model = KernelSVC(kernel="sigmoid", gamma=0.1).fit(SCALED, Y)
    assert model.certificate_.total.indefinite
    assert all(problem.indefinite for problem in model.certificate_.problems)
    text = str(model.certificate_)
    assert "stationary within" in text
    assert "no bound of the optimum" in text
    assert "gap" not in text
    with pytest.warns(ConvergenceWarning, match=r"the violation is \d"):
        KernelSVC(kernel="sigmoid", max_iter=3).fit(SCALED, Y)
    assert not KernelSVC().fit(X, Y).certificate_.total.indefinite
    assert not KernelSVC(kernel="poly", coef0=1).fit(X, Y).certificate_.total.indefinite


def test_a_matrix_is_looked_at_even_if_no_step_meets_its_negative_side():
    # k(x, x) + k(y, y) ≥ 2k(x, y) for all pairs, and yet not semidefinite
    K = np.eye(40) - 0.2 * (1 - np.eye(40))
    y = np.arange(40) % 2
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite"):
        model = KernelSVC(kernel="precomputed", bias="none").fit(K, y)
    assert model.certificate_.total.indefinite
    # where Σαz = 0 the same matrix has nothing negative to offer
    model = KernelSVC(kernel="precomputed").fit(K, y)
    assert not model.certificate_.total.indefinite


@pytest.mark.parametrize("n", [400, 1500, 3000])
def test_a_large_matrix_is_looked_at_by_its_support_vectors(n):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, 3))
    y = X[:, 0] + 0.3 * rng.standard_normal(n) > 0
    K = Gaussian(0.2)(X)
    model = KernelSVC(kernel="precomputed").fit(K, y)
    assert not model.certificate_.total.indefinite
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite"):
        rounded = KernelSVC(kernel="precomputed").fit(K.round(2), y)
    assert rounded.certificate_.total.indefinite


@pytest.mark.parametrize(
    "model",
    [
        KernelPerceptron(random_state=0),
        KernelPegasos(random_state=0),
        KernelKNN(3),
        KernelSVC(),
    ],
    ids=str,
)
def test_every_learner_and_search_takes_sigmoid(model):
    model.set_params(kernel="sigmoid", gamma=0.05)
    score = model.fit(SCALED, Y).score(SCALED, Y)
    if not isinstance(model, KernelKNN):  # which says what is near, not what is far
        assert score > 0.6
    K = Sigmoid(0.05)(SCALED)
    given = type(model)(**model.get_params()).set_params(kernel="precomputed")
    if not isinstance(model, KernelSVC):
        assert (given.fit(K, Y).predict(K) == model.predict(SCALED)).all()
    grid = {"kernel": ["sigmoid", Polynomial(2, -1.0)], "gamma": [0.05, 0.1]}
    search = GramSearchCV(model, grid, cv=3).fit(SCALED, Y)
    expected = GridSearchCV(model, grid, cv=3).fit(SCALED, Y)
    scores = [own.cv_results_["mean_test_score"] for own in (search, expected)]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("bias", ["free", "regularized"])
@pytest.mark.parametrize(("kernel", "gamma", "coef0"), SETTINGS)
def test_a_search_ends_at_the_stationary_points_of_single_fits(
    bias, kernel, gamma, coef0
):
    model = KernelSVC(kernel=kernel, gamma=gamma, coef0=coef0, bias=bias)
    grid, folds = {"C": [0.1, 1.0, 10.0, 100.0]}, StratifiedKFold(3)
    search = GramSearchCV(model, grid, cv=folds).fit(SCALED, Y)
    expected = GridSearchCV(model, grid, cv=folds).fit(SCALED, Y)
    scores = [own.cv_results_["mean_test_score"] for own in (search, expected)]
    np.testing.assert_array_equal(*scores)


def test_a_search_on_an_indefinite_matrix_starts_each_fit_anew():
    K = Sigmoid(1.0, 1.0)(SCALED)
    model, grid = KernelSVC(kernel="precomputed"), {"C": [0.1, 1.0, 10.0, 100.0]}
    scores = []
    for kind in (GramSearchCV, GridSearchCV):
        with pytest.warns(ConvergenceWarning, match="not positive semidefinite"):
            search = kind(model, grid, cv=StratifiedKFold(3)).fit(K, Y)
        scores.append(search.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(*scores)
