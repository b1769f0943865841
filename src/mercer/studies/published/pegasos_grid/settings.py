"""What report 000 varies: kernels, steps and λ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mercer.kernels import Exponential, Gaussian, Kernel, Polynomial
from mercer.studies.published_numbers import PublishedNumber, printed
from mercer.studies.row import Row, Spread, spread_of

LAMBDAS = (1e-8, 1e-7, 1e-6, 1e-5)
#: Numbers of steps as multiples of the training samples, T.
STOPS = {"T/10": 0.1, "T/2": 0.5, "T": 1.0, "2T": 2.0}
N_FOLDS = 5

Published = Sequence[PublishedNumber]


@dataclass(frozen=True)
class KernelChoice:
    """A kernel, its name in tables, and the published one that it is to answer."""

    title: str
    kernel: Kernel
    published: str = "gauss"


#: γ is 2. The report prints its Gaussian without the square, which cannot have made
#: its table; what "gauss" means here is the printed formula with the square.
KERNELS = {
    "poly1": KernelChoice("polynomial, degree 1", Polynomial(1, 1.0), "poly1"),
    "poly3": KernelChoice("polynomial, degree 3", Polynomial(3, 1.0), "poly3"),
    "poly7": KernelChoice("polynomial, degree 7", Polynomial(7, 1.0), "poly7"),
    "gauss": KernelChoice("Gaussian", Gaussian.from_width(2.0)),
}
READINGS = {
    "gauss": KernelChoice(
        "exp(−‖x−x'‖²/(2γ)), the printed one with the square", Gaussian.from_width(2.0)
    ),
    "gauss-unsquared": KernelChoice(
        "exp(−‖x−x'‖/(2γ)), as printed", Exponential.from_width(2.0)
    ),
    "gauss-square": KernelChoice(
        "exp(−‖x−x'‖²/(2γ²)), γ a standard deviation", Gaussian.from_width(4.0)
    ),
    "gauss-gamma": KernelChoice("exp(−γ‖x−x'‖²), scikit-learn's", Gaussian(2.0)),
}
CHOICES = READINGS | KERNELS


def lambda_name(lam: float) -> str:
    """As tables and figures name it.

    >>> lambda_name(1e-8)
    'λ = 1e-8'
    """
    return f"λ = {lam:.0e}".replace("e-0", "e-")


def ours(
    rows: Sequence[Row], kernel: str, lam: float, measure: str, factor: float = 1.0
) -> Spread | None:
    """Our value of one combination, over the repeats."""
    return spread_of(rows, measure, factor, part="grid", kernel=kernel, lam=lam)


def theirs(
    published: Published, kernel: str, lam: float, measure: str, factor: float = 1.0
) -> float | None:
    """The published value of the same combination."""
    return printed(published, measure, factor, kernel=kernel, lam=lam)
