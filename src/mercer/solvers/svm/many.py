"""Many binary problems over one source of kernel values, on threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mercer._interrupts import ending_at_ctrl_c
from mercer._memory import budget_for
from mercer._thread_memory import ThreadMemory
from mercer._threads import n_threads, parallel_map
from mercer.exceptions import ParameterError
from mercer.solvers.svm._stacked_rows import MOST_BYTES, RowsOnDemand, cut
from mercer.solvers.svm.lbfgs import LBFGSOptions, solve_lbfgs
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblem,
    BinaryProblems,
    FillRows,
    KernelSource,
    Limits,
)
from mercer.solvers.svm.smo import MANY, solve_smo
from mercer.solvers.svm.solution import Solutions, SVMSolution
from mercer.solvers.svm.stacked import MOST, SMALL, solve_stacked

Returned = TypeVar("Returned")
_SHARES = 8  # of the budget for kernel rows
_KEPT = 0.25  # of all rows of a problem, which are enough for its free samples
_BUNCH = 4096  # problems given to threads at a time
_LEAST_SHARE = 0.01  # seconds, in which a small problem is solved rather than begun


def solve_many(
    source: KernelSource,
    problems: Sequence[BinaryProblem],
    *,
    solver: str = "smo",
    bias: Bias = "free",
    xi: float = 1.0,
    limits: Limits | None = None,
    starts: Sequence[SVMSolution | NDArray | None] | None = None,
    options: LBFGSOptions | None = None,
    budget: int | None = None,
) -> Solutions:
    """Solve all problems: threads over problems, or within them if there are few.

    The solutions do not depend on the number of threads. Ctrl-C sets the stop flag and
    returns what there is (`Certificate.status` is "stopped"); whoever gave the flag
    looks at it afterwards, and passes the interrupt on. A deadline is shared out:
    each problem gets an equal part of the time left, and what the easy ones leave over
    goes to those that did not end in theirs. What gets no time is neither begun nor
    built.

    Parameters
    ----------
    source, bias, xi : as for `solve_smo`
    problems : sequence of BinaryProblem
        One-vs-one pairs, one-vs-rest, folds, …; `BinaryProblems` are built on demand.
    solver : {"smo", "lbfgs"}
        Which solver.
    limits : Limits
        `max_iter` is for each problem, `deadline` for all together; a `Snapshot` says
        which problem it is about. The callback may be called from several threads.
    starts : sequence, optional
        A start for each problem.
    options : LBFGSOptions, optional
        Only for the solver lbfgs.
    budget : int, optional
        Bytes for kernel rows; a problem may take an eighth, or up to a half where that
        holds too few rows, alone all of it. Default: the memory budget.
    """
    limits = limits or Limits()
    stop = limits.stop or threading.Event()
    if not source.in_memory:
        source = source.take(slice(0, source.n_samples))
    share, gate = None, threading.BoundedSemaphore(max(1, len(problems)))
    if solver == "lbfgs" or not source.in_memory:
        # by problems, not by threads: the size of a share decides the order of steps
        sizes = BinaryProblems.of(problems).sizes
        most = int((sizes.astype(np.float64) ** 2).sum()) * source.dtype.itemsize
        room = budget_for(most, budget)
        shares = _shares(room // source.dtype.itemsize, sizes)
        share, gate = max(1, room // shares), threading.BoundedSemaphore(shares)
    solve: Callable[..., SVMSolution]
    if solver == "smo":
        solve = partial(solve_smo, memory=ThreadMemory())
    elif solver == "lbfgs":
        solve = partial(solve_lbfgs, options=options)
    else:
        raise ParameterError(f"solver is {solver!r}; it must be 'smo' or 'lbfgs'.")
    solve = partial(solve, source, bias=bias, xi=xi, budget=share)
    if starts is not None and len(starts) != len(problems):
        raise ParameterError("starts must hold one start for each problem.")
    all_limits = replace(limits, stop=stop)
    problems = BinaryProblems.of(problems)
    solutions: dict[int, SVMSolution] = {}

    def run(number: int) -> SVMSolution | None:
        before = solutions.get(number)
        start = starts[number] if before is None and starts is not None else before
        if start is None and all_limits.reached():
            return None
        own = replace(all_limits, problem=number, deadline=clock.share())
        with gate:
            after = solve(problems[number], limits=own, start=start)
        if before is None:
            return after
        both = after.certificate.after(before.certificate)
        return replace(after, certificate=both)

    # the largest first, so that no thread is left with one at the end
    order = np.argsort(-problems.sizes, kind="stable")
    rows, fits = None, solver == "smo" and _are_alone(problems, limits, starts)
    if fits and problems.sizes.sum() > MOST:
        fits, largest = False, int(problems.sizes.max())
        short = source.fills_rows and largest**2 * source.dtype.itemsize <= MOST_BYTES
        if short or (source.in_memory and largest <= SMALL):
            own = partial(solve_many, source, bias=bias, xi=xi, budget=budget)
            return _in_parts(partial(own, limits=all_limits), problems, starts)
    if fits and source.fills_rows and (fill := _filler(source, problems, share or 0)):
        rows = RowsOnDemand(fill, source.dtype, share or 0, gate)
    if rows or (fits and source.in_memory and problems.sizes.max() <= SMALL):
        known = source, problems, starts, bias, xi, all_limits, rows
        work = partial(solve_stacked, *known)
        # a single one ends sooner than anybody could press Ctrl-C
        brief = rows is None and len(problems) == 1
        small, converged = work() if brief else ending_at_ctrl_c(work, stop)
        if converged.all():
            return small
        reason = all_limits.reached() or "stalled"
        solutions |= small.as_begun(converged, reason)
        order = order[~converged[order]]
    waiting = order.tolist()
    while waiting:
        clock = _Clock(limits.deadline, len(waiting))
        for first in range(0, len(waiting), _BUNCH):
            if starts is None and all_limits.reached():
                break
            bunch = waiting[first : first + _BUNCH]
            for number, found in zip(bunch, _on_threads(run, bunch, stop)):
                if found is not None:
                    solutions[number] = found
        begun = (k for k in waiting if k in solutions)
        late = [k for k in begun if solutions[k].certificate.status == "time"]
        waiting = late if all_limits.reached() is None else []
    return Solutions(problems, solutions, all_limits.reached() or "time")


def _shares(values: int, sizes: NDArray[np.intp]) -> int:
    """Of room for so many kernel values: how many problems may keep rows at once.

    Eight, or as few as two where an eighth holds too few rows of the largest problem:
    rows that do not fit are computed in every round. Divided problems need few.
    """
    shares, largest = max(1, min(len(sizes), _SHARES)), int(sizes.max(initial=1))
    while shares > 2 and largest < MANY and values // shares < largest**2 * _KEPT:
        shares = max(2, shares // 2)
    return shares


class _Clock:
    """Shares out the time that is left among the problems that have not begun."""

    def __init__(self, deadline: float | None, problems: int) -> None:
        self._deadline, self._left = deadline, problems
        self._at_once = n_threads() if problems >= n_threads() else 1
        self._lock = threading.Lock()

    def share(self) -> float | None:
        """The deadline of the problem that begins now."""
        if self._deadline is None:
            return None
        with self._lock:
            turns = max(1.0, self._left / self._at_once)
            self._left -= 1
        now = time.perf_counter()
        share = max(_LEAST_SHARE, (self._deadline - now) / turns)
        return min(now + share, self._deadline)


def _filler(
    source: KernelSource, problems: BinaryProblems, room: int
) -> FillRows | None:
    """A function for kernel rows of all problems, if all of a problem's can be kept."""
    n_bytes = int(problems.sizes.max()) ** 2 * source.dtype.itemsize
    if n_bytes > min(room // 2, MOST_BYTES):
        return None
    stacked = problems.stacked()
    return source.filler(stacked.rows, stacked.bounds)


def _in_parts(
    solve: Callable[..., Solutions],
    problems: BinaryProblems,
    starts: Sequence[Any] | None,
) -> Solutions:
    """As many problems at a time as are solved side by side."""
    found: dict[int, SVMSolution] = {}
    for first, stop in cut(problems.sizes, MOST // 2):  # or one problem more
        some = [problems[p] for p in range(first, stop)]
        part = solve(some, starts=None if starts is None else starts[first:stop])
        found |= {first + p: solution for p, solution in part.begun.items()}
    return Solutions(problems, found, "stopped")


def _are_alone(
    problems: BinaryProblems, limits: Limits, starts: Sequence[Any] | None
) -> bool:
    """Whether nobody watches the problems, ends them, or says where to start."""
    watched = limits.progress is not None or limits.deadline is not None
    if watched or limits.max_iter >= 0 or limits.reached() or not len(problems):
        return False
    return starts is None or not any(isinstance(s, np.ndarray) for s in starts)


def _on_threads(
    run: Callable[[int], Returned], numbers: list[int], stop: threading.Event
) -> list[Returned]:
    def work() -> list[Returned]:
        if len(numbers) < n_threads():  # then each uses all threads by itself
            return [run(number) for number in numbers]
        return parallel_map(run, numbers)

    return ending_at_ctrl_c(work, stop)
