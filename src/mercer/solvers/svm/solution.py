"""What a solver hands back: coefficients, bias, and a proof of how good they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._storable import storable

Status = Literal["converged", "iterations", "time", "stopped", "stalled", "precision"]


@storable
@dataclass(frozen=True)
class Certificate:
    r"""How good a solution is, in float64.

    .. math::
        \text{dual} &= Σ_i α_i - ½αᵀHα \\
        \text{primal} &= ½‖w‖² + Σ_i C_i \max(0, 1 - z_i s_i)

    The optimum lies between the two; the gap is their difference. It is summed from
    terms that are never negative, so rounding cannot make it so. The violation is
    m(α) − M(α).

    A solver states these of the kernel values that it was given. `KernelSVC` states
    them of the kernel itself: `rounding` bounds how far either objective can be from
    its true value, and is part of the gap. The status is "precision" where kernel
    values are too coarse for the tolerance.
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
    rounding: float = 0.0

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
            rounding=sum(part.rounding for part in parts),
            **_work(parts),
        )

    def after(self, earlier: Certificate) -> Certificate:
        """The same, with the work that had been done on the problem before."""
        return replace(self, **_work([earlier, self]))


def _work(parts: list[Certificate]) -> dict[str, Any]:
    return {
        "seconds": sum(part.seconds for part in parts),
        "iterations": sum(part.iterations for part in parts),
        "rounds": sum(part.rounds for part in parts),
        "rows_computed": sum(part.rows_computed for part in parts),
        "indefinite": any(part.indefinite for part in parts),
    }


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
    gradient : array of float64
        z − (K + ξ)αz, of the dual in αz; with α all that a warm start needs.
    certificate : Certificate
        How good it is.
    """

    alpha: NDArray[np.float64]
    coef: NDArray[np.float64]
    bias: float
    gradient: NDArray[np.float64]
    certificate: Certificate
