r"""The exact dual SVM by decomposition, with large working sets.

.. math:: \min_α ½αᵀHα - 1ᵀα, \quad 0 ≤ α_i ≤ C_i, \quad
          H_{ij} = z_i z_j (k(x_i, x_j) + ξ), \quad (Σ_i α_i z_i = 0)

Optimal as in LIBSVM: m(α) − M(α) ≤ tol (`_steps` has the definitions). Each round takes
all free samples and the worst violators among the others as its working set, solves
this subproblem by SMO with second-order selection until its own violation fell to a
tenth, and then brings the gradient of all samples up to date. The subproblem needs only
the kernel values within the working set; a whole row is computed only for a sample
whose α has changed, so few rows are computed beyond those of the support vectors. Where
SMO loses patience with a subproblem, Newton steps on the free samples help it on.
Problems of many samples are solved in parts first (`_divided`), those of which many end
at C for a few samples (`_doubling`).
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from mercer._memory import memory_budget
from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map, single_threaded_blas
from mercer.solvers.svm import _gradient, _steps, _working_set
from mercer.solvers.svm._active import MOST_ACTIVE, NEAR, near_margin, run_active
from mercer.solvers.svm._divided import run_divided
from mercer.solvers.svm._doubling import is_worth_doubling, start_from_few
from mercer.solvers.svm._newton import climb
from mercer.solvers.svm._row_store import RowStore
from mercer.solvers.svm._state import State
from mercer.solvers.svm._steps import PATIENCE
from mercer.solvers.svm._watch import ROUNDS, Watch
from mercer.solvers.svm.problem import Bias, BinaryProblem, KernelSource, Limits
from mercer.solvers.svm.solution import Status, SVMSolution

# from so many samples on, so many violators of I_up, and as many of I_low
_VIOLATORS = (0, 64), (4096, 128), (8192, 256)
_MAX_FREE, _ON_DEMAND = 2048, 3072  # free samples in a working set; so rows last longer
_OVERFULL = 1.2  # free samples, in rows that can be kept
_OF_TOO_MANY = 1024  # of more than these, on a matrix
_COLUMNS = 4096  # of the gradient that a thread updates
_WORTH_THREADS = 1_000_000  # kernel values
SHORT_PATIENCE = 3.0  # after a subproblem for which `PATIENCE` was not enough
MANY = 65536  # samples, from which on a problem is divided


def solve_smo(
    source: KernelSource,
    problem: BinaryProblem,
    *,
    bias: Bias = "free",
    xi: float = 1.0,
    limits: Limits | None = None,
    start: SVMSolution | NDArray | None = None,
    budget: int | None = None,
    memory: ThreadMemory | None = None,
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
        A solution of the same problem with smaller bounds (its gradient is taken over),
        or a feasible α.
    budget : int, optional
        Bytes for kernel rows that are kept; default: the memory budget.
    memory : ThreadMemory, optional
        Where they are kept, if several problems are solved one after the other.
    """
    began = time.perf_counter()
    limits = limits or Limits()
    state = State(source, problem, bias, xi, start)
    if source.in_memory:
        status = _run_in_memory(source, state, limits)
    else:
        with single_threaded_blas():
            own, memory = source.take(problem.rows), memory or ThreadMemory()
            status = _run_within(memory_budget(budget), memory, own, state, limits)
    return state.finish(status, began, source.dtype)


def _run_in_memory(source: KernelSource, state: State, limits: Limits) -> Status:
    K, samples = source.matrix, state.problem.rows
    n = len(samples)
    runs, sizes = _runs(samples), _sizes_in_memory(n, state.free_bias)
    watch, patience = Watch(state, limits, with_newton=True), PATIENCE
    while True:
        if status := watch.over(state.violation()):
            return status
        *done, left, stalled = _steps.rounds_in_memory(
            *(K, samples, runs, state.xi, state.arrays, state.free_bias),
            *(limits.tol, sizes, watch.steps_left(), ROUNDS, patience),
            source.is_semidefinite,
        )
        state.count(*done)
        patience = left or SHORT_PATIENCE
        if not left or stalled or watch.calls_newton:
            free = _free_samples(state, n)
            values = K[np.ix_(samples[free], samples[free])]
            moved, change, at_top = _climb(state, free, values, watch)
            patience = patience if at_top else PATIENCE
            if stalled and len(moved) == 0:
                return "stalled"
            _update_gradient(state, K, samples[moved], change, runs)


