"""The SMO solver against slow references, its invariants and odd input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import datasets
from sklearn.svm import SVC

from mercer.kernels import Constant, Gaussian, Gram, GramPart, Linear, Polynomial
from mercer.solvers.svm import BinaryProblem, Limits, solve_smo
from solvers.svm import naive_svm

BIASES = ("free", "regularized", "none")
SOURCES = {"in memory": Gram, "on demand": GramPart.prepare}


@st.composite
def problems(draw):
    n = draw(st.integers(2, 10))
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, draw(st.integers(1, 3))))
    if draw(st.booleans()):
        X = X.round()  # equal rows
    z = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    upper = 10.0 ** draw(st.integers(-3, 3)) * rng.choice([0.0, 0.5, 1.0, 2.0], n)
    return X, z, upper


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("bias", BIASES)
@settings(max_examples=40, deadline=None)
@given(problem=problems(), xi=st.sampled_from([0.25, 1.0, 100.0]))
def test_as_the_naive_solver(source, bias, problem, xi):
    X, z, upper = problem
    kernel = Gaussian(0.3)
    K = kernel(X)
    problem = BinaryProblem(np.arange(len(z)), z, upper)
    solution = solve_smo(
        SOURCES[source](kernel, X), problem, bias=bias, xi=xi, limits=Limits(tol=1e-7)
    )
    naive_svm.check(solution, problem, K, bias, xi)
    assert solution.certificate.converged
    assert solution.certificate.gap <= 1e-7 * upper.sum() + 1e-12
    xi = xi if bias == "regularized" else 0.0
    naive = naive_svm.solve(K, z, upper, xi, bias == "free")
    dual, expected = solution.certificate.dual, naive_svm.dual(K, z, naive, xi)
    assert dual >= expected - 1e-6 * abs(expected) - 1e-9
    if expected > 0.99 * dual:  # the naive one gets there, if slowly for a large C
        assert dual == pytest.approx(expected, rel=0.01)


def real_data():
    iris = datasets.load_iris(return_X_y=True)
    cancer = datasets.load_breast_cancer(return_X_y=True)
    wine = datasets.load_wine(return_X_y=True)
    digits = datasets.load_digits(return_X_y=True)
    moons = datasets.make_moons(300, noise=0.2, random_state=0)
    circles = datasets.make_circles(300, noise=0.1, factor=0.5, random_state=0)
    sets = {
        "iris": (iris[0], iris[1] == 1),
        "cancer": (cancer[0], cancer[1] == 1),
        "wine": (wine[0], wine[1] == 1),
        "digits": (digits[0][:700], digits[1][:700] == 8),
        "moons": (moons[0], moons[1] == 1),
        "circles": (circles[0], circles[1] == 1),
    }
    return {
        name: ((X - X.mean(0)) / (X.std(0) + 1e-9), np.where(y, 1.0, -1.0))
        for name, (X, y) in sets.items()
    }


DATA = real_data()


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("gamma", [0.02, 0.5])
@pytest.mark.parametrize("name", DATA)
def test_as_scikit_learn(name, gamma, C):
    X, z = DATA[name]
    kernel = Gaussian(gamma)
    K = kernel(X)
    problem = BinaryProblem(np.arange(len(z)), z, C)
    solution = solve_smo(GramPart.prepare(kernel, X), problem)
    naive_svm.check(solution, problem, K, "free")
    certificate = solution.certificate
    assert certificate.converged
    assert certificate.violation <= 1e-3
    assert certificate.gap <= 1e-3 * problem.upper.sum()
    peer = SVC(C=C, gamma=gamma, tol=1e-3).fit(X, z)
    assert certificate.dual >= (1 - 1e-4) * dual_of(peer, K, z)
    scores, expected = K @ solution.coef + solution.bias, peer.decision_function(X)
    near = np.abs(expected) < 0.05
    assert ((scores > 0) == (expected > 0))[~near].all()
    if C <= 1:
        assert scores == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", DATA)
def test_as_scikit_learn_to_more_digits(name, C):
    X, z = DATA[name]
    K = Gaussian(0.2)(X)
    problem = BinaryProblem(np.arange(len(z)), z, C)
    solution = solve_smo(Gram.from_matrix(K), problem, limits=Limits(tol=1e-6))
    peer = SVC(C=C, gamma=0.2, tol=1e-6).fit(X, z)
    assert solution.certificate.dual == pytest.approx(dual_of(peer, K, z), rel=1e-5)
    assert solution.bias == pytest.approx(peer.intercept_[0], abs=1e-3)
    assert abs(np.count_nonzero(solution.alpha) - len(peer.support_)) <= 0.01 * len(z)


def dual_of(peer, K, z):
    alpha = np.zeros(len(z))
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    return naive_svm.dual(K, z, alpha)


@pytest.mark.parametrize("bias", BIASES)
def test_float32_is_as_good(bias):
    X, z = DATA["digits"]
    problem = BinaryProblem(np.arange(len(z)), z, 10.0)
    found = [
        solve_smo(make(Gaussian(0.02), X.astype(dtype)), problem, bias=bias)
        for dtype in (np.float32, np.float64)
        for make in SOURCES.values()
    ]
    assert all(solution.certificate.converged for solution in found)
    duals = [solution.certificate.dual for solution in found]
    assert duals == pytest.approx([duals[-1]] * 4, rel=1e-5)
    naive_svm.check(found[0], problem, Gaussian(0.02)(X), bias, 1.0, rel=1e-5)


@pytest.mark.parametrize("bias", ["regularized", "none"])
def test_xi_is_a_constant_kernel(bias):
    X, z = DATA["moons"]
    problem = BinaryProblem(np.arange(len(z)), z, 5.0)
    xi = 9.0 if bias == "regularized" else 0.0
    one = solve_smo(Gram(Gaussian(1.0), X), problem, bias=bias, xi=9.0)
    summed = Gram(Gaussian(1.0) + Constant(xi), X)
    other = solve_smo(summed, problem, bias="none")
    assert one.certificate.dual == pytest.approx(other.certificate.dual, rel=1e-5)
    assert one.bias == pytest.approx(xi * one.coef.sum())


@pytest.mark.parametrize("budget", [1, 20_000, 200_000])
def test_few_rows_kept_are_enough(budget):
    X, z = DATA["digits"]
    source = GramPart.prepare(Gaussian(0.02), X)
    problem = BinaryProblem(np.arange(len(z)), z, 10.0)
    small = solve_smo(source, problem, budget=budget)
    large = solve_smo(source, problem)
    assert small.certificate.converged
    assert small.certificate.dual == pytest.approx(large.certificate.dual, rel=1e-5)
    assert small.certificate.rows_computed >= large.certificate.rows_computed


def test_few_rows_beyond_the_support_vectors():
    X, z = DATA["digits"]
    solution = solve_smo(
        GramPart.prepare(Gaussian(0.02), X), BinaryProblem(np.arange(len(z)), z, 10.0)
    )
    assert solution.certificate.rows_computed < 2 * np.count_nonzero(solution.alpha)


@pytest.mark.parametrize("source", SOURCES)
def test_some_samples_in_any_order(source):
    X, z = DATA["digits"]
    rows = np.random.default_rng(0).permutation(len(z))[:500]
    make = SOURCES[source]
    shuffled = solve_smo(make(Gaussian(0.02), X), BinaryProblem(rows, z[rows], 1.0))
    own = solve_smo(
        make(Gaussian(0.02), X[rows]), BinaryProblem(np.arange(500), z[rows], 1.0)
    )
    assert shuffled.certificate.dual == pytest.approx(own.certificate.dual, rel=1e-6)
    assert np.abs(shuffled.alpha - own.alpha).max() < 1e-2


def test_equal_rows_are_weights():
    X, z = DATA["moons"]
    X, z = X[:120], z[:120]
    twice = BinaryProblem(np.arange(240), np.r_[z, z], 1.0)
    heavy = BinaryProblem(np.arange(120), z, 2.0)
    one = solve_smo(Gram(Gaussian(1.0), np.r_[X, X]), twice, limits=Limits(tol=1e-6))
    two = solve_smo(Gram(Gaussian(1.0), X), heavy, limits=Limits(tol=1e-6))
    assert one.certificate.dual == pytest.approx(two.certificate.dual, rel=1e-6)
    assert one.bias == pytest.approx(two.bias, abs=1e-4)


def test_the_order_of_features_changes_nothing():
    X, z = DATA["cancer"]
    problem = BinaryProblem(np.arange(len(z)), z, 1.0)
    limits = Limits(tol=1e-6)
    one = solve_smo(Gram(Gaussian(0.1), X), problem, limits=limits)
    two = solve_smo(Gram(Gaussian(0.1), X[:, ::-1]), problem, limits=limits)
    assert one.certificate.dual == pytest.approx(two.certificate.dual, rel=1e-6)
    assert one.alpha == pytest.approx(two.alpha, abs=1e-3)


RANDOM = np.random.default_rng(7)
POINTS = RANDOM.standard_normal((60, 4))
LABELS = np.where(RANDOM.random(60) < 0.5, 1.0, -1.0)
ODD = {
    "one class": (POINTS, np.ones(60), Gaussian(0.1), 1.0),
    "one sample": (POINTS[:1], np.ones(1), Gaussian(0.1), 1.0),
    "two samples": (POINTS[:2], np.array([1.0, -1.0]), Gaussian(0.1), 1.0),
    "equal rows": (np.ones((60, 3)), LABELS, Gaussian(0.1), 10.0),
    "only zeros": (np.zeros((60, 3)), LABELS, Linear(), 1e9),
    "contradictory": (
        np.r_[POINTS, POINTS],
        np.r_[LABELS, -LABELS],
        Gaussian(0.1),
        1e5,
    ),
    "constant features": (POINTS * [1, 0, 0, 0] + 3, LABELS, Gaussian(0.5), 100.0),
    "huge scale": (POINTS * 1e6, LABELS, Linear(), 1.0),
    "tiny scale": (POINTS * 1e-6, LABELS, Linear(), 1e3),
    "degree 9": (POINTS, LABELS, Polynomial(9, 1.0), 1e9),
    "random labels": (POINTS, LABELS, Gaussian(0.1), 1e9),
    "no weight": (POINTS, LABELS, Gaussian(0.1), 0.0),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", ODD)
def test_odd_input_ends_well(name, bias, source, dtype):
    X, z, kernel, C = ODD[name]
    problem = BinaryProblem(np.arange(len(z)), z, C)
    solution = solve_smo(
        SOURCES[source](kernel, X.astype(dtype)),
        problem,
        bias=bias,
        limits=Limits(max_iter=300_000),
    )
    certificate = solution.certificate
    numbers = [certificate.primal, certificate.dual, certificate.gap, solution.bias]
    assert np.isfinite(numbers).all()
    assert np.isfinite(solution.alpha).all()
    assert (solution.alpha >= 0).all()
    assert (solution.alpha <= C).all()
    assert certificate.gap >= -1e-9 * max(1.0, abs(certificate.primal))
    assert certificate.status in {"converged", "iterations", "stalled"}
    assert certificate.converged == (certificate.status == "converged")
    if certificate.converged:
        assert certificate.violation <= 1e-3


@pytest.mark.parametrize("bias", BIASES)
def test_an_indefinite_kernel_is_handled_and_said(bias):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 3))
    z = np.where(X[:, 0] + 0.3 * rng.standard_normal(80) > 0, 1.0, -1.0)
    K = np.tanh(0.8 * X @ X.T - 1.0)
    problem = BinaryProblem(np.arange(80), z, 10.0)
    solution = solve_smo(Gram.from_matrix(K), problem, bias=bias)
    assert solution.certificate.indefinite
    assert np.isfinite(solution.alpha).all()
    assert (solution.alpha <= 10.0).all()
    definite = solve_smo(Gram(Gaussian(1.0), X), problem, bias=bias)
    assert not definite.certificate.indefinite


def test_what_rounding_leaves_at_a_bound_is_no_free_sample():
    """It would decide the bias alone, where that is the middle of an interval."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, C = int(rng.integers(6, 16)), float(rng.choice([0.1, 1.0, 10.0]))
        z = np.where(np.arange(n) % 2 == 0, -1.0, 1.0)
        X = rng.normal(size=(n, 2)) + (z > 0)[:, None] * rng.random()
        problem = BinaryProblem(np.arange(n), z, np.full(n, C))
        solution = solve_smo(Gram(Linear(), X), problem, limits=Limits(tol=1e-7))
        away = np.minimum(solution.alpha, C - solution.alpha)
        assert ((away == 0) | (away > 1e-12 * C)).all(), seed


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("bias", ["free", "none"])
@pytest.mark.parametrize("seed", [3, 10, 22, 33, 44, 58, 64])
def test_newton_goes_on_where_the_dual_hardly_rises(seed, bias, source):
    """Eigenvalues down to 1e-10 and a large C: steps in two coordinates zigzag."""
    rng, n = np.random.default_rng(seed), 6 if seed == 44 else 8
    X = rng.standard_normal((n, 1))
    z = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    upper = 1000.0 * rng.choice([0.0, 0.5, 1.0, 2.0], n)
    problem, kernel = BinaryProblem(np.arange(n), z, upper), Gaussian(0.3)
    known = SOURCES[source](kernel, X), problem
    solution = solve_smo(*known, bias=bias, limits=Limits(tol=1e-7))
    assert solution.certificate.converged
    naive_svm.check(solution, problem, kernel(X), bias, 1.0)


@pytest.mark.parametrize("bias", ["regularized", "none"])
def test_a_matrix_with_thousands_of_free_samples_takes_few_rounds(bias):
    # without a free bias it took fifty times the rounds of values on demand
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4500, 80)).astype(np.float32)
    z = np.where(rng.random(4500) < 0.5, 1.0, -1.0)
    problem = BinaryProblem(np.arange(4500), z, np.full(4500, 1.5))
    on_demand, in_memory = (
        solve_smo(make(Gaussian(0.02), X), problem, bias=bias)
        for make in (GramPart.prepare, Gram)
    )
    assert np.count_nonzero((in_memory.alpha > 0) & (in_memory.alpha < 1.5)) > 2048
    assert in_memory.certificate.converged
    assert in_memory.certificate.rounds <= 2 * on_demand.certificate.rounds
    gap = in_memory.certificate.gap + on_demand.certificate.gap
    dual = in_memory.certificate.dual
    assert dual == pytest.approx(on_demand.certificate.dual, abs=gap)
