"""Values in float64 as two numbers of float32: rounded ones, and what these lack.

Steps of a solver wait for memory, and half as much of it will do for them. What the
rounded values lack is added once, at the end, to what they made of a score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering

if TYPE_CHECKING:
    from mercer.kernels._rounding import Bound

_ROUNDED = 2.0**-24  # of itself, by which a value is off that was rounded to float32
_COMPLETED = 2.0**-48  # and together with what it lacks
_SMALLEST = float(np.finfo(np.float32).tiny)  # below it float32 is off by more


class Rest:
    """What rounding took from the values of a matrix, on its diagonal and above it.

    >>> rest = Rest(2)
    >>> K = np.array([[1.0, 0.1], [0.1, 1.0]])
    >>> rest.round_off(slice(0, 2), slice(0, 2), K)
    >>> float(K[0, 1]), rest.sums(np.arange(2), np.array([0.0, 1.0])).round(12)
    (0.10000000149011612, array([-1.49e-09,  0.00e+00]))
    """

    def __init__(self, n: int, empty: Callable[..., NDArray] = np.empty) -> None:
        self._values = empty((n, n), np.dtype(np.float32))

    def round_off(self, i: slice, j: slice, tile: NDArray[np.float64]) -> None:
        """Round the values of a tile to float32, and take what they lose."""
        _round_off(tile, self._values, i.start, j.start)

    def sums(
        self, rows: NDArray[np.intp], v: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Σ_j v_j·r(x_i, x_j) over some samples, for each of them."""
        order = np.argsort(rows, kind="stable")
        found, stop = np.zeros(len(rows)), np.empty(len(rows), np.intp)
        _add_up(self._values, rows[order], v[order], found, stop)
        return found[np.argsort(order)]

    @staticmethod
    def bound_rounded(fine: Bound) -> Bound:
        """How far rounded values can be off, by how far they were in float64."""
        return _coarser(fine, _ROUNDED)

    @staticmethod
    def bound_completed(fine: Bound) -> Bound:
        """How far they can be off together with what they lack."""
        return _coarser(fine, _COMPLETED)


def _coarser(fine: Bound, unit: float) -> Bound:
    size, error = fine
    return type(fine)(size, error + unit * (size + error) + _SMALLEST)


@compiled
def _round_off(tile: NDArray, rest: NDArray, first: int, start: int) -> None:
    for i in range(tile.shape[0]):
        row, lost = tile[i], rest[first + i, start : start + tile.shape[1]]
        for j in range(len(row)):
            rounded = np.float64(np.float32(row[j]))
            lost[j] = row[j] - rounded
            row[j] = rounded


@compiled_reordering
def _add_up(
    rest: NDArray, rows: NDArray, v: NDArray, found: NDArray, stop: NDArray
) -> None:
    """Each value above the diagonal serves two samples; `rows` count up.

    `stop` receives, for each row, that of the neighbours in the matrix it is among.
    """
    n = len(rows)
    for a in range(n - 1, -1, -1):
        last = a == n - 1 or rows[a + 1] - rows[a] != 1
        stop[a] = a + 1 if last else stop[a + 1]
    for a in range(n):
        row, by, start = rest[rows[a]], v[a], a + 1
        total = by * np.float64(row[rows[a]])
        while start < n:
            end, first = stop[start], rows[start]
            part = row[first : first + end - start]
            own, others = v[start:end], found[start:end]
            for k in range(len(part)):
                value = np.float64(part[k])
                total += value * own[k]
                others[k] += value * by
            start = end
        found[a] += total
