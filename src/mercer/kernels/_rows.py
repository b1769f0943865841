"""Kernel rows of many problems at once, each over the columns of its own samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer.kernels._bases import Base
from mercer.kernels._kernel import Kernel
from mercer.kernels._narrow import rows_of_distances
from mercer.kernels._stored import StoredDense

_SHORTEST = 64  # stretch of neighbouring samples on average


class RowsOfProblems:
    """Rows of problems whose samples lie in few stretches of stored ones.

    Problem p has the samples ``rows[bounds[p] : bounds[p + 1]]``.
    """

    def __init__(
        self,
        kernel: Kernel,
        stored: StoredDense,
        diagonal: NDArray,
        rows: NDArray[np.intp],
        bounds: NDArray[np.int64],
    ) -> None:
        self._kernel, self._stored, self._diagonal = kernel, stored, diagonal
        self._rows, self._bounds = rows, bounds
        self._runs, self._of_problem = _stretches(stored.places(rows), bounds)

    @classmethod
    def of(cls, *known: Any) -> RowsOfProblems | None:
        """None where the samples lie in many short stretches."""
        made = cls(*known)
        few = len(made._runs) <= 2 * len(made._bounds) + len(made._rows) // _SHORTEST
        return made if few else None

    def __call__(self, wanted: NDArray[np.int64], out: NDArray) -> None:
        """Fill `out` with rows: of each its problem, and its sample among all."""
        if self._stored.takes_differences:
            stored, at = self._stored, self._stored.places(self._rows[wanted[:, 1]])
            known = wanted, self._runs, self._of_problem, out
            rows_of_distances(stored.samples, at, stored.by_feature, *known)
        else:
            self._multiply(wanted, out)
        values = self._kernel.combine({self._stored.base: out})
        if values is not out:
            out[:] = values
        _set_diagonal(out, wanted, self._rows, self._bounds, self._diagonal)

    def _multiply(self, wanted: NDArray[np.int64], out: NDArray) -> None:
        problems, known = wanted[:, 0], (self._rows, self._bounds, self._stored.norms)
        edges = np.flatnonzero(problems[1:] != problems[:-1]) + 1
        starts = [0, *edges.tolist()]
        own, b = self._stored.rows(self._rows[wanted[:, 1]]), self._stored.by_feature
        for start, stop in zip(starts, [*starts[1:], len(wanted)]):
            p = problems[start]
            first, last = self._of_problem[p : p + 2].tolist()
            for place, i, j in self._runs[first:last].tolist():
                into = out[start:stop, place : place + j - i]
                np.matmul(own[start:stop], b[:, i:j], out=into)
        _finish(out, wanted, *known, self._stored.base is Base.SQUARED_DISTANCE)


@compiled
def _stretches(at: NDArray, bounds: NDArray) -> tuple[NDArray, NDArray]:
    """(place, first, stop) of stretches that count up by one, problem by problem."""
    count = len(bounds) - 1
    for i in range(1, len(at)):
        count += at[i] != at[i - 1] + 1
    runs, of_problem = np.empty((count, 3), np.int64), np.zeros_like(bounds)
    n = 0
    for p in range(len(bounds) - 1):
        for i in range(bounds[p], bounds[p + 1]):
            if i == bounds[p] or at[i] != at[i - 1] + 1:
                runs[n, 0], runs[n, 1] = i - bounds[p], at[i]
                n += 1
            runs[n - 1, 2] = at[i] + 1
        of_problem[p + 1] = n
    return runs[:n], of_problem


@compiled
def _finish(
    out: NDArray,
    wanted: NDArray,
    rows: NDArray,
    bounds: NDArray,
    norms: NDArray,
    distances: bool,
) -> None:
    """Zeros beyond the columns of a row; of dot products distances, if these count."""
    zero, two = out.dtype.type(0), out.dtype.type(2)
    for k in range(len(wanted)):
        row, p = out[k], wanted[k, 0]
        first, n = bounds[p], bounds[p + 1] - bounds[p]
        norm, others = norms[rows[wanted[k, 1]]], rows[first : first + n]
        if distances:
            for j in range(n):
                row[j] = max((norm + norms[others[j]]) - two * row[j], zero)
        for j in range(n, len(row)):
            row[j] = zero


@compiled
def _set_diagonal(
    out: NDArray, wanted: NDArray, rows: NDArray, bounds: NDArray, diagonal: NDArray
) -> None:
    for k in range(len(wanted)):
        p, at = wanted[k, 0], wanted[k, 1]
        out[k, at - bounds[p]] = diagonal[rows[at]]