def _run_within(
    room: int, memory: ThreadMemory, source: KernelSource, state: State, limits: Limits
) -> Status:
    """Kernel values on demand, and so many bytes for those that are kept."""

    def run(source: KernelSource, state: State, limits: Limits, k: int) -> Status:
        return _run_alone(RowStore(source, room // k, memory.array), state, limits)

    if len(state.v) >= MANY:
        return run_divided(source, state, limits, run)
    if is_worth_doubling(source, state, limits):
        start_from_few(source, state, limits, run)
    store = RowStore(source, room, memory.array)
    status = _run_on_demand(store, state, limits, may_shrink=True)
    if status is not None:
        return status
    if _is_overfull(store, state):
        del store  # its memory is used again
        return run_active(source, state, limits, run, near_margin, 0.0)
    return _run_beside(store, source, state, limits)


def _run_beside(
    store: RowStore, source: KernelSource, state: State, limits: Limits
) -> Status:
    """Active samples, whose short rows are kept where there are no long ones yet."""

    def run(active: KernelSource, part: State, limits: Limits, k: int) -> Status:
        if part is state:
            return _run_alone(store, state, limits)
        short = RowStore(active, store.unused_bytes, store.unused)
        return _run_alone(short, part, limits)

    def move(
        state: State, members: NDArray[np.intp], v: NDArray, limits: Limits
    ) -> bool:
        change = v - state.v[members]
        state.v[members] = v
        _follow(state, store, members, change, _columns(len(state.v)))
        return True

    return run_active(source, state, limits, run, near_margin, 0.0, move)


def _run_alone(store: RowStore, state: State, limits: Limits) -> Status:
    status = _run_on_demand(store, state, limits)
    assert status is not None
    return status


def _run_on_demand(
    store: RowStore, state: State, limits: Limits, may_shrink: bool = False
) -> Status | None:
    """Rounds on all samples; None where active ones should be solved from here on."""
    arrays, free_bias, n = state.arrays, state.free_bias, len(state.v)
    sizes = working_set_sizes(n, len(store.values), _ON_DEMAND)
    moved, before = np.empty(0, np.int64), state.rows_computed
    watch, patience = Watch(state, limits, with_newton=True), PATIENCE
    runs = _columns(n)
    while True:
        working_set, violation = _working_set.select_working_set(
            arrays, free_bias, limits.tol, sizes, moved
        )
        if status := watch.over(violation):
            return status
        if (
            may_shrink
            and violation <= NEAR
            and _leaves_others_behind(store, state, sizes[0])
        ):
            return None
        K = store.block(working_set, spare=0 if free_bias else 1)
        steps, min_curvature, left, moved, change = _steps.solve_subproblem(
            *(K, working_set, state.xi, arrays, free_bias),
            *(limits.tol, watch.steps_left(), patience),
        )
        state.count(steps, 1, min_curvature)
        patience, stalled = next_patience(left, patience), len(moved) == 0
        if not stalled:
            _follow(state, store, moved, change, runs)
        if not left or stalled or watch.calls_newton:
            free = _free_samples(state, len(store.values))
            values = store.block(free, spare=0)
            moved, change, at_top = _climb(state, free, values, watch)
            patience = patience if at_top else PATIENCE
            if stalled and len(moved) == 0:
                return "stalled"
            _update_gradient(state, store.values, store.fetch(moved), change, runs)
        state.rows_computed = before + store.computed


def next_patience(left: float, before: float) -> float:
    """With the next subproblem: less where this one is not solved yet."""
    return (left or SHORT_PATIENCE) if left < before else PATIENCE


def _columns(n: int) -> NDArray[np.int64]:
    """(first, stop, column) of stretches of n samples, of which a thread takes one."""
    first = np.arange(0, n, _COLUMNS)
    return np.column_stack([first, np.append(first[1:], n), first])


def _leaves_others_behind(store: RowStore, state: State, most: int) -> bool:
    """Whether to go on with active samples.

    Where rows of the free ones are computed anew. And where short rows cost little and
    working sets take `most` of the free ones only, so that round after round reads
    nearly all rows that there are.
    """
    if _is_overfull(store, state):
        return True
    n_free = int(np.count_nonzero(state.is_free()))
    short_rows = n_free * store.values[:1].nbytes * MOST_ACTIVE
    return store.is_cheap and n_free > most and short_rows <= store.unused_bytes


def _is_overfull(store: RowStore, state: State) -> bool:
    """Whether rows of free samples are computed anew, since too few can be kept."""
    return int(np.count_nonzero(state.is_free())) > _OVERFULL * len(store.values)


def _free_samples(state: State, capacity: int) -> NDArray[np.intp]:
    """The free samples, or of too many those whose gradient is the most unusual."""
    free = np.flatnonzero(state.is_free())
    most = min(_MAX_FREE, capacity)
    if len(free) <= most:
        return free
    unusual = np.abs(state.gradient[free] - state.bias())
    return np.sort(free[np.argsort(-unusual, kind="stable")[:most]])


def _climb(
    state: State, free: NDArray[np.intp], K: NDArray, watch: Watch
) -> tuple[NDArray[np.intp], NDArray[np.float64], bool]:
    """Newton steps on free samples; which moved, by how much, and whether to the top.

    Where bounds are in the way, steps in two coordinates are worth more patience.
    """
    own, values = state.arrays.take(free, axis=1), K + K.dtype.type(state.xi)
    limits = watch.tol, watch.steps_left()
    with single_threaded_blas():
        v, steps, at_top = climb(values, own, state.free_bias, *limits)
    state.count(steps, 0, np.inf)
    state.v[free] = v
    moved = v != own[1]
    return free[moved], (v - own[1])[moved], at_top


def _update_gradient(
    state: State,
    values: NDArray,
    rows: NDArray[np.intp],
    change: NDArray,
    runs: NDArray[np.int64],
) -> None:
    def update(run: list[int]) -> None:
        _gradient.update_gradient(state.gradient, values, rows, change, tuple(run))

    if len(state.gradient) * len(rows) < _WORTH_THREADS:
        for run in runs.tolist():
            update(run)
    else:
        parallel_map(update, runs.tolist())
    if state.xi:
        state.gradient -= state.xi * change.sum()


def _follow(
    state: State,
    store: RowStore,
    moved: NDArray[np.intp],
    change: NDArray,
    runs: NDArray[np.int64],
) -> None:
    """Bring the gradient up to date; a large store keeps rows of free samples only.

    A sample that went to its bound tends to stay there: its row is used this once. Rows
    of many samples are used while they are in a core's cache.
    """
    if not store.is_large:
        _update_gradient(state, store.values, store.fetch(moved), change, runs)
        return
    there = store.has(moved)
    store.touch(moved)
    rows = store.slots[moved[there]]
    _update_gradient(state, store.values, rows, change[there], runs)
    store.follow(moved[~there], change[~there], state.gradient, state.is_free())
    state.gradient -= state.xi * change[~there].sum()


def working_set_sizes(
    n: int, capacity: int, most: int = _MAX_FREE
) -> NDArray[np.int64]:
    """How many free samples, violators up and low and recent ones a working set has."""
    side = next(side for least, side in reversed(_VIOLATORS) if n >= least)
    side = min(side, max(1, capacity // 8))
    recent = min(4 * side, capacity // 4)
    free = max(2, min(most, capacity - 2 * side - recent - 2))
    return np.array([free, side, side, recent])


def _sizes_in_memory(n: int, free_bias: bool) -> NDArray[np.int64]:
    """Sizes of working sets of a matrix that is there, and where too many are free.

    Then smaller sets are faster, as rows cost nothing and caches are small: a few
    rounds, until steps on all samples pay. Without a free bias there are no such steps.
    """
    usual = of_too_many = working_set_sizes(n, n)
    if free_bias:
        of_too_many = np.array([min(_OF_TOO_MANY, usual[0]), *usual[1:3], 0])
    return np.stack([usual, of_too_many])


def _runs(rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """(first, stop, column) of each stretch in which the numbers count up by one."""
    (breaks,) = (rows[1:] - rows[:-1] != 1).nonzero()
    runs = np.empty((len(breaks) + 1, 3), np.int64)
    runs[0, 0], runs[-1, 1] = 0, len(rows)
    runs[1:, 0] = runs[:-1, 1] = breaks + 1
    runs[:, 2] = rows[runs[:, 0]]
    return runs
