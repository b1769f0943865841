"""Kernels of the distance ‖x − y‖."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mercer.kernels._bases import Base
from mercer.kernels._elementwise import (
    exp_scaled,
    gaussian_of_pairs,
    gaussian_of_products,
)
from mercer.kernels._kernel import Kernel, check_number


@dataclass(frozen=True)
class _OfDistance(Kernel):
    """Kernels that fall with the distance, the faster the larger γ is."""

    gamma: float = 1.0
    bases = frozenset({Base.SQUARED_DISTANCE})

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, at_least=0)

    @classmethod
    def from_width(cls, width: float) -> Self:
        """With γ = 1/(2·width), as the studies `pegasos-grid` and `pegasos-gaussian`.

        >>> Gaussian.from_width(2.0)
        Gaussian(gamma=0.25)
        """
        check_number("width", width, above=0)
        return cls(1 / (2 * width))


@dataclass(frozen=True)
class Gaussian(_OfDistance, name="rbf", gamma="gamma"):
    """k(x, y) = exp(−γ‖x − y‖²).

    The studies `digit-classifiers` and `svm-decisions` write it so; `pegasos-grid` and
    `pegasos-gaussian` divide by twice a width: `from_width`.

    >>> Gaussian(0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        tile = tiles[Base.SQUARED_DISTANCE]
        exp_scaled(tile, -self.gamma)
        return tile

    def combine_products(
        self, dots: NDArray, norms_rows: NDArray, norms_columns: NDArray
    ) -> NDArray:
        if type(self) is not Gaussian:  # whose `combine` may be another
            return super().combine_products(dots, norms_rows, norms_columns)
        gaussian_of_products(dots, norms_rows, norms_columns, -self.gamma)
        return dots

    def combine_pairs(
        self, dots: NDArray, norms: NDArray, diagonal: NDArray
    ) -> NDArray:
        if type(self) is not Gaussian or dots.dtype != np.float64:
            return super().combine_pairs(dots, norms, diagonal)
        gaussian_of_pairs(dots, norms, -self.gamma, diagonal)
        return dots


@dataclass(frozen=True)
class Exponential(_OfDistance, name="exponential", gamma="gamma"):
    """k(x, y) = exp(−γ‖x − y‖), the Gaussian without its square.

    The norm is Euclidean: scikit-learn's "laplacian" is another kernel. The study
    `pegasos-grid` has it, by `from_width`, as its publication prints the Gaussian.

    >>> Exponential(0.5)([[0.0, 0.0]], [[3.0, 4.0]]).round(4)
    array([[0.0821]])
    """

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        tile = tiles[Base.SQUARED_DISTANCE]
        np.sqrt(tile, out=tile)
        exp_scaled(tile, -self.gamma)
        return tile
