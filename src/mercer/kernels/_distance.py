"""Kernels of the distance ‖x − y‖."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.kernels._bases import Base
from mercer.kernels._elementwise import exp_scaled
from mercer.kernels._kernel import Kernel, check_number


@dataclass(frozen=True)
class Gaussian(Kernel, name="rbf", gamma="gamma"):
    """k(x, y) = exp(−γ‖x − y‖²).

    The studies `digit-classifiers` and `svm-decisions` write it so; `pegasos-grid` and
    `pegasos-gaussian` divide by twice a width: `from_width`.

    >>> Gaussian(0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float = 1.0
    bases = frozenset({Base.SQUARED_DISTANCE})

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, at_least=0)

    @classmethod
    def from_width(cls, width: float) -> Gaussian:
        """exp(−‖x − y‖²/(2·width)), as the studies `pegasos-…` write it.

        >>> Gaussian.from_width(2.0)
        Gaussian(gamma=0.25)
        """
        check_number("width", width, above=0)
        return cls(1 / (2 * width))

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        tile = tiles[Base.SQUARED_DISTANCE]
        exp_scaled(tile, -self.gamma)
        return tile


@dataclass(frozen=True)
class Exponential(Kernel, name="exponential", gamma="gamma"):
    """k(x, y) = exp(−γ‖x − y‖), the Gaussian without its square.

    The norm is Euclidean: scikit-learn's "laplacian" is another kernel.

    >>> Exponential(0.5)([[0.0, 0.0]], [[3.0, 4.0]]).round(4)
    array([[0.0821]])
    """

    gamma: float = 1.0
    bases = frozenset({Base.SQUARED_DISTANCE})

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, at_least=0)

    @classmethod
    def from_width(cls, width: float) -> Exponential:
        """exp(−‖x − y‖/(2·width)), as `pegasos-grid` prints its Gaussian.

        >>> Exponential.from_width(2.0)
        Exponential(gamma=0.25)
        """
        check_number("width", width, above=0)
        return cls(1 / (2 * width))

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        tile = tiles[Base.SQUARED_DISTANCE]
        np.sqrt(tile, out=tile)
        exp_scaled(tile, -self.gamma)
        return tile
