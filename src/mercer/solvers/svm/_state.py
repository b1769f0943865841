"""Where a solver is, and the solution that comes of it."""

from __future__ import annotations

import time
from copy import copy

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import ParameterError
from mercer.solvers.svm import _gradient, _working_set
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblem,
    KernelSource,
    Limits,
    Snapshot,
    Visit,
    check_bias,
)
from mercer.solvers.svm.solution import Certificate, Status, SVMSolution

_ROWS_AT_ONCE = 256
# v, its gradient and its dual somewhere: the dual elsewhere follows from the gradient
_Known = tuple[NDArray[np.float64] | float, NDArray[np.float64], float]


class State:
    """v = αz within [lo, hi], and the gradient of the dual in v."""

    def __init__(
        self,
        source: KernelSource,
        problem: BinaryProblem,
        bias: Bias,
        xi: float,
        start: SVMSolution | NDArray | None,
    ) -> None:
        """At zero, or at `start` after checking that it is feasible."""
        z, upper = problem.signs, problem.upper
        self.problem = problem
        self.free_bias = bias == "free"
        self.xi = check_bias(bias, xi)
        self.steps = self.rounds = self.rows_computed = 0
        self.min_curvature = np.inf
        # one array, the way the compiled functions take it
        self.arrays = np.zeros((4, len(z)))
        self.gradient, self.v, self.lo, self.hi = self.arrays
        self.gradient[:] = z
        self._known: _Known = 0.0, z, 0.0
        self.lo[z < 0] = -upper[z < 0]
        self.hi[z > 0] = upper[z > 0]
        if isinstance(start, SVMSolution):
            self._start_from(start.alpha)
            self.gradient[:] = start.gradient
        elif start is not None:
            self._start_from(np.asarray(start, np.float64))
            self._subtract_products(source)

    def _start_from(self, alpha: NDArray[np.float64]) -> None:
        upper = self.problem.upper
        if alpha.shape != upper.shape or not ((alpha >= 0) & (alpha <= upper)).all():
            raise ParameterError("The α to start from must lie between 0 and C.")
        self.v[:] = alpha * self.problem.signs
        if self.free_bias and not self.problem.is_balanced(alpha):
            raise ParameterError("The α to start from must satisfy Σαz = 0.")

    def _subtract_products(self, source: KernelSource) -> None:
        rows, support = self.problem.rows, np.flatnonzero(self.v)
        known = self.v[support], self.xi, self.gradient
        subtract_products(source, rows, support, *known)
        self.rows_computed += len(support)

    def part(self, members: NDArray[np.intp]) -> State:
        """Some of the samples, while the others stay where they are."""
        part, whole = copy(self), self.problem
        chosen = whole.rows[members], whole.signs[members], whole.upper[members]
        part.problem = BinaryProblem(*chosen)
        part.arrays = self.arrays.take(members, axis=1)  # unlike [:, members] by rows
        part.gradient, part.v, part.lo, part.hi = part.arrays
        part._known = part.v.copy(), part.gradient.copy(), self.dual()
        part.steps = part.rounds = part.rows_computed = 0
        part.min_curvature = np.inf
        return part

    def count_part(self, part: State) -> None:
        """Note the work that was done on some of the samples, whose rows are short."""
        self.count(part.steps, part.rounds, part.min_curvature)
        self.rows_computed += part.rows_computed * len(part.v) // len(self.v)

    def follower(self, change: NDArray[np.float64]) -> Visit:
        """Takes the products of rows with the change of their v from the gradient."""

        def follow(at: slice, start: int, values: NDArray) -> None:
            _gradient.follow(self.gradient, change[at], start, values)

        return follow

    def count(self, steps: int, rounds: int, min_curvature: float) -> None:
        """Note work that was done."""
        self.steps += steps
        self.rounds += rounds
        self.min_curvature = min(self.min_curvature, min_curvature)

    def is_free(self) -> NDArray[np.bool_]:
        """Which samples are at no bound."""
        return (self.lo < self.v) & (self.v < self.hi)

    def violation(self) -> float:
        """m(α) − M(α), which is 0 (or less) at the optimum."""
        m, M = _working_set.extreme_gradients(self.arrays, self.free_bias)
        return float(m - M)

    def bias(self) -> float:
        """The free bias; 0 where ξ holds it."""
        return _libsvm_bias(*self.arrays) if self.free_bias else 0.0

    def dual(self) -> float:
        """The dual objective."""
        v, gradient, dual = self._known
        return dual + float((self.v - v) @ (gradient + self.gradient)) / 2

    def relative_curvature(self) -> float:
        """αᵀHα in parts of what it is summed from."""
        terms = self.v * (self.problem.signs - self.gradient)
        size = float(np.abs(terms).sum())
        return float(terms.sum()) / size if size > 0 else 0.0

    def tell(self, limits: Limits) -> None:
        """Call the progress callback, if there is one."""
        if limits.progress is not None:
            gap = self._primal_dual_gap(self.bias())[2]
            steps = self.steps or self.rounds
            limits.progress(Snapshot(limits.problem, steps, self.violation(), gap))

    def finish(self, status: Status, began: float, dtype: np.dtype) -> SVMSolution:
        """The solution with its certificate."""
        bias = self.bias()
        primal, dual, gap = self._primal_dual_gap(bias)
        certificate = Certificate(
            primal=primal,
            dual=dual,
            gap=gap,
            violation=max(0.0, self.violation()),
            converged=status == "converged",
            status=status,
            seconds=time.perf_counter() - began,
            iterations=self.steps,
            rounds=self.rounds,
            rows_computed=self.rows_computed,
            # rounding alone can make the curvature so negative
            indefinite=self.min_curvature < -1000 * float(np.finfo(dtype).eps),
        )
        return SVMSolution(
            alpha=np.abs(self.v),
            coef=self.v.copy(),
            bias=bias if self.free_bias else self.xi * float(self.v.sum()),
            gradient=self.gradient.copy(),
            certificate=certificate,
        )

    def _primal_dual_gap(self, bias: float) -> tuple[float, float, float]:
        z, upper = self.problem.signs, self.problem.upper
        return primal_dual_gap(z, upper, self.v, self.gradient, bias)


