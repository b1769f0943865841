"""What a solver hands back: coefficients, bias, and a proof of how good they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._storable import storable
from mercer.solvers.svm.problem import BinaryProblem

Status = Literal["converged", "iterations", "time", "stopped", "stalled"]


@storable
@dataclass(frozen=True)
class Certificate:
    r"""How good a solution is, in float64.

    .. math::
        \text{dual} &= Σ_i α_i - ½αᵀHα \\
        \text{primal} &= ½‖w‖² + Σ_i C_i \max(0, 1 - z_i s_i)

    The optimum lies between the two; the gap is their difference. It is summed from
    terms that are never negative, so rounding cannot make it so.
    """

    primal: float
    dual: float
    gap: float
    violation: float
    converged: bool
    status: Status
    seconds: float
    iterations: int
    rounds: int
    rows_computed: int
    indefinite: bool

    @classmethod
    def total(cls, parts: Iterable[Certificate]) -> Certificate:
        """The certificate of several problems together."""
        parts = list(parts)
        failed = [part for part in parts if not part.converged]
        return cls(
            primal=sum(part.primal for part in parts),
            dual=sum(part.dual for part in parts),
            gap=sum(part.gap for part in parts),
            violation=max((part.violation for part in parts), default=0.0),
            converged=not failed,
            status=failed[0].status if failed else "converged",
            seconds=sum(part.seconds for part in parts),
            iterations=sum(part.iterations for part in parts),
            rounds=sum(part.rounds for part in parts),
            rows_computed=sum(part.rows_computed for part in parts),
            indefinite=any(part.indefinite for part in parts),
        )


@dataclass(frozen=True, eq=False)
class SVMSolution:
    """The solution of a binary problem.

    Attributes
    ----------
    alpha : array of float64
        The dual variables, 0 ≤ α ≤ C.
    coef : array of float64
        αz: the score of x is Σ coef_i k(x_i, x) + bias.
    bias : float
        LIBSVM's where it is free, ξΣαz where it is regularized.
    ascent : array of float64
        f = z − (K + ξ)αz, how steeply the dual rises with αz; with α all that a warm
        start needs.
    certificate : Certificate
        How good it is.
    """

    alpha: NDArray[np.float64]
    coef: NDArray[np.float64]
    bias: float
    ascent: NDArray[np.float64]
    certificate: Certificate

    @property
    def support(self) -> NDArray[np.intp]:
        """Where α is not zero."""
        return np.flatnonzero(self.alpha)


def objectives(
    problem: BinaryProblem,
    v: NDArray[np.float64],
    f: NDArray[np.float64],
    bias: float,
) -> tuple[float, float, float]:
    """Primal, dual and gap; `bias` is the free one (0 otherwise: ξ is in f)."""
    primal, dual, gap = _objectives(problem.signs, problem.upper, v, f, bias)
    return primal, dual, gap


@compiled
def _objectives(
    z: NDArray, upper: NDArray, v: NDArray, f: NDArray, bias: float
) -> tuple[float, float, float]:
    quadratic, loss, linear, gap = 0.0, 0.0, 0.0, 0.0
    for i in range(len(z)):
        slack = z[i] * (f[i] - bias)
        hinge = upper[i] * max(slack, 0.0)
        quadratic += v[i] * (z[i] - f[i])
        linear += v[i] * z[i]
        loss += hinge
        gap += hinge - v[i] * z[i] * slack
    return quadratic / 2 + loss, linear - quadratic / 2, gap


@compiled
def libsvm_bias(f: NDArray, v: NDArray, lo: NDArray, hi: NDArray) -> float:
    """The mean of f over the free samples, or the middle of what the bounds allow."""
    total, n_free, top, bottom = 0.0, 0, -np.inf, np.inf
    for i in range(len(f)):
        if lo[i] < v[i] < hi[i]:
            total += f[i]
            n_free += 1
        if v[i] < hi[i]:
            top = max(top, f[i])
        if v[i] > lo[i]:
            bottom = min(bottom, f[i])
    if n_free > 0:
        return total / n_free
    if top > -np.inf and bottom < np.inf:
        return (top + bottom) / 2
    if top > -np.inf:
        return top
    return bottom if bottom < np.inf else 0.0
