"""Small problems on one matrix are solved together, and as each would be alone."""

import signal
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from mercer import KernelSVC, _interrupts
from mercer.estimators import verification as verification_module
from mercer.estimators.learner import TrainingSet
from mercer.estimators.verification import Verification
from mercer.exceptions import ParameterError
from mercer.kernels import Gaussian, Gram
from mercer.solvers.svm import (
    BinaryProblem,
    Limits,
    Solutions,
    StackedSolutions,
    solve_many,
    solve_smo,
    stacked,
)

X, Y = load_digits(return_X_y=True)
X, Y = X[:300] / 16, Y[:300]
GRAM = Gram(Gaussian(0.5), X)


def pairs(C=10.0):
    training = TrainingSet(np.arange(len(Y)), Y, np.unique(Y))
    return KernelSVC(C).binary_problems(training)


@pytest.mark.uncompiled
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_as_one_by_one(bias):
    found = solve_many(GRAM, pairs(), bias=bias)
    assert isinstance(found, StackedSolutions)
    for problem, solution in list(zip(pairs(), found))[::5]:
        alone = solve_smo(GRAM, problem, bias=bias)
        stated, known = solution.certificate, alone.certificate
        assert stated.converged
        assert stated.violation <= 1e-3
        assert stated.primal >= known.dual
        assert stated.dual <= known.primal
        assert stated.gap == pytest.approx(stated.primal - stated.dual, abs=1e-9)
        np.testing.assert_allclose(solution.coef, alone.coef, atol=0.05)
        assert solution.bias == pytest.approx(alone.bias, abs=2e-3)
        K = GRAM.matrix[np.ix_(problem.rows, problem.rows)]
        shift = solution.coef.sum() if bias == "regularized" else 0.0
        gradient = problem.signs - K @ solution.coef - shift
        np.testing.assert_allclose(solution.gradient, gradient, atol=1e-9)


@pytest.mark.uncompiled
def test_pairs_are_laid_out_as_they_are_built():
    problems, one_by_one = pairs(), stacked.Stacked.of(list(pairs()))
    for name in ("rows", "signs", "upper", "bounds"):
        own, built = getattr(problems.stacked(), name), getattr(one_by_one, name)
        assert (own == built).all()


def test_what_takes_long_is_left_to_the_solver_for_large_problems(monkeypatch):
    whole = solve_many(GRAM, pairs())
    monkeypatch.setattr(stacked, "_PATIENCE", 0)
    rest = solve_many(GRAM, pairs())
    assert not isinstance(rest, StackedSolutions)
    assert all(certificate.converged for certificate in rest.certificates())
    primals = [[c.primal for c in found.certificates()] for found in (whole, rest)]
    np.testing.assert_allclose(*primals, rtol=1e-2)


def test_a_path_of_warm_starts():
    first = solve_many(GRAM, pairs(1.0))
    second = solve_many(GRAM, pairs(), starts=list(first))
    cold = solve_many(GRAM, pairs())
    assert isinstance(second, StackedSolutions)
    assert second.quality.iterations.sum() < cold.quality.iterations.sum()
    np.testing.assert_allclose(second.quality.dual, cold.quality.dual, rtol=1e-2)
    with pytest.raises(ParameterError, match="between 0 and C"):
        solve_many(GRAM, pairs(0.1), starts=list(cold))


@pytest.mark.parametrize("threads", ["2", "3"])
def test_threads_give_the_same_bits(threads, monkeypatch):
    alone = solve_many(GRAM, pairs())
    monkeypatch.setattr(stacked, "_SPAN", 10_000)
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    together = solve_many(GRAM, pairs())
    assert (alone.v == together.v).all()
    assert (alone.gradient == together.gradient).all()
    assert (alone.bias == together.bias).all()


