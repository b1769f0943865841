"""A path of rising C: where the solution of the next is expected.

Between two values of C at which samples reach a bound or leave it, the solution is
linear in C: two solutions tell where the third is. And once no α is at its bound, no
larger C changes anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.solvers.svm import _working_set
from mercer.solvers.svm._state import primal_dual_gap, subtract_products
from mercer.solvers.svm.many import solve_many
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblem,
    KernelSource,
    Limits,
    check_bias,
)
from mercer.solvers.svm.solution import SVMSolution

#: A problem of the path and its solution.
Solved = tuple[BinaryProblem, SVMSolution]
_NEARLY = 1 - 2.0**-50  # of a bound
_PROPORTIONAL = 1e-9  # by how much the ratio of bounds may differ between samples
_SPREAD = 4  # times as many samples take up a sum as could
_LARGE = 2048  # samples, from which on steps cost more than a good start
_FINE = 1e-3  # of its objective: the gap up to which the end of a path is good enough
_FULL = 1e-12  # by how much a sample may lie within its margin
_LOOKED_AT, _OFF = 16, 1e-3  # samples; of the tolerance, how wrong a gradient may be


def solve_next(
    source: KernelSource,
    problems: Sequence[BinaryProblem],
    solved: Sequence[Sequence[Solved] | None],
    *,
    limits: Limits,
    bias: Bias = "free",
    xi: float = 1.0,
    **settings: Any,
) -> list[SVMSolution]:
    """Solve problems whose bounds have grown; `solved` has those before, if any.

    Certificates are of the problems themselves, also where a solution is kept.
    """
    free_bias, own_xi, tol = bias == "free", check_bias(bias, xi), limits.tol
    found: dict[int, SVMSolution] = {}

    def start(k: int) -> SVMSolution | None:
        return _start(source, problems[k], solved[k] or (), free_bias, own_xi, tol)

    def solve(which: Sequence[int], starts: Sequence[Any], tol: float) -> None:
        if not which:
            return
        known: dict[str, Any] = {"limits": replace(limits, tol=tol), "starts": starts}
        known |= {"bias": bias, "xi": xi, **settings}
        solutions = solve_many(source, [problems[k] for k in which], **known)
        for k, solution in zip(which, solutions):
            if k in found and not solution.certificate.converged:
                continue  # a limit was reached on the way to something better
            at_end = _is_end(problems[k], solution)
            found[k] = _end(problems[k], solution, free_bias) if at_end else solution

    for k, before in enumerate(solved):
        if before and _is_end(*before[-1]):
            found[k] = _end(problems[k], before[-1][1], free_bias)
    left = [k for k in range(len(problems)) if k not in found]
    solve(left, parallel_map(start, left), tol)
    stated = ((k, found[k].certificate) for k in found)
    rough = [k for k, one in stated if one.gap > _FINE * abs(one.primal)]
    rough = [k for k in rough if _is_end(problems[k], found[k])]
    solve(rough, [found[k] for k in rough], tol / 2)
    return [found[k] for k in range(len(problems))]


def _start(
    source: KernelSource,
    problem: BinaryProblem,
    solved: Sequence[Solved],
    free_bias: bool,
    xi: float,
    tol: float,
) -> SVMSolution | None:
    """The better of what the last solution and the last two lead to."""
    if not solved:
        return None
    z, start = problem.signs, grown(solved[-1][1], problem)
    if len(solved) == 1 or not source.in_memory or len(problem) < _LARGE:
        return start
    further = extrapolated(source, problem, solved[-2], solved[-1], free_bias, xi, tol)
    if further is None or _dual(z, further) <= _dual(z, start):
        return start
    return further


def grown(solution: SVMSolution, problem: BinaryProblem) -> SVMSolution:
    """A start for larger bounds: α times what raises the dual most, within them.

    Where most of α is at its bound, as among classes that overlap, it grows with C. Of
    the gradient z − (K + ξ)v the part (K + ξ)v grows alike: that takes no kernel value.
    """
    v, z, alpha = solution.coef, problem.signs, solution.alpha
    used = alpha > 0
    products = z - solution.gradient
    linear, quadratic = float(v @ z), float(v @ products)
    most = float((problem.upper[used] / alpha[used]).min(initial=np.inf))
    best = linear / quadratic if quadratic > 0 else 1.0
    factor = min(best, most)
    if not 1 < factor < np.inf:
        return solution
    alpha = _within(factor * alpha, problem.upper)
    return _moved(solution, problem, alpha, z - factor * products)


def extrapolated(
    source: KernelSource,
    problem: BinaryProblem,
    before: Solved,
    last: Solved,
    free_bias: bool,
    xi: float = 0.0,
    tol: float = 1e-3,
) -> SVMSolution | None:
    """A start on the line through two solutions, which is cut off at the bounds.

    None where bounds do not grow alike. Rows of kernel values are needed only of those
    samples that the line leads out of their bounds: the gradient is linear, too.
    """
    (one, first), (two, second) = before, last
    by = _steps_ahead(one.upper, two.upper, problem.upper)
    if by is None:
        return None
    z, upper = problem.signs, problem.upper
    line = second.alpha + by * (second.alpha - first.alpha)
    alpha = _within(line, upper)
    if free_bias and not _balance(alpha, z, upper):
        return None
    gradient = second.gradient + by * (second.gradient - first.gradient)
    off = np.flatnonzero(np.abs(alpha - line) > np.finfo(float).eps * upper)
    change = (alpha - line)[off] * z[off]
    subtract_products(source, problem.rows, off, change, xi, gradient)
    # rounding grows from one line to the next: where it shows, it is put to an end
    looked_at = np.linspace(0, len(z) - 1, min(len(z), _LOOKED_AT)).astype(np.intp)
    rows = problem.rows
    values = source.block(rows[looked_at], rows).astype(np.float64) + xi
    true = z[looked_at] - values @ (alpha * z)
    if np.abs(true - gradient[looked_at]).max() > _OFF * tol:
        gradient, used = z.copy(), np.flatnonzero(alpha)
        subtract_products(source, rows, used, (alpha * z)[used], xi, gradient)
    return _moved(second, problem, alpha, gradient)


def _steps_ahead(
    one: NDArray[np.float64], two: NDArray[np.float64], three: NDArray[np.float64]
) -> float | None:
    """How far the third bounds are from the second, in steps from the first to it."""
    step, next_step = two - one, three - two
    if not ((step > 0) == (three > 0)).all() or not (step > 0).any():
        return None
    ratios = next_step[step > 0] / step[step > 0]
    same = np.ptp(ratios) <= _PROPORTIONAL * abs(ratios[0])
    return float(ratios[0]) if same and ratios[0] > 0 else None


def _within(
    alpha: NDArray[np.float64], upper: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Clipped to the bounds; what rounding keeps from one is no free sample."""
    clipped = np.maximum(alpha, 0.0)
    return np.where(clipped >= _NEARLY * upper, upper, clipped)


