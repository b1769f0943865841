"""Problems that are divided, against the same problems in one piece."""

import threading

import numpy as np
import pytest

from mercer.kernels import Gaussian, GramPart
from mercer.solvers.svm import BinaryProblem, Limits, _active, _divided, smo, solve_smo
from solvers.svm import naive_svm, test_smo

BIASES = ("free", "regularized", "none")
RNG = np.random.default_rng(0)
X = RNG.standard_normal((600, 4))
SCORE = X[:, 0] + X[:, 1] * X[:, 2]
TARGETS = {
    "most at the bound": (SCORE + RNG.standard_normal(600), 1.0),
    "most free": (SCORE, 1e3),
}


@pytest.fixture
def divided(monkeypatch):
    """Small problems take the way of large ones."""
    monkeypatch.setattr(smo, "MANY", 50)
    monkeypatch.setattr(_active, "_ROWS", 32)
    for name, value in (("_LEAST_PART", 60), ("_LEAST_SIDE", 16)):
        monkeypatch.setattr(_divided, name, value)


def problem_of(name):
    target, C = TARGETS[name]
    return BinaryProblem(np.arange(600), np.where(target > 0, 1.0, -1.0), C)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", TARGETS)
def test_as_in_one_piece(name, bias, monkeypatch, request):
    source, problem = GramPart.prepare(Gaussian(0.1), X), problem_of(name)
    known = {"bias": bias, "xi": 0.5, "limits": Limits(tol=1e-6)}
    whole = solve_smo(source, problem, **known)
    request.getfixturevalue("divided")
    found = solve_smo(source, problem, **known)
    assert found.certificate.converged
    assert found.certificate.dual == pytest.approx(whole.certificate.dual, rel=1e-9)
    assert found.alpha == pytest.approx(whole.alpha, abs=1e-3 * problem.upper.max())
    naive_svm.check(found, problem, Gaussian(0.1)(X), bias, 0.5)


def test_the_start_is_close(divided, monkeypatch):
    """Few rows are computed beyond those of the support vectors of parts and whole."""
    source, problem = (
        GramPart.prepare(Gaussian(0.1), X),
        problem_of("most at the bound"),
    )
    monkeypatch.setattr(_divided, "_LEAST_PART", 150)
    found = solve_smo(source, problem)
    assert found.certificate.rows_computed < 2.5 * np.count_nonzero(found.alpha)


def test_some_samples_in_any_order(divided):
    rows = RNG.permutation(600)[:400]
    source, whole = GramPart.prepare(Gaussian(0.1), X), problem_of("most at the bound")
    problem = BinaryProblem(rows, whole.signs[rows], 1.0)
    found = solve_smo(source, problem)
    assert found.certificate.converged
    naive_svm.check(found, problem, Gaussian(0.1)(X[rows]), "free")


@pytest.mark.parametrize("name", TARGETS)
def test_threads_do_not_change_a_bit(divided, name, monkeypatch):
    source, problem, found = GramPart.prepare(Gaussian(0.1), X), problem_of(name), []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        found.append(solve_smo(source, problem))
    for other in found[1:]:
        assert (other.alpha == found[0].alpha).all()
        assert (other.gradient == found[0].gradient).all()
        assert other.bias == found[0].bias


class Interrupted(GramPart):
    """Sets the flag when rows are visited for the nth time."""

    def visit(self, rows, visit, first=0):
        self.left -= 1
        if self.left == 0:
            self.flag.set()
        super().visit(rows, visit, first)

    def take(self, rows):
        return (
            self
            if isinstance(rows, np.ndarray) and len(rows) == 600
            else (super().take(rows))
        )


@pytest.mark.parametrize("name", TARGETS)
def test_an_interrupt_at_any_time_leaves_an_honest_model(divided, name):
    problem, statuses = problem_of(name), []
    for nth in (1, 2, 5, 12, 1000):
        source = Interrupted.prepare(Gaussian(0.1), X)
        source.left, source.flag = nth, threading.Event()
        found = solve_smo(source, problem, limits=Limits(stop=source.flag))
        naive_svm.check(found, problem, Gaussian(0.1)(X), "free")
        statuses.append(found.certificate.status)
    assert statuses[0] == "stopped"
    assert statuses[-1] == "converged"


def test_with_the_first_part_there_is_a_model(divided, monkeypatch):
    monkeypatch.setattr(_divided, "_LEAST_PART", 300)
    problem = problem_of("most at the bound")
    source = Interrupted.prepare(Gaussian(0.1), X)
    source.left, source.flag = 1, threading.Event()
    found = solve_smo(source, problem, limits=Limits(stop=source.flag))
    right = (problem.signs - found.gradient + found.bias) * problem.signs > 0
    assert 0 < np.count_nonzero(found.alpha) < 300
    assert right.mean() > 0.6


def test_max_iter(divided):
    source, problem = GramPart.prepare(Gaussian(0.1), X), problem_of("most free")
    for most in (0, 100, 1000):
        found = solve_smo(source, problem, limits=Limits(max_iter=most))
        assert found.certificate.iterations <= most
        assert found.certificate.status == "iterations"
        naive_svm.check(found, problem, Gaussian(0.1)(X), "free")


def test_a_start_is_gone_on_from(divided):
    source, problem = GramPart.prepare(Gaussian(0.1), X), problem_of("most free")
    first = solve_smo(source, problem, limits=Limits(tol=1e-4))
    again = solve_smo(source, problem, limits=Limits(tol=1e-4), start=first)
    assert again.certificate.iterations == 0
    assert again.certificate.converged


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("name", test_smo.ODD)
def test_odd_input_ends_well(divided, name, bias, monkeypatch):
    monkeypatch.setattr(_divided, "_LEAST_PART", 25)
    test_smo.test_odd_input_ends_well(name, bias, "on demand", np.float32)
