r"""The exact dual SVM by blocks of violators.

.. math:: \min_α ½αᵀHα - 1ᵀα, \quad 0 ≤ α_i ≤ C_i, \quad
          H_{ij} = z_i z_j (k(x_i, x_j) + ξ), \quad (Σ_i α_i z_i = 0)

Each round takes all free samples and the worst violators among the others, solves that
block with steps in two coordinates until its own violation fell to a tenth, and then
brings the ascent f of all samples up to date. The block needs only the kernel values
between its members; a whole row is computed only for a sample whose α has changed, so
few rows are computed beyond those of the support vectors.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from mercer._memory import memory_budget
from mercer._threads import n_threads, parallel_map, single_threaded_blas
from mercer.solvers.svm import _steps
from mercer.solvers.svm._row_store import RowStore
from mercer.solvers.svm._state import State
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblem,
    KernelSource,
    Limits,
    check_bias,
)
from mercer.solvers.svm.solution import Status, SVMSolution

_N_BOUND, _N_BOUND_LARGE, _LARGE = 128, 256, 4096  # violators a block, by samples
_N_FREE = 2048  # free samples a block
_FEW = 16  # so few missing rows are computed at once, needed or not
_WIDE, _MUCH = 4096, 1_000_000  # columns for a thread, values that pay for threads
_STEPS = 200_000  # compiled steps between two looks at the clock
_PATIENCE = 64  # rounds in which the dual must rise by _RISE of itself
_RISE = 1e-10


def solve_smo(
    source: KernelSource,
    problem: BinaryProblem,
    *,
    bias: Bias = "free",
    xi: float = 1.0,
    limits: Limits | None = None,
    start: SVMSolution | NDArray | None = None,
    budget: int | None = None,
) -> SVMSolution:
    """Solve one binary problem.

    Parameters
    ----------
    source : KernelSource
        Kernel values: a matrix in memory, or blocks on demand.
    problem : BinaryProblem
        Samples, signs and bounds.
    bias : {"free", "regularized", "none"}
        Free: Σαz = 0. Regularized: ξ is added to the kernel.
    xi : float
        ξ, where the bias is regularized.
    limits : Limits
        Tolerance, limits of steps and time, progress.
    start : SVMSolution or array, optional
        A solution for smaller bounds (its ascent is taken over as well) or a feasible α.
    budget : int, optional
        Bytes for kernel rows that are kept; default: a thread's share of the budget.
    """
    began = time.perf_counter()
    limits = limits or Limits()
    state = State.begin(source, problem, bias, check_bias(bias, xi), start)
    if source.in_memory:
        status = _run_in_memory(source.matrix, state, limits)
    else:
        with single_threaded_blas():
            status = _run_on_demand(source, state, limits, budget)
    return state.finish(status, began, source.dtype)


def _run_in_memory(K: NDArray, state: State, limits: Limits) -> Status:
    samples = state.problem.rows
    runs, sizes = _runs(samples), np.array(_sizes(len(samples), len(samples)))
    watch = _Watch(state, limits)
    while True:
        if status := watch.over(state.violation()):
            return status
        steps, rounds, flattest, stuck = _steps.rounds_in_memory(
            K,
            samples,
            runs,
            state.xi,
            *state.arguments(),
            limits.tol,
            sizes,
            min(_STEPS, watch.steps_left()),
            _PATIENCE,
        )
        state.count(steps, rounds, flattest)
        if stuck:
            return "stalled"


def _run_on_demand(
    source: KernelSource, state: State, limits: Limits, budget: int | None
) -> Status:
    n = len(state.problem)
    if budget is None:
        budget = memory_budget() // n_threads()
    capacity = int(np.clip(budget // (n * source.dtype.itemsize), min(n, 4), n))
    n_bound, n_free = _sizes(n, capacity)
    store = RowStore(source.take(_as_slice(state.problem.rows)), capacity)
    watch = _Watch(state, limits)
    while True:
        block, top, bottom = _steps.select(
            *state.arguments(), limits.tol, n_bound, n_free
        )
        if status := watch.over(top - bottom):
            return status
        moved, change = _solve_block(
            store, state, block, limits.tol, watch.steps_left()
        )
        if len(moved) == 0:
            return "stalled"
        _update(state, store.values, store.fetch(moved), change)
        state.rows_computed = store.computed


def _solve_block(
    store: RowStore,
    state: State,
    block: NDArray[np.int64],
    tol: float,
    steps_left: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Change v within the block; which samples moved, and by how much."""
    missing = store.missing(block)
    if len(missing) <= _FEW:
        store.fetch(block)
        missing = missing[:0]
    steps, flattest, moved, change = _steps.solve_stored_block(
        store.values,
        store.slots,
        block,
        store.between(missing) if len(missing) else store.values[:0],
        state.xi,
        *state.arguments(),
        tol,
        steps_left,
    )
    state.count(steps, 1, flattest)
    return moved, change


def _update(
    state: State,
    values: NDArray,
    slots: NDArray[np.int64],
    change: NDArray[np.float64],
) -> None:
    n = len(state.f)

    def subtract(first: int) -> None:
        stop = min(first + _WIDE, n)
        _steps.subtract_rows(state.f, values, slots, change, first, stop, 0)

    parts = range(0, n, _WIDE)
    if n * len(slots) < _MUCH:
        for first in parts:
            subtract(first)
    else:
        parallel_map(subtract, parts)
    if state.xi:
        state.f -= state.xi * change.sum()


class _Watch:
    """Tells when to end."""

    def __init__(self, state: State, limits: Limits) -> None:
        self._state, self._limits = state, limits
        self._most = limits.max_steps(len(state.v))
        self._rounds, self._dual = 0, -np.inf

    def steps_left(self) -> int:
        return self._most - self._state.steps

    def over(self, violation: float) -> Status | None:
        """Why to end now, or None."""
        if self._limits.progress is not None:
            self._limits.progress(self._state.progress(self._limits.problem))
        if violation <= self._limits.tol:
            return "converged"
        if self.steps_left() <= 0:
            return "iterations"
        return self._limits.reached() or ("stalled" if self._stalled() else None)

    def _stalled(self) -> bool:
        if self._state.rounds < self._rounds + _PATIENCE:
            return False
        before, self._dual = self._dual, self._state.dual()
        self._rounds = self._state.rounds
        return self._dual - before <= _RISE * abs(self._dual)


def _sizes(n: int, capacity: int) -> tuple[int, int]:
    """How many violators at a bound and how many free samples make a block."""
    n_bound = _N_BOUND if n < _LARGE else _N_BOUND_LARGE
    n_bound = max(2, min(n_bound, capacity // 2))
    return n_bound, max(2, min(_N_FREE, capacity - n_bound))


def _as_slice(rows: NDArray[np.intp]) -> NDArray[np.intp] | slice:
    # a slice is a view of the samples, an index array a copy of them
    if rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def _runs(rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """(first, stop, shift) of each stretch in which the numbers count up by one."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(rows) != 1) + 1])
    stops = np.append(starts[1:], len(rows))
    return np.column_stack([starts, stops, rows[starts] - starts])
