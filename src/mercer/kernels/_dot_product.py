"""Kernels of the dot product x·y."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import ParameterError
from mercer.kernels._bases import Base
from mercer.kernels._elementwise import affine_power
from mercer.kernels._kernel import Constant, Kernel, check_number


@dataclass(frozen=True)
class Linear(Kernel, name="linear"):
    """k(x, y) = x·y.

    >>> Linear()([[1.0, 2.0], [3.0, 4.0]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    bases = frozenset({Base.DOT})

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        return tiles[Base.DOT]


@dataclass(frozen=True)
class Polynomial(Kernel, name="poly", gamma="scale", degree="degree", coef0="offset"):
    """k(x, y) = (scale·x·y + offset)^degree.

    The study `digit-classifiers` writes (x·y)^d: ``Polynomial(d)``; `pegasos-grid`
    (1 + x·y)^d: ``Polynomial(d, offset=1)``; `perceptron-variants` and `svm-decisions`
    (c + x·y)^d: ``Polynomial(d, offset=c)``. With an offset below zero it is not
    positive semidefinite.

    >>> Polynomial(2, offset=1.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    degree: int = 3
    offset: float = 0.0
    scale: float = 1.0
    bases = frozenset({Base.DOT})

    def __post_init__(self) -> None:
        try:
            degree = operator.index(self.degree)
        except TypeError:
            degree = -1
        if degree < 0 or isinstance(self.degree, bool):
            raise ParameterError(
                f"degree is {self.degree!r}; it must be a whole number of at least 0."
            )
        check_number("offset", self.offset)
        check_number("scale", self.scale, at_least=0)

    @property
    def majorant(self) -> Kernel:
        return replace(self, offset=abs(self.offset))

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        tile = tiles[Base.DOT]
        affine_power(tile, self.scale, self.offset, int(self.degree))
        return tile


@dataclass(frozen=True)
class Sigmoid(Kernel, name="sigmoid", gamma="scale", coef0="offset"):
    """k(x, y) = tanh(scale·x·y + offset), which is not positive semidefinite.

    >>> Sigmoid(0.5)([[1.0, 0.0]], [[2.0, 1.0]]).round(4)
    array([[0.7616]])
    """

    scale: float = 1.0
    offset: float = 0.0
    bases = frozenset({Base.DOT})

    def __post_init__(self) -> None:
        check_number("scale", self.scale, at_least=0)
        check_number("offset", self.offset)

    @property
    def majorant(self) -> Kernel:
        return Constant(1.0)

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        tile = tiles[Base.DOT]
        affine_power(tile, self.scale, self.offset, 1)
        return np.tanh(tile, out=tile)


@dataclass(frozen=True)
class Cosine(Kernel, name="cosine"):
    """k(x, y) = x·y / (‖x‖‖y‖); a row of zeros is at right angles to everything.

    >>> Cosine()([[3.0, 4.0]], [[4.0, 3.0]]).round(2)
    array([[0.96]])
    """

    bases = frozenset({Base.COSINE})

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        # rounding may step over the bounds by a bit
        tile = tiles[Base.COSINE]
        return np.clip(tile, -1, 1, out=tile)
