"""The certificate of a fitted SVM, in total and for each binary problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer._storable import storable
from mercer.estimators.rounding import UNIT
from mercer.solvers.svm import BinaryProblem, Certificate, SVMSolution


@storable
@dataclass(frozen=True)
class SVMCertificate:
    """How far from the optimum a model can be.

    The optimum of each binary problem lies between `dual` and `primal`, but for their
    rounding, and the model's objective is at most `gap` above it.

    Where `total.indefinite` says that the kernel is not positive semidefinite, there is
    no such bound: the dual has stationary points that are not the optimum. What holds
    then is that the model is one of them, within `total.violation`; `gap` is 0 there.
    """

    total: Certificate
    problems: tuple[Certificate, ...]

    @classmethod
    def of(
        cls,
        problems: Sequence[Certificate],
        seconds: float,
        shared_rows: int,
        indefinite: bool = False,
    ) -> SVMCertificate:
        """Put together from those of the binary problems.

        In total it took `seconds` on the clock, and the problems share a matrix of so
        many kernel rows, each counted once. `indefinite`: whether the kernel is known
        to be so, even if no solver met it.
        """
        if indefinite:
            problems = [replace(problem, indefinite=True) for problem in problems]
        total = Certificate.total(problems)
        rows = total.rows_computed + shared_rows
        return cls(replace(total, seconds=seconds, rows_computed=rows), tuple(problems))

    @property
    def primal(self) -> float:
        """Objective of the model, summed over the binary problems."""
        return self.total.primal

    @property
    def dual(self) -> float:
        """Lower bound of the optimum, summed over the binary problems."""
        return self.total.dual

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.total.gap

    @property
    def converged(self) -> bool:
        """Whether every binary problem reached the tolerance."""
        return self.total.converged

    @property
    def seconds(self) -> float:
        """Seconds that the whole fit took."""
        return self.total.seconds

    @property
    def iterations(self) -> int:
        """Steps of all binary problems."""
        return self.total.iterations

    @property
    def rows_computed(self) -> int:
        """Rows of kernel values computed for all binary problems, shared ones once."""
        return self.total.rows_computed

    def __str__(self) -> str:
        relative = self.gap / max(abs(self.primal), 1e-300)
        how_good = (
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.2g} "
            f"({relative:.1e} of the objective)"
        )
        if self.total.indefinite:
            how_good = (
                f"dual {self.dual:.6g}, stationary within {self.total.violation:.2g} "
                "(the kernel is not positive semidefinite: no bound of the optimum)"
            )
        return (
            f"{how_good}, {'converged' if self.converged else self.total.status} after "
            f"{self.iterations} steps, {self.seconds:.2f} s"
        )


def as_hard_margin(
    problem: BinaryProblem,
    solution: SVMSolution,
    free_bias: bool,
    errors: NDArray[np.float64],
) -> SVMSolution | None:
    """The solution with the certificate of C = ∞; None without a margin.

    Divided by its smallest margin, w makes no mistake. Scores can be off by `errors`.
    """
    stated, z = solution.certificate, problem.signs
    bias = solution.bias if free_bias else 0.0  # else it is in the gradient
    margins = 1 - z * (solution.gradient - bias)
    # a margin far below 1 has lost its last digits to the 1 that it is subtracted from
    errors = errors + 4 * UNIT * (1 + np.abs(solution.gradient) + abs(bias))
    margin, sure = float(margins.min()), float((margins - errors).min())
    if not sure > 0:
        return None
    norm = float(solution.coef @ (z - solution.gradient))
    off = float(solution.alpha @ errors)
    primal, most = norm / 2 / margin**2, (norm + off) / 2 / sure**2
    rounding = most - primal + off / 2
    gap = max(0.0, primal - stated.dual) + rounding
    certificate = replace(stated, primal=primal, gap=gap, rounding=rounding)
    return replace(solution, certificate=certificate)
