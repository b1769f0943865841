"""The dual of a `BinaryProblem` by SciPy's L-BFGS-B, as the study `svm-decisions` does.

A free bias would add the constraint Σαz = 0, which L-BFGS-B does not know.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from mercer._memory import memory_budget
from mercer._threads import single_threaded_blas
from mercer.exceptions import ParameterError
from mercer.solvers.svm._state import State
from mercer.solvers.svm.problem import Bias, BinaryProblem, KernelSource, Limits
from mercer.solvers.svm.solution import Status, SVMSolution

_ROWS_AT_ONCE = 512


@dataclass(frozen=True)
class LBFGSOptions:
    """When L-BFGS-B ends, by the names of `scipy.optimize.fmin_l_bfgs_b`.

    Parameters
    ----------
    factr : float
        Ends when a step lowers the objective by less than factr·ε; NaN (as there)
        looks at the gradient only.
    pgtol : float
        Ends when no projected gradient is larger.
    maxfun, maxiter : int
        Evaluations and iterations at most.
    m : int
        Steps that are remembered.
    """

    factr: float = math.nan
    pgtol: float = 1e-5
    maxfun: int = 15_000
    maxiter: int = 15_000
    m: int = 10


def solve_lbfgs(
    source: KernelSource,
    problem: BinaryProblem,
    *,
    bias: Bias = "regularized",
    xi: float = 1.0,
    limits: Limits | None = None,
    start: SVMSolution | NDArray | None = None,
    options: LBFGSOptions | None = None,
    budget: int | None = None,
) -> SVMSolution:
    """Solve one binary problem; parameters as for `solve_smo`.

    `limits.tol` says which violation counts as converged; `options` end the iteration.
    """
    began = time.perf_counter()
    limits, options = limits or Limits(), options or LBFGSOptions()
    if bias == "free":
        raise ParameterError(
            "The solver lbfgs has no free bias (L-BFGS-B knows bounds only); "
            "use bias='regularized' or 'none', or solver='smo'."
        )
    state = State(source, problem, bias, xi, start)
    multiply = _product(source, problem, budget)
    z = problem.signs

    def objective(alpha: NDArray) -> tuple[float, NDArray]:
        v = alpha * z
        # in α, of what is minimised: −z times the state's
        gradient = z * (multiply(v) + state.xi * v.sum()) - 1
        return float(alpha @ (gradient - 1)) / 2, gradient

    def look(intermediate_result: OptimizeResult) -> None:
        state.v[:] = intermediate_result.x * z
        state.rounds += 1
        if limits.progress is not None:
            state.gradient[:] = -z * objective(intermediate_result.x)[1]
            state.tell(limits)
        if limits.reached() or 0 <= limits.max_iter <= state.rounds:
            raise StopIteration

    # the products are small: threads would only wait for each other
    with single_threaded_blas():
        result = minimize(
            objective,
            state.v * z,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([np.zeros(len(z)), problem.upper]),
            callback=look,
            options={
                "ftol": options.factr * np.finfo(float).eps,
                "gtol": options.pgtol,
                "maxfun": options.maxfun,
                "maxiter": options.maxiter,
                "maxcor": options.m,
            },
        )
    state.v[:] = np.clip(result.x, 0, problem.upper) * z
    state.gradient[:] = -z * objective(np.abs(state.v))[1]
    state.steps += int(result.nit)
    if not source.in_memory:
        state.rows_computed += len(problem)
    # curvature along the solution: negative only if the kernel is indefinite
    state.min_curvature = state.relative_curvature()
    return state.finish(_status(state, limits, result), began, source.dtype)


def _status(state: State, limits: Limits, result: OptimizeResult) -> Status:
    if state.violation() <= limits.tol:
        return "converged"
    if reason := limits.reached():
        return reason
    # 1: too many iterations or evaluations; 99: ended by the callback
    return "iterations" if result.status in (1, 99) else "stalled"


def _product(
    source: KernelSource, problem: BinaryProblem, budget: int | None
) -> Callable[[NDArray], NDArray]:
    """V ↦ Kv in float64; K is kept where it fits the budget."""
    rows, n = problem.rows, len(problem)
    if 8 * n * n <= memory_budget(budget):
        K = source.block(rows, rows).astype(np.float64)
        return lambda v: K @ v

    def multiply(v: NDArray) -> NDArray:
        parts = (rows[i : i + _ROWS_AT_ONCE] for i in range(0, n, _ROWS_AT_ONCE))
        return np.concatenate(
            [source.block(part, rows).astype(np.float64) @ v for part in parts]
        )

    return multiply