def _balance(
    alpha: NDArray[np.float64], z: NDArray[np.float64], upper: NDArray[np.float64]
) -> bool:
    """Change a few free α until Σαz = 0; whether that is possible."""
    for _ in range(3):
        off = float(alpha @ z)
        if off == 0:
            break
        free = (alpha > 0) & (alpha < upper)
        room = np.where(free, np.where(z * off > 0, alpha, upper - alpha), 0.0)
        roomy = np.argsort(-room, kind="stable")
        enough = int(np.searchsorted(np.cumsum(room[roomy]), abs(off))) + 1
        takers = roomy[: min(_SPREAD * enough, int(free.sum()))]
        if not len(takers):
            break
        shares = np.minimum(room[takers], abs(off) / len(takers))
        alpha[takers] -= z[takers] * np.sign(off) * shares
    np.clip(alpha, 0.0, upper, out=alpha)
    return abs(float(alpha @ z)) <= 1e-12 * max(1.0, float(alpha.sum()))


def _moved(
    solution: SVMSolution,
    problem: BinaryProblem,
    alpha: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> SVMSolution:
    coef = alpha * problem.signs
    return replace(solution, alpha=alpha, coef=coef, gradient=gradient)


def _dual(z: NDArray[np.float64], solution: SVMSolution) -> float:
    return float(solution.coef @ (z + solution.gradient)) / 2


def _is_end(problem: BinaryProblem, solution: SVMSolution) -> bool:
    """Whether no α is at its bound, so that larger ones make no difference."""
    known, inside = solution.certificate, (solution.alpha < problem.upper).all()
    return bool(known.converged and not known.indefinite and inside)


def _end(problem: BinaryProblem, solution: SVMSolution, free_bias: bool) -> SVMSolution:
    """The end of a path for these bounds, with as small a gap as it can have.

    Up to the tolerance samples may lie within their margins, and C times as much is
    what the objective loses: too much where C is large. A little more of α leaves none
    there, and the gap of what is left does not depend on C; what it costs is at most as
    much violation once more, on the other side of the margin.
    """
    z, gradient = problem.signs, solution.gradient
    bias = 0.0
    if free_bias:
        bias = float(gradient[z > 0].max() + gradient[z < 0].min()) / 2
    within = float((z * (gradient - bias)).max())
    if abs(within) <= _FULL:
        return solution
    same = _stated(problem, solution, 1.0, bias, free_bias)
    if within >= 1:
        return same
    full = _stated(problem, solution, 1 / (1 - within), bias, free_bias)
    inside = (full.alpha < problem.upper).all()
    return full if inside and full.certificate.gap < same.certificate.gap else same


def _stated(
    problem: BinaryProblem,
    solution: SVMSolution,
    factor: float,
    bias: float,
    free_bias: bool,
) -> SVMSolution:
    """So many times the solution, with a certificate of this problem."""
    z, upper, alpha = problem.signs, problem.upper, factor * solution.alpha
    gradient, bias = z - factor * (z - solution.gradient), factor * bias
    lo, hi = np.where(z > 0, 0.0, -upper), np.where(z > 0, upper, 0.0)
    state = np.stack([gradient, alpha * z, lo, hi])
    m, M = _working_set.extreme_gradients(state, free_bias)
    primal, dual, gap = primal_dual_gap(z, upper, alpha * z, gradient, bias)
    stated = replace(solution.certificate, primal=primal, dual=dual, gap=gap)
    return replace(
        _moved(solution, problem, alpha, gradient),
        bias=bias if free_bias else factor * solution.bias,
        certificate=replace(stated, violation=max(0.0, m - M)),
    )
