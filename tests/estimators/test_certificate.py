"""A certificate holds for the model as it is returned, whatever the data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from fuzz.certificates import check, run, true_objectives
from mercer import KernelSVC
from mercer.estimators import verification
from mercer.estimators.verification import Verification
from mercer.kernels import Polynomial

IRIS, LABELS = load_iris(return_X_y=True)
IRIS, LABELS = IRIS[LABELS > 0], LABELS[LABELS > 0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_an_offset_in_float32(kind):
    X = kind((IRIS + 1000).astype(np.float32))
    model = KernelSVC(C=10, kernel="linear")
    primal, _ = check(model, X, LABELS)
    assert model.certificate_.converged
    assert primal == pytest.approx(89.8, rel=1e-3)
    assert model.score(X, LABELS) == 0.97
    # what was learned in float64 also answers in it
    assert model.support_vectors_.dtype == np.float64


def test_a_polynomial_of_an_offset_in_float32():
    X = (IRIS + 100).astype(np.float32)
    model = KernelSVC(C=10, kernel="poly", gamma=1.0, max_iter=100_000)
    check(model, X, LABELS)


def test_tiny_numbers_in_float32():
    X = (IRIS * 1e-25).astype(np.float32)
    model = KernelSVC()
    check(model, X, LABELS)
    assert model.score(X, LABELS) == KernelSVC().fit(IRIS, LABELS).score(IRIS, LABELS)


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_float64_goes_on_from_where_float32_came_to(bias):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 5))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=1500) > 0
    X = (X + 1000).astype(np.float32)
    model = KernelSVC(kernel="linear", bias=bias)
    check(model, X, y)
    assert model.support_vectors_.dtype == np.float64
    anew = KernelSVC(kernel="linear", bias=bias).fit(X.astype(np.float64), y)
    assert model.certificate_.converged
    assert model.n_iter_.sum() != anew.n_iter_.sum()  # those of both types together
    assert model.n_iter_.sum() < 1.5 * anew.n_iter_.sum()
    assert model.certificate_.dual == pytest.approx(anew.certificate_.dual, rel=1e-5)


def test_samples_that_behave_stay_in_float32():
    model = KernelSVC(C=10).fit(IRIS.astype(np.float32), LABELS)
    assert model.support_vectors_.dtype == np.float32
    assert model.certificate_.total.rounding < 0.1 * model.certificate_.gap
    model = KernelSVC(C=10).fit(IRIS, LABELS)
    assert model.certificate_.total.rounding < 1e-6 * model.certificate_.gap


def test_what_float64_cannot_carry_is_said():
    X = IRIS + 1e9
    with pytest.warns(ConvergenceWarning):
        model = KernelSVC(C=10, kernel="linear", max_iter=1000).fit(X, LABELS)
    primal, dual = true_objectives(model, X, LABELS)
    assert primal - dual <= model.certificate_.gap


@pytest.mark.parametrize(("kernel", "bias"), [("exponential", "free"), ("rbf", "none")])
def test_a_hard_margin_of_samples_that_are_almost_the_same(kernel, bias):
    rng = np.random.default_rng(5)
    X, y = 1 + 1e-6 * rng.integers(-3, 4, size=(60, 2)), np.arange(60) % 2
    X[:, 0] += 5e-7 * y
    check(KernelSVC(C=np.inf, kernel=kernel, bias=bias), X, y)


def test_a_hard_margin_that_is_far_below_one():
    X, y = np.array([[-1.7815786114401433e-4], [-7.815786114401434e-5]] * 7), [0, 1] * 7
    model = KernelSVC(C=np.inf, kernel=Polynomial(3))
    check(model, sparse.csr_matrix(X), np.array(y))


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_kernel_values_that_were_given(bias):
    rng = np.random.default_rng(0)
    X, y = 100 + rng.normal(size=(60, 3)) * [1e-3, 1, 1e3], np.arange(60) % 2
    model = KernelSVC(C=1e3, kernel="precomputed", bias=bias, max_iter=50_000)
    check(model, X @ X.T, y)


def test_a_regularized_bias_that_is_the_rest_of_large_numbers():
    rng = np.random.default_rng(0)
    X = 1e-15 * rng.normal(size=(98, 1))  # of no weight beside the bias
    y, weight = np.arange(98) % 2, rng.random(98) + 0.1
    model = KernelSVC(C=1e10, kernel="linear", bias="regularized")
    stated = model.fit(X, y, sample_weight=weight).certificate_
    bias = np.longdouble(model.intercept_[0])
    losses = np.maximum(0, 1 - np.where(y, bias, -bias))
    primal = 1e10 * (weight.astype(np.longdouble) @ losses) + bias**2 / 2
    assert abs(primal - stated.primal) <= stated.total.rounding


def test_it_holds_for_any_data():
    assert run(seed=0, n=80) == []


def noisy(n, d=17, seed=0):
    """Labels of which so many are wrong that most samples end at C."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 2 * rng.normal(size=n) > 0


@pytest.fixture
def looked_at(monkeypatch):
    """Of how many samples scores were wanted in float64, and how many are at C."""
    monkeypatch.setattr(verification, "_MANY_VALUES", 0)
    counts, evaluate = [], Verification._evaluate

    def counting(self, problem, solution, slack, known, find):
        counts.append((known.sum(), (solution.alpha == problem.upper).sum()))
        return evaluate(self, problem, solution, slack, known, find)

    monkeypatch.setattr(Verification, "_evaluate", counting)
    return counts


@pytest.mark.parametrize(
    ("bias", "offset"), [("free", 0.0), ("free", 3.0), ("regularized", 0), ("none", 3)]
)
def test_scores_of_samples_at_their_bound_matter_to_no_gap(looked_at, bias, offset):
    X, y = noisy(1040)
    model = KernelSVC(gamma=0.05, bias=bias)
    primal, dual = check(model, X + np.float32(offset), y)
    stated = model.certificate_
    ((known, at_bound),) = looked_at
    assert known < at_bound  # of most of which nothing was computed
    assert 0 < primal - dual <= stated.gap
    # what rounding can do to both objectives alike is no part of the gap
    assert stated.gap - (stated.primal - stated.dual) < 0.1 * stated.total.rounding


def test_all_scores_are_taken_where_those_of_some_are_off_by_much(
    looked_at, monkeypatch
):
    monkeypatch.setattr(verification, "_CLOSE", 0.0)
    X, y = noisy(1040)
    model = KernelSVC(gamma=0.05, tol=1e-5)  # whose gap is less than float32 tells
    check(model, X, y)
    (some, _), (every, at_bound) = looked_at
    assert some < at_bound < every
    assert model.certificate_.total.rounding < 1e-6 * model.certificate_.primal


def test_it_holds_for_any_data_if_no_score_is_taken_that_need_not_be(
    looked_at, monkeypatch
):
    monkeypatch.setattr(verification, "_MEASURED", 1)
    assert run(seed=3, n=80) == []
