"""Problems of some thousand samples side by side, which ask for kernel rows together.

A round of a span of problems takes two calls: one solves the working sets of all and
chooses the next ones, and one fills the kernel rows that these lack. Rows are computed
of the whole working set, which is therefore small at first.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import pairwise, starmap

import numpy as np
from numpy.typing import NDArray

from mercer._thread_memory import ThreadMemory
from mercer._threads import n_threads, parallel_map, single_threaded_blas
from mercer.solvers.svm import _stacked_steps
from mercer.solvers.svm.problem import FillRows, Limits, Stacked

MOST_BYTES = 2**26  # of the matrix of a problem
# samples of the problems that take their rounds side by side: so many at most, and so
# many at least, of which threads would only wait for each other
_TOGETHER, _LEAST_TOGETHER = 2**13, 2**12
_SIZES = np.array([2048, 12, 12, 24])  # FREE, UP, LOW and recent in a working set
_PATIENCE = 20.0  # steps for each sample of a subproblem, after which `smo` goes on
_ROUNDS = 1000  # after which it does, too


@dataclass(frozen=True, eq=False)
class StackedTask:
    """Many problems, and how far they have come: g and v in `begun`.

    `done` holds steps, rounds, kernel rows and the smallest curvature of each.
    """

    stacked: Stacked
    begun: NDArray[np.float64]
    xi: float
    free_bias: bool
    limits: Limits
    done: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.stacked.bounds) - 1
        done = np.concatenate([np.zeros((3, count)), np.full((1, count), np.inf)])
        object.__setattr__(self, "done", done)

    def states(self, bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """g, v, lo and hi of problems with these bounds, one after the other."""
        parts = []
        for at in starmap(slice, pairwise(bounds.tolist())):
            most = self.stacked.signs[at] * self.stacked.upper[at]
            parts += [*self.begun[:, at], np.minimum(most, 0.0), np.maximum(most, 0.0)]
        return np.concatenate(parts)

    def keep(self, bounds: NDArray[np.int64], states: NDArray[np.float64]) -> None:
        """How far these problems have come."""
        for first, stop in pairwise(bounds.tolist()):
            own = states[4 * (first - bounds[0]) : 4 * (stop - bounds[0])]
            self.begun[:, first:stop] = own.reshape(4, -1)[:2]


@dataclass(frozen=True, eq=False)
class RowsOnDemand:
    """A function for kernel rows, their type, bytes for them, and who may take some."""

    fill: FillRows
    dtype: np.dtype
    room: int
    gate: AbstractContextManager


def solve_by_rows(task: StackedTask, rows: RowsOnDemand) -> None:
    """Take all problems as far as they go in working sets of a few violators."""
    memory, samples = ThreadMemory(), np.diff(task.stacked.bounds)

    def solve(span: tuple[int, int]) -> None:
        with rows.gate:
            _solve_span(task, rows, span, memory)

    spans = _spans(samples, rows.room // 2 // rows.dtype.itemsize)
    if len(spans) == 1:
        with single_threaded_blas():
            solve(spans[0])
    else:
        parallel_map(solve, spans)


def _spans(samples: NDArray[np.int64], most_values: int) -> list[tuple[int, int]]:
    """Neighbours of about the same size, since rows are as long as the longest.

    Problems know nothing of each other: how they are cut makes no difference to them.
    """
    if len(samples) == 1:
        return [(0, 1)]
    most = min(_TOGETHER, 1 + int(samples.sum()) // (2 * n_threads()))
    most = max(_LEAST_TOGETHER, most)
    spans = cut(samples, max(1, min(most, most_values // int(samples.max()))))
    uneven = np.flatnonzero(np.abs(np.diff(np.log2(samples))) > 1) + 1
    return list(pairwise(sorted({0, *(stop for _, stop in spans), *uneven.tolist()})))


def _solve_span(
    task: StackedTask, rows: RowsOnDemand, span: tuple[int, int], memory: ThreadMemory
) -> None:
    bounds = task.stacked.bounds[span[0] : span[1] + 1]
    n, width = int(bounds[-1] - bounds[0]), int(np.diff(bounds).max())
    K, states = memory.array((n, width), rows.dtype), task.states(bounds)
    slots, working_sets = np.full(n, -1), np.empty(n, np.int64)
    sizes, wanted = np.zeros(len(bounds) - 1, np.int64), np.empty((n, 2), np.int64)
    known = K, states, slots, working_sets, sizes, task.stacked.bounds
    how = task.xi, task.free_bias, task.limits.tol, _SIZES, _PATIENCE, _ROUNDS
    filled, going_on = 0, 1
    while going_on and not task.limits.reached():
        there = filled
        filled, going_on = _stacked_steps.advance_stacked(
            *(*known, *how, task.done, wanted, there, span)
        )
        if filled > there:
            rows.fill(wanted[there:filled], K[there:filled])
    task.keep(bounds, states)
    numbers = wanted[:filled, 0] - span[0]
    task.done[2, span[0] : span[1]] = np.bincount(numbers, minlength=len(sizes))


def cut(costs: NDArray[np.int64], most: int) -> list[tuple[int, int]]:
    """Problems next to each other that are worth a thread's while."""
    total = np.cumsum(costs)
    if total[-1] <= most:
        return [(0, len(total))]
    cuts = np.searchsorted(total, np.arange(most, total[-1], most)) + 1
    edges = sorted({0, *cuts.tolist(), len(total)})
    return list(pairwise(edges))
