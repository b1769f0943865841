"""What is said about a fit that is not the optimum, as far as its certificate knows."""

from typing import Any

from mercer.estimators.penalties import HARD_MARGIN
from mercer.solvers.svm import Certificate

_SCALE = (
    " Features of very different sizes make it slow: scale them first, for instance "
    "with sklearn.preprocessing.StandardScaler."
)


def complaints(
    total: Certificate, name: str, kernel: Any, tol: float, separated: bool
) -> list[str]:
    """Of a kernel that is not semidefinite, of classes that overlap, of rounding.

    `kernel` is None where its values were given; `separated`: whether a hard margin
    was found where one was asked for.
    """
    said = []
    known = kernel is not None and not kernel.is_semidefinite
    if total.indefinite and not known:
        said.append(
            "The kernel is not positive semidefinite on these samples: the dual is "
            "not concave, and the certificate holds for a stationary point only."
        )
    if not separated:
        said.append(
            "C is infinite, but the samples cannot be told apart without a mistake "
            f"(by {kernel or 'this kernel'}): the model is that of C={HARD_MARGIN:g}."
        )
    if total.status == "precision":
        said.append(
            f"Rounding of the kernel values keeps {name} from tol={tol:g}: the gap can "
            f"be {total.gap:.3g} of the objective {total.primal:.6g}. "
            "Scale the features, for instance with StandardScaler."
        )
    return said


def describe_limit(total: Certificate, name: str, tol: float) -> str:
    """How far a fit has come that a limit ended."""
    how_far = (
        f"the gap is {total.gap:.3g}, "
        f"{total.gap / max(abs(total.primal), 1e-300):.1e} of the objective "
        f"{total.primal:.6g}"
    )
    if total.indefinite:
        how_far = f"the violation is {total.violation:.2g}"
    return (
        f"{name} ended before tol={tol:g} ({total.status}): {how_far}; the model is "
        f"the best so far.{_SCALE}"
    )
