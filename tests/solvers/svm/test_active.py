"""Active samples: the same optimum, whoever else there is."""

import numpy as np
import pytest

from mercer._thread_memory import ThreadMemory
from mercer.kernels import Gaussian, GramPart
from mercer.solvers.svm import (
    BinaryProblem,
    Limits,
    _divided,
    _row_store,
    smo,
    solve_smo,
)
from mercer.solvers.svm import _active as module
from mercer.solvers.svm._state import State
from solvers.svm import naive_svm

N = 1500


def noise(n=N, d=12, seed=0):
    """Labels by chance near the middle, and two classes far from it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[: n // 2, 0] += np.where(np.arange(n // 2) % 2, 9, -9)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, BinaryProblem(np.arange(n), y, np.full(n, 20.0))


@pytest.fixture
def shrunk(monkeypatch):
    """How many samples were active, each time."""
    sizes, real = [], module.near_margin

    def counting(state, tol):
        active, violation = real(state, tol)
        sizes.append(len(active))
        return active, violation

    monkeypatch.setattr(smo, "near_margin", counting)
    return sizes


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-6])
def test_the_optimum_is_that_of_all_samples(shrunk, bias, tol):
    X, problem = noise()
    source, limits = GramPart.prepare(Gaussian(0.05), X), Limits(tol=tol)
    whole = solve_smo(source, problem, bias=bias, limits=limits)
    assert not shrunk
    few = solve_smo(source, problem, bias=bias, limits=limits, budget=N * 8 * 60)
    assert shrunk
    assert 0 < shrunk[0] < N / 2
    assert few.certificate.converged
    gap = whole.certificate.gap + few.certificate.gap
    assert abs(whole.certificate.dual - few.certificate.dual) <= gap
    naive_svm.check(few, problem, Gaussian(0.05)(X), bias, 1.0)


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_who_violates_is_active(bias):
    # far from the margin, on the wrong side: once it was left out, and a fit stalled
    X, problem = noise(200)
    state = State(GramPart.prepare(Gaussian(0.05), X), problem, bias, 1.0, None)
    rng = np.random.default_rng(1)
    state.v[:] = rng.choice([0.0, 0.5, 1.0], 200, p=[0.7, 0.1, 0.2]) * (
        state.lo + state.hi
    )
    state.gradient[:] = rng.choice([-3.0, -0.01, 0.01, 3.0], 200)
    active, violation = module.near_margin(state, 1e-3)
    assert violation == pytest.approx(6.0)
    up, low = state.v < state.hi, state.v > state.lo
    violates = (up & (state.gradient > 0.02)) | (low & (state.gradient < -0.02))
    assert np.isin(np.flatnonzero(violates), active).all()


def test_limits_end_it(shrunk):
    X, problem = noise()
    source, budget = GramPart.prepare(Gaussian(0.05), X), N * 8 * 60
    steps = solve_smo(source, problem, budget=budget).certificate.iterations
    for part in (0.2, 0.6, 0.9):
        limits = Limits(max_iter=int(part * steps))
        ended = solve_smo(source, problem, budget=budget, limits=limits).certificate
        assert ended.status == "iterations"
        assert ended.iterations <= limits.max_iter
        assert ended.gap >= 0


def test_what_active_samples_reached_in_their_time_is_kept(monkeypatch):
    monkeypatch.setattr(_divided, "_LEAST_SIDE", 100)
    X, problem = noise()
    source = GramPart.prepare(Gaussian(0.05), X)
    whole = solve_smo(source, problem).certificate
    state, duals = State(source, problem, "free", 1.0, None), []

    def solve(source, part, limits, k):
        duals.append(state.dual())
        if len(duals) > 4:
            return smo._run_on_demand(*store(source), part, limits)
        few = Limits(tol=limits.tol, max_iter=200)
        assert smo._run_on_demand(*store(source), part, few) == "iterations"
        return "time"

    def store(source):
        return (smo.RowStore(source, 10**8, ThreadMemory().array),)

    known = source, state, Limits(), solve
    assert module.run_active(*known, _divided._select, 0.0) == "converged"
    assert (np.diff(duals) > 0).all()
    assert state.dual() == pytest.approx(whole.dual, abs=2 * whole.gap)
    assert state.rows_computed > 0


def test_rows_are_counted_once():
    X, problem = noise(400)
    source = GramPart.prepare(Gaussian(0.05), X)
    first = solve_smo(source, problem, limits=Limits(max_iter=50))
    start = solve_smo(source, problem, start=first.alpha).certificate
    assert start.rows_computed >= np.count_nonzero(first.alpha)


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("tol", [1e-2, 1e-6])
def test_short_rows_beside_those_that_are_kept(monkeypatch, shrunk, bias, tol):
    """Sets take few of the free samples: round after round would read all rows."""
    monkeypatch.setattr(_row_store, "_PLENTY", 0)
    X, problem = noise()
    source, limits = GramPart.prepare(Gaussian(0.05), X), Limits(tol=tol)
    whole = solve_smo(source, problem, bias=bias, limits=limits)
    assert not shrunk
    monkeypatch.setattr(smo, "_ON_DEMAND", 30)
    found = solve_smo(source, problem, bias=bias, limits=limits)
    assert shrunk
    assert 0 < shrunk[0] < N / 2
    assert found.certificate.converged
    gap = whole.certificate.gap + found.certificate.gap
    assert abs(whole.certificate.dual - found.certificate.dual) <= gap
    naive_svm.check(found, problem, Gaussian(0.05)(X), bias, 1.0)


def test_short_rows_have_no_more_than_the_memory_that_is_left(monkeypatch, shrunk):
    monkeypatch.setattr(_row_store, "_PLENTY", 0)
    monkeypatch.setattr(smo, "_ON_DEMAND", 30)
    X, problem = noise()
    source = GramPart.prepare(Gaussian(0.05), X)
    whole, beside = solve_smo(source, problem).certificate, []
    for rows in (60, 100, 200, 300, 400, 600, 1000, N):
        shrunk.clear()
        found = solve_smo(source, problem, budget=N * 8 * rows).certificate
        assert found.converged
        assert abs(found.dual - whole.dual) <= found.gap + whole.gap
        beside.append(bool(shrunk))
    # with few rows active samples have all of the memory, with many what is left of it,
    # and in between there is too little for both
    assert beside[0]
    assert beside[-1]
    assert not all(beside)


def test_if_most_samples_are_active_all_of_them_go_on(monkeypatch):
    monkeypatch.setattr(_row_store, "_PLENTY", 0)
    monkeypatch.setattr(smo, "_ON_DEMAND", 30)
    monkeypatch.setattr(module, "MOST_ACTIVE", 0.0)
    monkeypatch.setattr(smo, "MOST_ACTIVE", 0.0)
    X, problem = noise()
    found = solve_smo(GramPart.prepare(Gaussian(0.05), X), problem)
    assert found.certificate.converged
    naive_svm.check(found, problem, Gaussian(0.05)(X), "free", 1.0)


def test_a_part_lies_as_the_whole_does():
    """In [:, members] neighbours are four numbers apart: slower, and compiled anew."""
    X, problem = noise(60)
    state = State(GramPart.prepare(Gaussian(0.1), X), problem, "free", 1.0, None)
    for members in (np.arange(5, 40, 3), np.arange(60)):
        assert state.part(members).arrays.flags.c_contiguous
