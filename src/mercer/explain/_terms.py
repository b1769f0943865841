"""Kernels as sums of terms for which exact Shapley values are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from mercer.exceptions import ParameterError
from mercer.kernels import Constant, Gaussian, Kernel, Linear, Polynomial, Product, Sum


@dataclass(frozen=True)
class GaussianTerm:
    """weight · exp(−γ‖x − y‖²): a product over the features."""

    weight: float
    gamma: float

    def times(self, other: Term) -> Term | None:
        """The product with another term, if it is one."""
        if isinstance(other, GaussianTerm):
            weight, gamma = self.weight * other.weight, self.gamma + other.gamma
            return GaussianTerm(weight, gamma)
        return other.times(self) if self.gamma == 0 else None


@dataclass(frozen=True)
class PolynomialTerm:
    """weight · (scale·x·y + offset)^degree: a power of a sum over the features."""

    weight: float
    degree: int
    offset: float
    scale: float

    def times(self, other: Term) -> Term | None:
        """The product with another term, if it is one."""
        if isinstance(other, GaussianTerm):
            weight = self.weight * other.weight
            by_number = PolynomialTerm(weight, self.degree, self.offset, self.scale)
            return by_number if other.gamma == 0 else None
        if (self.offset, self.scale) != (other.offset, other.scale):
            return None
        degree = self.degree + other.degree
        weight = self.weight * other.weight
        return PolynomialTerm(weight, degree, self.offset, self.scale)


Term = GaussianTerm | PolynomialTerm


def terms_of(kernel: Kernel) -> list[Term]:
    """The terms that add up to a kernel; a sentence where no exact way is known.

    >>> from mercer.kernels import Gaussian, Linear
    >>> terms_of(2.0 * Gaussian(0.5) * Gaussian(0.25))
    [GaussianTerm(weight=2.0, gamma=0.75)]
    """
    # a subclass may have changed the values
    if type(kernel) is Gaussian:
        return [GaussianTerm(1.0, float(kernel.gamma))]
    if type(kernel) is Constant:
        return [GaussianTerm(float(kernel.xi), 0.0)]
    if type(kernel) is Linear:
        return [PolynomialTerm(1.0, 1, 0.0, 1.0)]
    if type(kernel) is Polynomial:
        offset, scale = float(kernel.offset), float(kernel.scale)
        return [PolynomialTerm(1.0, int(kernel.degree), offset, scale)]
    if type(kernel) is Sum:
        return [term for part in kernel.parts for term in terms_of(part)]
    if type(kernel) is Product:
        return reduce(_expand, map(terms_of, kernel.parts))
    raise _unknown(kernel)


def _expand(left: list[Term], right: list[Term]) -> list[Term]:
    products = [one.times(other) for one in left for other in right]
    found = [product for product in products if product is not None]
    if len(found) < len(products):
        raise _unknown("this product of kernels")
    return found


def _unknown(kernel: Kernel | str) -> ParameterError:
    return ParameterError(
        f"No exact way to Shapley values is known for {kernel}; there is one for "
        "Gaussian, linear and polynomial kernels, products of Gaussians, and sums of "
        "these. mercer.explain.support_vectors explains every kernel."
    )