def subtract_products(
    source: KernelSource,
    rows: NDArray[np.intp],
    members: NDArray[np.intp],
    change: NDArray[np.float64],
    xi: float,
    gradient: NDArray[np.float64],
) -> None:
    """Take (K + ξ)·change of some of the samples in `rows` from the gradient of all."""
    for first in range(0, len(members), _ROWS_AT_ONCE):
        part = slice(first, first + _ROWS_AT_ONCE)
        values = source.block(rows[members[part]], rows)
        _gradient.update_gradient(
            gradient, values, np.arange(len(values)), change[part], (0, len(rows), 0)
        )
    gradient -= xi * change.sum()


def primal_dual_gap(
    z: NDArray[np.float64],
    upper: NDArray[np.float64],
    v: NDArray[np.float64],
    gradient: NDArray[np.float64],
    bias: float,
) -> tuple[float, float, float]:
    """Both objectives and the gap, summed by sample.

    A bias that is not free is in the gradient, and 0 here.
    """
    slack, alpha = z * (gradient - bias), v * z
    hinge = upper * np.maximum(slack, 0.0)
    # not by BLAS, which sums in another order on more threads
    quadratic = float((v * (z - gradient)).sum())
    primal, dual = quadratic / 2 + hinge.sum(), alpha.sum() - quadratic / 2
    return float(primal), float(dual), float((hinge - alpha * slack).sum())


def _libsvm_bias(
    gradient: NDArray[np.float64],
    v: NDArray[np.float64],
    lo: NDArray[np.float64],
    hi: NDArray[np.float64],
) -> float:
    """The mean gradient of free samples, or the middle of what the bounds allow."""
    in_up, in_low = v < hi, v > lo
    free = in_up & in_low
    if free.any():
        return float(gradient[free].mean())
    m = float(gradient[in_up].max(initial=-np.inf))
    M = float(gradient[in_low].min(initial=np.inf))
    if np.isfinite(m) and np.isfinite(M):
        return (m + M) / 2
    if np.isfinite(m):
        return m
    return M if np.isfinite(M) else 0.0
