"""What a solver hands back: coefficients, bias, and a proof of how good they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._storable import storable
from mercer.solvers.svm.problem import BinaryProblems

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
    them of the kernel itself: `rounding` is how far either objective can be from its
    true value, and what of it can move one without the other is part of the gap. (Where
    many thousand samples are at C, their scores move both alike; by how much is
    measured on some of them, not bounded.) The status is "precision" where kernel
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
    def not_begun(cls, loss: float, status: Status) -> Certificate:
        """Of α = 0 and no bias, where each sample has a loss of 1 times its C."""
        return cls(
            primal=loss,
            dual=0.0,
            gap=loss,
            violation=2.0,  # between gradients of +1 and -1
            converged=False,
            status=status,
            seconds=0.0,
            iterations=0,
            rounds=0,
            rows_computed=0,
            indefinite=False,
        )

    @classmethod
    def converged_ones(cls, **columns: list[Any]) -> list[Certificate]:
        """Of many small problems, from what is known of them column by column."""
        same = {"converged": True, "status": "converged"}
        found = []
        for values in zip(*columns.values()):
            one = object.__new__(cls)  # of thousands, at a tenth of the time
            one.__dict__.update(same)
            one.__dict__.update(zip(columns, values))
            found.append(one)
        return found

    @classmethod
    def total(cls, parts: Iterable[Certificate]) -> Certificate:
        """The certificate of several problems together."""
        distinct = _distinct(parts)
        if [times for _, times in distinct] == [1]:
            return distinct[0][0]
        known = [part for part, _ in distinct]
        failed = [part for part in known if not part.converged]
        return cls(
            primal=sum(part.primal * times for part, times in distinct),
            dual=sum(part.dual * times for part, times in distinct),
            gap=sum(part.gap * times for part, times in distinct),
            violation=max((part.violation for part in known), default=0.0),
            converged=not failed,
            status=failed[0].status if failed else "converged",
            rounding=sum(part.rounding * times for part, times in distinct),
            **_work(known),
        )

    def after(self, earlier: Certificate) -> Certificate:
        """The same, with the work that had been done on the problem before."""
        return replace(self, **_work([earlier, self]))


def _distinct(parts: Iterable[Certificate]) -> list[tuple[Certificate, int]]:
    """Each object, and how often it comes: what was not begun is the same again."""
    parts = list(parts)
    found = {id(part): part for part in parts}
    if len(found) == len(parts):
        return [(part, 1) for part in parts]
    return [(found[key], times) for key, times in Counter(map(id, parts)).items()]


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


class Solutions(Sequence[SVMSolution]):
    """The solutions of many problems, of which those not begun are made when asked for.

    `begun` holds the others by their numbers; why those were not is their `status`.
    """

    def __init__(
        self,
        problems: BinaryProblems,
        begun: Mapping[int, SVMSolution],
        status: Status = "time",
    ) -> None:
        self.begun, self._problems, self._status = begun, problems, status

    @property
    def losses(self) -> NDArray[np.float64]:
        """The sum of all C of each problem."""
        return self._problems.losses

    def with_begun(self, begun: Mapping[int, SVMSolution]) -> Solutions:
        """The same, with other solutions of what was begun."""
        return Solutions(self._problems, begun, self._status)

    def certificates(self) -> list[Certificate]:
        """The certificate of each; equal ones of what was not begun are one object."""
        losses, number = np.unique(self._problems.losses, return_inverse=True)
        known = [Certificate.not_begun(loss, self._status) for loss in losses.tolist()]
        found = [known[k] for k in number.tolist()]
        for p, solution in self.begun.items():
            found[p] = solution.certificate
        return found

    def __len__(self) -> int:
        return len(self._problems)

    def __getitem__(self, number: Any) -> Any:
        solution = self.begun.get(number)
        if solution is not None:
            return solution
        z, loss = self._problems[number].signs, float(self._problems.losses[number])
        alpha = np.zeros(len(z))
        certificate = Certificate.not_begun(loss, self._status)
        return SVMSolution(alpha, alpha, 0.0, z, certificate)

    def __iter__(self) -> Iterator[SVMSolution]:
        return (self[number] for number in range(len(self)))