def test_rounding_is_that_of_one_by_one(monkeypatch):
    monkeypatch.setattr(verification_module, "_MOST_TOGETHER", 0)  # values
    gram, problems = Gram(Gaussian(0.5), X.astype(np.float32)), pairs()
    known = gram, gram.kernel, gram.X, np.arange(len(X))
    verification = Verification.of(*known, free_bias=True, xi=0.0, tol=1e-3)
    found = solve_many(gram, problems)
    together = verification.verify_all(problems, found)
    alone = verification.verify_all(problems, Solutions(problems, found.begun))
    for one, other in zip(together.certificates(), alone.certificates()):
        assert one.gap == pytest.approx(other.gap, rel=1e-9)
        assert one.rounding == pytest.approx(other.rounding, rel=1e-6)


def test_nothing_to_learn():
    z = np.where(np.arange(len(X)) % 2, 1.0, -1.0)
    same = Gram.from_matrix(np.ones((len(X), len(X))))
    (found,) = solve_many(same, [BinaryProblem(np.arange(len(X)), z, 1.0)])
    assert found.certificate.converged
    assert found.certificate.primal == pytest.approx(len(X))


def test_ctrl_c_before_anything_was_solved(monkeypatch):
    stop = threading.Event()

    def interrupt(*given):
        signal.raise_signal(signal.SIGINT)
        return solve(*given)

    solve = stacked._stacked_steps.solve_stacked
    monkeypatch.setattr(stacked, "_SPAN", 10_000)
    monkeypatch.setattr(stacked._stacked_steps, "solve_stacked", interrupt)
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    found = solve_many(GRAM, pairs(), limits=Limits(stop=stop))
    assert stop.is_set()
    statuses = {certificate.status for certificate in found.certificates()}
    assert statuses == {"converged", "stopped"}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not _interrupts._AT_WORK


def test_a_handler_of_ones_own_is_called(monkeypatch):
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    try:
        signal.raise_signal(signal.SIGINT)
        found = solve_many(GRAM, pairs())
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard
    assert isinstance(found, StackedSolutions)


def test_many_classes_of_few_samples():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 80
    samples = rng.normal(size=(80, 5))[y] + 0.3 * rng.normal(size=(400, 5))
    model = KernelSVC(gamma=0.2).fit(samples, y)
    slow = KernelSVC(gamma=0.2, max_iter=10**6).fit(samples, y)  # one by one
    assert model.certificate_.converged
    assert len(model.certificate_.problems) == 80 * 79 // 2 == len(model.n_iter_)
    np.testing.assert_allclose(
        model.certificate_.primal, slow.certificate_.primal, rtol=1e-3
    )
    agree = model.predict(samples) == slow.predict(samples)
    assert agree.mean() > 0.98


def test_hard_margins_and_small_problems():
    two = Y < 2
    model = KernelSVC(np.inf, gamma=0.05).fit(X[two], Y[two])
    assert model.certificate_.converged
    assert model.score(X[two], Y[two]) == 1
    rng = np.random.default_rng(0)
    with pytest.warns(ConvergenceWarning, match="cannot be told apart"):
        KernelSVC(np.inf, "linear").fit(X[:60, :2], rng.integers(2, size=60))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_sparse_samples(dtype):
    dense = sparse.random(150, 9000, 0.01, random_state=0, dtype=dtype)
    samples, y = sparse.csr_array(dense), np.arange(150) % 3
    model = KernelSVC(gamma=0.5).fit(samples, y)
    same = KernelSVC(gamma=0.5).fit(samples.toarray(), y)
    assert model.certificate_.primal == pytest.approx(same.certificate_.primal)
    assert model.support_vectors_.dtype == dtype
    np.testing.assert_allclose(
        model.decision_function(samples), same.decision_function(samples), atol=1e-4
    )


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_linear_scores_are_those_of_the_support_vectors(make, multiclass):
    samples = make(X)
    model = KernelSVC(kernel="linear", multiclass=multiclass).fit(samples, Y)
    model.decision_function_shape = "ovo"
    K = X @ X[model.support_].T
    scores = K @ model.binary_coefficients() + model.intercept_
    np.testing.assert_allclose(model.decision_function(samples), scores, atol=1e-9)
