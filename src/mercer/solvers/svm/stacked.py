"""Many small problems: solved and certified without one call for each.

Most fits in the world are of a few hundred samples, or of many classes with a few
samples each: what a function call costs is more than what a problem costs. On a matrix
a problem of up to 512 samples is a single working set; of more samples, or without a
matrix, problems go through their rounds side by side and ask for kernel rows together.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering
from mercer._threads import parallel_map
from mercer.solvers.svm import _stacked_steps
from mercer.solvers.svm._stacked_rows import (
    RowsOnDemand,
    StackedTask,
    cut,
    solve_by_rows,
)
from mercer.solvers.svm._state import State
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblems,
    KernelSource,
    Limits,
    Stacked,
    check_bias,
)
from mercer.solvers.svm.solution import Certificate, Solutions, Status, SVMSolution

SMALL = 512  # samples of a problem at most, all of which are one working set
MOST = 2**23  # samples of all problems together
_PATIENCE = 20  # steps for each sample, after which a problem is left to `smo`
_SPAN = 2**21  # kernel values of the problems that a thread takes at a time

Starts = Sequence[SVMSolution | NDArray | None]


@dataclass(frozen=True, eq=False)
class Quality:
    """What a certificate states, a column for each problem."""

    primal: NDArray[np.float64]
    dual: NDArray[np.float64]
    gap: NDArray[np.float64]
    violation: NDArray[np.float64]
    iterations: NDArray[np.int64]
    rounds: NDArray[np.int64]
    rows_computed: NDArray[np.int64]
    seconds: NDArray[np.float64]
    indefinite: NDArray[np.bool_]
    rounding: NDArray[np.float64]


class StackedSolutions(Solutions):
    """Solutions of problems that all converged, in arrays.

    `v` (that is αz) and `gradient` are laid out as the problems in `stacked` are; an
    `SVMSolution` is made when it is asked for.
    """

    def __init__(
        self,
        problems: BinaryProblems,
        stacked: Stacked,
        v: NDArray[np.float64],
        gradient: NDArray[np.float64],
        bias: NDArray[np.float64],
        quality: Quality,
    ) -> None:
        self._problems, self._status = problems, "time"
        self.stacked, self.v, self.gradient = stacked, v, gradient
        self.bias, self.quality = bias, quality

    @cached_property
    def alphas(self) -> NDArray[np.float64]:
        """The sum of all α of each problem."""
        sums: NDArray = np.add.reduceat(np.abs(self.v), self.stacked.bounds[:-1])
        return sums

    @cached_property
    def n_support(self) -> NDArray[np.int64]:
        """How many support vectors each problem has."""
        bounds = self.stacked.bounds[:-1]
        counts: NDArray = np.add.reduceat(self.v != 0, bounds, dtype=np.int64)
        return counts

    @cached_property
    def begun(self) -> dict[int, SVMSolution]:  # type: ignore[override]
        """All of them."""
        certificates = self.certificates()
        return {p: self._make(p, certificates[p]) for p in range(len(self))}

    def certificates(self) -> list[Certificate]:
        """The certificate of each."""
        own = {name: column.tolist() for name, column in vars(self.quality).items()}
        return Certificate.converged_ones(**own)

    def with_rounding(self, rounding: NDArray[np.float64]) -> StackedSolutions:
        """The same, where objectives can be off by so much."""
        q = replace(self.quality, gap=self.quality.gap + rounding, rounding=rounding)
        known = self.stacked, self.v, self.gradient, self.bias
        return StackedSolutions(self._problems, *known, q)

    def scored_by(self, K: NDArray, xi: float, free_bias: bool) -> StackedSolutions:
        """The same with scores summed once more, over finer kernel values."""
        own, gradient = self.stacked, np.empty_like(self.v)
        most = int(self.n_support.max())

        def score(span: tuple[int, int]) -> None:
            known = own.rows, own.signs, own.bounds, self.v
            _score(K, *known, xi, most, gradient, span)

        parallel_map(score, cut(np.diff(own.bounds) * (self.n_support + 1), _SPAN))
        begun, found = np.array([gradient, self.v]), np.empty((5, len(self)))
        _certify(begun, own.bounds, own.signs, own.upper, free_bias, xi, found)
        primal, dual, gap, bias, violation = found
        stated = replace(
            self.quality, primal=primal, dual=dual, gap=gap, violation=violation
        )
        scored = self.v, gradient, bias
        return StackedSolutions(self._problems, own, *scored, stated)

    def as_begun(
        self, converged: NDArray[np.bool_], status: Status
    ) -> dict[int, SVMSolution]:
        """One by one: those that converged, and those that have begun, too."""
        some = np.flatnonzero(converged | (self.quality.iterations > 0))
        found = {p: self.begun[p] for p in some.tolist()}
        for p in np.flatnonzero(~converged).tolist():
            if p in found:
                stated = replace(found[p].certificate, converged=False, status=status)
                found[p] = replace(found[p], certificate=stated)
        return found

    def _make(self, p: int, certificate: Certificate) -> SVMSolution:
        own = slice(self.stacked.bounds[p], self.stacked.bounds[p + 1])
        v, bias = self.v[own], float(self.bias[p])
        return SVMSolution(np.abs(v), v, bias, self.gradient[own], certificate)


def solve_stacked(
    source: KernelSource,
    problems: BinaryProblems,
    starts: Starts | None,
    bias: Bias,
    xi: float,
    limits: Limits,
    rows: RowsOnDemand | None = None,
) -> tuple[StackedSolutions, NDArray[np.bool_]]:
    """Solve small problems, on the matrix or by rows; which of them converged."""
    began, stacked, xi = time.perf_counter(), problems.stacked(), check_bias(bias, xi)
    count, free_bias = len(problems), bias == "free"
    task = StackedTask(stacked, np.zeros((2, len(stacked.rows))), xi, free_bias, limits)
    task.begun[0] = stacked.signs
    if starts is not None:
        _set_start(task.begun, source, problems, starts, bias, xi)
    if rows is None:
        _solve_on_matrix(task, source.matrix)
    else:
        solve_by_rows(task, rows)
    known = task.begun, stacked.bounds, stacked.signs, stacked.upper
    found = np.empty((5, count))
    _certify(*known, free_bias, xi, found)
    primal, dual, gap, biases, violation = found
    steps, rounds, computed = task.done[:3].astype(np.int64)
    quality = Quality(
        *(primal, dual, gap, violation, steps, rounds, computed),
        seconds=np.full(count, (time.perf_counter() - began) / count),
        indefinite=task.done[3] < -1000 * float(np.finfo(source.dtype).eps),
        rounding=np.zeros(count),
    )
    gradient, v = task.begun
    solutions = StackedSolutions(problems, stacked, v, gradient, biases, quality)
    return solutions, violation <= limits.tol


def _solve_on_matrix(task: StackedTask, K: NDArray) -> None:
    own = task.stacked

    def solve(span: tuple[int, int]) -> None:
        if task.limits.reached():
            return
        _stacked_steps.solve_stacked(
            *(K, own.rows, own.signs, own.upper, own.bounds, task.xi, task.begun),
            *(task.free_bias, task.limits.tol, _PATIENCE, task.done, span),
        )

    spans = cut(np.diff(own.bounds) ** 2, _SPAN)
    if len(spans) == 1:
        solve(spans[0])
    else:
        parallel_map(solve, spans)


def _set_start(
    begun: NDArray[np.float64],
    source: KernelSource,
    problems: BinaryProblems,
    starts: Starts,
    bias: Bias,
    xi: float,
) -> None:
    """Put gradient and v of all problems where they start."""
    own = [State(source, p, bias, xi, start) for p, start in zip(problems, starts)]
    begun[0] = np.concatenate([state.gradient for state in own])
    begun[1] = np.concatenate([state.v for state in own])


@compiled_reordering
def _score(
    K: NDArray,
    rows: NDArray,
    z: NDArray,
    bounds: NDArray,
    v: NDArray,
    xi: float,
    most: int,
    gradient: NDArray,
    span: tuple[int, int],
) -> None:
    """Gradients z − Kv of a span of problems, of so many support vectors at most."""
    at, weights = np.empty(most, np.int64), np.empty(most)
    for p in range(span[0], span[1]):
        n, sum_v = 0, 0.0
        for i in range(bounds[p], bounds[p + 1]):
            if v[i] != 0:
                at[n], weights[n] = rows[i], v[i]
                n += 1
                sum_v += v[i]
        for i in range(bounds[p], bounds[p + 1]):
            row, total = K[rows[i]], 0.0
            for k in range(n):
                total += row[at[k]] * weights[k]
            gradient[i] = z[i] - total - xi * sum_v


@compiled
def _certify(
    begun: NDArray,
    bounds: NDArray,
    z: NDArray,
    upper: NDArray,
    free_bias: bool,
    xi: float,
    found: NDArray,
) -> None:
    """Primal, dual, gap, bias and violation of each problem."""
    gradient, v = begun[0], begun[1]
    for p in range(len(bounds) - 1):
        first, stop = bounds[p], bounds[p + 1]
        total, n_free, m, M, sum_v = 0.0, 0, -np.inf, np.inf, 0.0
        for i in range(first, stop):
            sum_v += v[i]
            in_up = v[i] < (upper[i] if z[i] > 0 else 0.0)
            in_low = v[i] > (0.0 if z[i] > 0 else -upper[i])
            if in_up and in_low:
                total += gradient[i]
                n_free += 1
            if in_up:
                m = max(m, gradient[i])
            if in_low:
                M = min(M, gradient[i])
        bias = 0.0
        if free_bias and n_free > 0:
            bias = total / n_free
        elif free_bias and np.isfinite(m):
            bias = (m + M) / 2 if np.isfinite(M) else m
        elif free_bias and np.isfinite(M):
            bias = M
        else:  # then both are measured against zero
            m, M = max(m, 0.0), min(M, 0.0)
        quadratic, loss, linear, gap = 0.0, 0.0, 0.0, 0.0
        for i in range(first, stop):
            slack = z[i] * (gradient[i] - bias)
            hinge = upper[i] * max(slack, 0.0)
            quadratic += v[i] * (z[i] - gradient[i])
            linear += v[i] * z[i]
            loss += hinge
            gap += hinge - v[i] * z[i] * slack
        found[0, p], found[1, p] = quadratic / 2 + loss, linear - quadratic / 2
        found[2, p], found[3, p] = gap, bias if free_bias else xi * sum_v
        found[4, p] = max(0.0, m - M)
