"""Polynomial kernels on their dot products, a row made when a learner needs it.

An online learner reads the rows of its mistakes and no others: raising these to a power
while they are read takes less time than a pass over the whole matrix, and no memory.
The values are those of the pass, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import DataError
from mercer.kernels import Base, Kernel, Linear, Polynomial
from mercer.solvers.online import Rule


class PolynomialRows:
    """The Gram of a polynomial kernel, of which only the dot products are there."""

    in_memory = True

    def __init__(self, kernel: Kernel, dots: NDArray) -> None:
        self._kernel, self.dots = kernel, dots
        self.n_samples, self.dtype = len(dots), dots.dtype
        self.diagonal = kernel.combine({Base.DOT: np.diagonal(dots)[None].copy()})[0]
        if not np.isfinite(self.diagonal).all():
            raise DataError(f"{kernel} overflows {dots.dtype}; scale the features.")
        self.power = (1.0, 0.0, 1)
        if isinstance(kernel, Polynomial):
            self.power = (kernel.scale, kernel.offset, int(kernel.degree))

    @staticmethod
    def can_be(kernel: Kernel) -> bool:
        """Whether a kernel is a power of dot products."""
        return type(kernel) in (Linear, Polynomial)

    def block(self, rows: Any, columns: Any) -> NDArray:
        """The kernel values between some rows and some columns."""
        return self._kernel.combine({Base.DOT: self.dots[rows][:, columns].copy()})

    def walk(self, rule: Rule, *arguments: Any) -> tuple[int, int]:
        """Take the steps of one problem, as `Rule.walk` does on a matrix."""
        if self.power == (1.0, 0.0, 1):
            return rule.walk(self.dots, *arguments)
        scale, offset, degree = self.power
        real = self.dtype.type
        return rule.walk_powers(
            self.dots, real(scale), real(offset), degree, *arguments
        )
