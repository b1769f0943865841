"""Where a solver is, and the solution that comes of it."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import ParameterError
from mercer.solvers.svm import _steps
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblem,
    KernelSource,
    Progress,
    check_bias,
)
from mercer.solvers.svm.solution import (
    Certificate,
    Status,
    SVMSolution,
    libsvm_bias,
    objectives,
)

_ROWS = 256


class State:
    """v = αz within [lo, hi], and f, how steeply the dual rises with v."""

    def __init__(self, problem: BinaryProblem, bias: Bias, xi: float) -> None:
        z, upper = problem.signs, problem.upper
        self.problem = problem
        self.free_bias = bias == "free"
        self.xi = check_bias(bias, xi)
        self.steps = self.rounds = self.rows_computed = 0
        self.flattest = np.inf
        # one array, the way the compiled functions take it
        self.rows = np.zeros((4, len(z)))
        self.f, self.v, self.lo, self.hi = self.rows
        self.f[:] = z
        self.lo[z < 0] = -upper[z < 0]
        self.hi[z > 0] = upper[z > 0]

    @classmethod
    def begin(
        cls,
        source: KernelSource,
        problem: BinaryProblem,
        bias: Bias,
        xi: float,
        start: SVMSolution | NDArray | None,
    ) -> State:
        """At zero, or at `start` after checking that it is feasible."""
        state = cls(problem, bias, xi)
        if start is None:
            return state
        alpha = start.alpha if isinstance(start, SVMSolution) else start
        alpha = np.asarray(alpha, np.float64)
        upper = problem.upper
        if alpha.shape != upper.shape or not ((alpha >= 0) & (alpha <= upper)).all():
            raise ParameterError("The α to start from must lie between 0 and C.")
        state.v[:] = alpha * problem.signs
        if state.free_bias and abs(state.v.sum()) > 1e-9 * max(1.0, alpha.sum()):
            raise ParameterError("The α to start from must satisfy Σαz = 0.")
        if isinstance(start, SVMSolution):
            state.f[:] = start.ascent
        else:
            state._subtract_all_rows(source)
        return state

    def _subtract_all_rows(self, source: KernelSource) -> None:
        rows, at = self.problem.rows, np.flatnonzero(self.v)
        for first in range(0, len(at), _ROWS):
            part = at[first : first + _ROWS]
            self.f -= self.v[part] @ source.block(rows[part], rows).astype(np.float64)
        self.f -= self.xi * self.v.sum()
        self.rows_computed += len(at)

    def count(self, steps: int, rounds: int, flattest: float) -> None:
        """Note work that was done."""
        self.steps += steps
        self.rounds += rounds
        self.flattest = min(self.flattest, flattest)

    def violation(self) -> float:
        """m(α) − M(α), which is 0 (or less) at the optimum."""
        top, bottom = _steps.extremes(self.rows, self.free_bias)
        return float(top - bottom)

    def bias(self) -> float:
        """The free bias; 0 where ξ holds it."""
        if not self.free_bias:
            return 0.0
        return float(libsvm_bias(self.f, self.v, self.lo, self.hi))

    def dual(self) -> float:
        """The dual objective."""
        return float(self.v @ (self.problem.signs + self.f)) / 2

    def curvature(self) -> float:
        """αᵀHα in parts of what it is summed from."""
        terms = self.v * (self.problem.signs - self.f)
        size = float(np.abs(terms).sum())
        return float(terms.sum()) / size if size > 0 else 0.0

    def progress(self, number: int) -> Progress:
        """What a progress callback is told."""
        gap = objectives(self.problem, self.v, self.f, self.bias())[2]
        return Progress(number, self.steps or self.rounds, self.violation(), gap)

    def finish(self, status: Status, began: float, dtype: np.dtype) -> SVMSolution:
        """The solution with its certificate."""
        bias = self.bias()
        primal, dual, gap = objectives(self.problem, self.v, self.f, bias)
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
            # rounding alone can bend a kernel by this much
            indefinite=self.flattest < -1000 * float(np.finfo(dtype).eps),
        )
        return SVMSolution(
            alpha=np.abs(self.v),
            coef=self.v.copy(),
            bias=bias if self.free_bias else self.xi * float(self.v.sum()),
            ascent=self.f.copy(),
            certificate=certificate,
        )
