"""Problems that begin with a few samples, against the same ones without this start."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.kernels import Gaussian, GramPart
from mercer.solvers.svm import BinaryProblem, Limits, _active, _doubling, solve_smo
from mercer.solvers.svm._doubling import _balanced
from solvers.svm import naive_svm, test_smo

N = 900
BIASES = ("free", "regularized", "none")
RNG = np.random.default_rng(1)
X = RNG.standard_normal((N, 4))
SCORE = X[:, 0] + X[:, 1] * X[:, 2]
NOISY = SCORE + 2 * RNG.standard_normal(N) + 0.5
SOME = RNG.random(N)
TARGETS = {  # scores, and the bounds of samples
    "even bounds": (NOISY, np.ones(N)),
    "small bounds": (NOISY, np.full(N, 0.01)),
    "weights": (NOISY, np.where(SOME < 0.2, 0.0, SOME)),
    "classes": (NOISY, np.where(NOISY > 0, 0.3, 2.0)),
    "rare class": (NOISY - 3, np.where(NOISY > 3, 1.0, 0.2)),
    "in order": (np.sort(NOISY), np.ones(N)),
    "most free": (SCORE, np.full(N, 1e3)),
}


@pytest.fixture
def doubled(monkeypatch):
    """Small problems begin as large ones do, whoever of them is at C."""
    monkeypatch.setattr(_doubling, "_LEAST", 1)
    monkeypatch.setattr(_doubling, "_AT_BOUND", 0.0)
    monkeypatch.setattr(_active, "_ROWS", 32)


def source_of(dtype=np.float64):
    return GramPart.prepare(Gaussian(0.1), X.astype(dtype))


def problem_of(name):
    target, upper = TARGETS[name]
    return BinaryProblem(np.arange(N), np.where(target > 0, 1.0, -1.0), upper)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", TARGETS)
def test_as_without_this_start(name, bias, request):
    source, problem = source_of(), problem_of(name)
    known = {"bias": bias, "xi": 0.5, "limits": Limits(tol=1e-6)}
    plain = solve_smo(source, problem, **known)
    request.getfixturevalue("doubled")
    found = solve_smo(source, problem, **known)
    assert (found.gradient != plain.gradient).any()  # it went another way
    assert found.certificate.converged
    assert found.certificate.dual == pytest.approx(plain.certificate.dual, rel=1e-9)
    assert found.alpha == pytest.approx(plain.alpha, abs=1e-3 * problem.upper.max())
    naive_svm.check(found, problem, Gaussian(0.1)(X), bias, 0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_some_samples_in_any_order(doubled, dtype):
    rows, whole = RNG.permutation(N)[:500], problem_of("even bounds")
    problem = BinaryProblem(rows, whole.signs[rows], 1.0)
    found = solve_smo(source_of(dtype), problem)
    assert found.certificate.converged
    naive_svm.check(found, problem, Gaussian(0.1)(X[rows]), "free")


def test_whole_numbers(doubled):
    flags = (RNG.random((N, 160)) < 0.2).astype(float)
    z = np.where(flags.sum(1) + 6 * RNG.standard_normal(N) > 32, 1.0, -1.0)
    problem = BinaryProblem(np.arange(N), z, 0.1)
    found = solve_smo(GramPart.prepare(Gaussian(0.01), flags), problem)
    assert found.certificate.converged
    naive_svm.check(found, problem, Gaussian(0.01)(flags), "free")


def test_the_start_is_close(doubled):
    """Rounds that bring samples to C one after another are saved."""
    problem = problem_of("small bounds")
    found = solve_smo(source_of(), problem)
    rows = found.certificate.rows_computed
    assert rows < 2 * np.count_nonzero(found.alpha)


def test_where_few_are_at_the_bound_nothing_changes(doubled, monkeypatch):
    source, problem = source_of(), problem_of("most free")
    monkeypatch.setattr(_doubling, "_AT_BOUND", 0.4)
    found = solve_smo(source, problem)
    monkeypatch.setattr(_doubling, "_LEAST", N + 1)
    plain = solve_smo(source, problem)
    assert (found.alpha == plain.alpha).all()
    assert (found.gradient == plain.gradient).all()
    assert found.certificate.rows_computed >= plain.certificate.rows_computed


def test_few_samples_are_no_reason(monkeypatch):
    monkeypatch.delattr(_doubling, "_random_order")
    assert solve_smo(source_of(), problem_of("small bounds")).certificate.converged


@pytest.mark.parametrize("name", TARGETS)
def test_threads_do_not_change_a_bit(doubled, name, monkeypatch):
    source, problem, found = source_of(np.float32), problem_of(name), []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        found.append(solve_smo(source, problem))
    for other in found[1:]:
        assert (other.alpha == found[0].alpha).all()
        assert (other.gradient == found[0].gradient).all()
        assert other.bias == found[0].bias


class Interrupted(GramPart):
    """Sets the flag when rows are visited for the nth time, of whatever samples."""

    def visit(self, rows, visit, first=0):
        next(self.left, None)
        if not self.left.__length_hint__():
            self.flag.set()
        super().visit(rows, visit, first)

    def take(self, rows):
        some = super().take(rows)
        some.__class__, some.left, some.flag = type(self), self.left, self.flag
        return some


@pytest.mark.parametrize("bias", BIASES)
def test_an_interrupt_at_any_time_leaves_an_honest_model(doubled, bias):
    problem, statuses = problem_of("even bounds"), []
    for nth in (1, 2, 3, 4, 6, 9, 13, 20, 1000):
        source = Interrupted.prepare(Gaussian(0.1), X)
        source.left, source.flag = iter(range(nth)), threading.Event()
        known = {"bias": bias, "xi": 0.5, "limits": Limits(stop=source.flag)}
        found = solve_smo(source, problem, **known)
        naive_svm.check(found, problem, Gaussian(0.1)(X), bias, 0.5)
        assert found.alpha.any()
        statuses.append(found.certificate.status)
    assert statuses[0] == "stopped"
    assert statuses[-1] == "converged"


def test_time_that_is_over(doubled):
    problem = problem_of("even bounds")
    for seconds in (0.0, 1e-3, 5e-3, 0.02):
        limits = Limits(deadline=time.perf_counter() + seconds)
        found = solve_smo(source_of(), problem, limits=limits)
        naive_svm.check(found, problem, Gaussian(0.1)(X), "free")


def test_steps_that_are_limited_are_counted(doubled):
    problem = problem_of("even bounds")
    for most in (0, 10, 100):
        found = solve_smo(source_of(), problem, limits=Limits(max_iter=most))
        assert found.certificate.iterations <= most
        assert found.certificate.status == "iterations"
        naive_svm.check(found, problem, Gaussian(0.1)(X), "free")


def test_a_start_is_gone_on_from(doubled):
    source, problem = source_of(), problem_of("even bounds")
    first = solve_smo(source, problem, limits=Limits(tol=1e-4))
    again = solve_smo(source, problem, limits=Limits(tol=1e-4), start=first)
    assert again.certificate.iterations == 0
    assert again.certificate.converged


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", test_smo.ODD)
def test_odd_input_ends_well(doubled, name, bias):
    test_smo.test_odd_input_ends_well(name, bias, "on demand", np.float32)


@given(
    st.lists(st.tuples(st.floats(0, 1e3), st.booleans(), st.floats(-9, 9)), min_size=1)
)
def test_balanced(samples):
    upper, positive, slack = (np.array(column) for column in zip(*samples))
    z = np.where(positive, 1.0, -1.0)
    found = _balanced(upper, z, slack)
    assert (found >= 0).all()
    assert (found <= upper).all()
    assert found @ z == pytest.approx(0, abs=1e-9 * max(1, upper.sum()))
    least = min(upper[z > 0].sum(), upper[z < 0].sum())
    assert found[z > 0].sum() == pytest.approx(least, abs=1e-9 * max(1, upper.sum()))
    # nobody is left at C of whom a sample of more slack is not
    for sign in (1, -1):
        less = (z == sign) & (found < upper)
        if less.any():
            behind = (z == sign) & (slack < slack[less].max())
            assert (found[behind] <= 1e-9 * max(1, upper.sum())).all()
