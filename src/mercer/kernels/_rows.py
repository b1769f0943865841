"""Kernel rows of many problems at once, each over the columns of its own samples."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer.kernels._bases import Base
from mercer.kernels._kernel import Kernel
from mercer.kernels._narrow import squared_distances
from mercer.kernels._stored import StoredDense

_Pieces = list[tuple[int, int, int, int, int]]
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
        runs, of_problem = _stretches(stored.places(rows), bounds)
        self._runs, self._of = runs.tolist(), of_problem.tolist()

    @classmethod
    def of(cls, *known: Any) -> RowsOfProblems | None:
        """None where the samples lie in many short stretches."""
        made = cls(*known)
        few = len(made._runs) <= 2 * len(made._bounds) + len(made._rows) // _SHORTEST
        return made if few else None

    def __call__(self, wanted: NDArray[np.int64], out: NDArray) -> None:
        """Fill `out` with rows: of each its problem, and its sample among all."""
        stored, rows = self._stored, self._rows[wanted[:, 1]]
        pieces = self._clear_and_cut(wanted[:, 0], out)
        if stored.takes_differences:
            known = stored.samples, stored.places(rows), stored.by_feature
            squared_distances(*known, np.array(pieces), out)
        else:
            own = stored.rows(rows)
            for top, bottom, first, stop, column in pieces:
                b = stored.by_feature[:, first:stop]
                into = out[top:bottom, column : column + stop - first]
                np.matmul(own[top:bottom], b, out=into)
            if stored.base is Base.SQUARED_DISTANCE:
                _to_distances(out, wanted, self._rows, self._bounds, stored.norms)
        values = self._kernel.combine({stored.base: out})
        if values is not out:
            out[:] = values
        places = wanted[:, 1] - self._bounds[wanted[:, 0]]
        out[np.arange(len(out)), places] = self._diagonal[rows]

    def _clear_and_cut(self, problems: NDArray[np.int64], out: NDArray) -> _Pieces:
        """Rows of a problem from and to, a stretch from and to, and its column.

        Beyond its columns, where another problem has more, there are zeros.
        """
        edges = np.flatnonzero(problems[1:] != problems[:-1]) + 1
        pieces = []
        for top, bottom in pairwise([0, *edges.tolist(), len(problems)]):
            p = problems[top]
            for place, first, stop in self._runs[self._of[p] : self._of[p + 1]]:
                pieces.append((top, bottom, first, stop, place))
            out[top:bottom, place + stop - first :] = 0
        return pieces


def _stretches(
    at: NDArray[np.intp], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(place, first, stop) of stretches that count up by one, problem by problem."""
    if len(bounds) == 2 and (at[1:] > at[:-1]).all() and at[-1] - at[0] == len(at) - 1:
        return np.array([[0, at[0], at[-1] + 1]]), np.array([0, 1])
    begins = np.ones(len(at), bool)
    begins[1:] = at[1:] != at[:-1] + 1
    begins[bounds[:-1]] = True
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=len(at))
    of_problem = np.searchsorted(starts, bounds)
    place = starts - np.repeat(bounds[:-1], np.diff(of_problem))
    return np.column_stack([place, at[starts], at[starts] + lengths]), of_problem


@compiled
def _to_distances(
    out: NDArray, wanted: NDArray, rows: NDArray, bounds: NDArray, norms: NDArray
) -> None:
    """Replace x·y by ‖x‖² + ‖y‖² − 2x·y, never below zero."""
    zero, two = out.dtype.type(0), out.dtype.type(2)
    for k in range(len(wanted)):
        row, p = out[k], wanted[k, 0]
        first, n = bounds[p], bounds[p + 1] - bounds[p]
        norm, others = norms[rows[wanted[k, 1]]], rows[first : first + n]
        for j in range(n):
            row[j] = max((norm + norms[others[j]]) - two * row[j], zero)
