"""Polynomial kernels on their dot products, a row made when a learner needs it.

An online learner reads the rows of its mistakes and no others: raising these to a power
while they are read takes less time than a pass over the whole matrix, and no memory.
The values are those of the pass, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
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
        number = self.dtype.type
        count, step = _walk(
            self.dots,
            number(scale),
            number(offset),
            degree,
            *arguments,
            bool(getattr(rule, "zero_is_negative", False)),
            float(getattr(rule, "lam", 0.0)),
        )
        return count, step


@compiled
def _raise_row(
    dots: Any, scale: Any, offset: Any, degree: int, square: Any, row: Any
) -> None:
    for j in range(dots.shape[0]):
        square[j] = scale * dots[j] + offset
        row[j] = row.dtype.type(1)
    left = degree
    while left > 0:
        if left & 1:
            for j in range(dots.shape[0]):
                row[j] *= square[j]
        left >>= 1
        if left > 0:
            for j in range(dots.shape[0]):
                square[j] *= square[j]


@compiled
def _walk(
    dots: Any,
    scale: Any,
    offset: Any,
    degree: int,
    order: Any,
    signs: Any,
    scores: Any,
    step: int,
    samples: Any,
    steps: Any,
    zero_is_negative: bool,
    lam: float,
) -> Any:
    count = 0
    square, row = np.empty_like(dots[0]), np.empty_like(dots[0])
    for t in range(order.shape[0]):
        i = order[t]
        if i < 0 or signs[i] == 0.0:
            continue
        step += 1
        y = signs[i]
        if lam > 0.0:
            wrong = y * (1.0 / (lam * step)) * scores[i] < 1.0
        elif zero_is_negative:
            wrong = (scores[i] > 0.0) != (y > 0.0)
        else:
            wrong = y * scores[i] <= 0.0
        if wrong:
            samples[count] = i
            steps[count] = step
            count += 1
            _raise_row(dots[i], scale, offset, degree, square, row)
            for j in range(scores.shape[0]):
                scores[j] += y * row[j]
    return count, step
