"""Curves through the numbers of samples, and how well they fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import curve_fit

#: Which curve the report fits to each learner.
KINDS = {
    "winnow": "log",
    "perceptron": "linear",
    "least squares": "linear",
    "1-NN": "exponential",
}


@dataclass(frozen=True)
class Fit:
    """a·log n, a·n or a·bⁿ, by least squares.

    r2 is the share of the variance that is explained; from_zero the share of the sum of
    squares, as programs report it for curves without a constant.
    """

    kind: str
    a: float
    b: float | None
    r2: float
    from_zero: float = 0.0

    def at(self, n: Sequence[float]) -> NDArray[np.float64]:
        """The curve's values."""
        return _values(self.kind, np.asarray(n, float), self.a, self.b or 1.0)

    def __str__(self) -> str:
        if self.b is not None:
            shape = f"{self.b:.4g}ⁿ"
        else:
            shape = "log n" if self.kind == "log" else "n"
        return f"{self.a:.4g}·{shape} (R² = {self.r2:.4f})"


def fit(kind: str, n: Sequence[float], m: Sequence[float]) -> Fit:
    """Fit a curve of this kind.

    >>> fit("linear", [1, 2, 3], [2, 4, 6])
    Fit(kind='linear', a=2.0, b=None, r2=1.0, from_zero=1.0)
    """
    x, y = np.asarray(n, float), np.asarray(m, float)
    b = None
    if kind == "exponential":
        slope, offset = np.polyfit(x, np.log(y), 1)
        start = (np.exp(offset), np.exp(slope))
        (a, b), _ = curve_fit(lambda n, a, b: a * b**n, x, y, p0=start, maxfev=10_000)
    else:
        shape = _values(kind, x, 1.0, 1.0)
        a = shape @ y / (shape @ shape)
    residual = ((y - _values(kind, x, a, b or 1.0)) ** 2).sum()
    shares = (1 - residual / ((y - centre) ** 2).sum() for centre in (y.mean(), 0))
    return Fit(kind, float(a), None if b is None else float(b), *map(float, shares))


def _values(kind: str, n: NDArray, a: float, b: float) -> NDArray[np.float64]:
    if kind == "exponential":
        return np.asarray(a * b**n)
    return np.asarray(a * (np.log(n) if kind == "log" else n))
