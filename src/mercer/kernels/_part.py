"""Kernel values between some samples, computed when asked for, none kept."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer._validation import as_matrix, is_sparse
from mercer.exceptions import MemoryBudgetError
from mercer.kernels import _evaluate
from mercer.kernels._bases import Base
from mercer.kernels._elementwise import to_squared_distances
from mercer.kernels._evaluate import PointsOf
from mercer.kernels._kernel import Kernel
from mercer.kernels._stored import Rows, Stored, centred_points

_NARROW, _SMALL = 4096, 100_000  # columns, or values, that do not pay for threads
_ROWS = 16  # turned into kernel values at a time


class GramPart:
    """Blocks of kernel values with as little as possible between them and the product.

    For solvers that ask for many small blocks. Dot products are summed in one go, and
    round like any product of matrices. `Gram.take` gives one for samples of a Gram,
    `GramPart.prepare` one without a Gram.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> part = GramPart.prepare(Gaussian(0.5), [[0.0], [1.0], [2.0]])
    >>> part.block(np.array([0]), slice(0, 3)).round(3)
    array([[1.   , 0.607, 0.135]])
    """

    in_memory = False

    def __init__(
        self,
        kernel: Kernel,
        points: PointsOf,
        diagonal: NDArray,
        stored: Stored | None = None,
    ) -> None:
        self.kernel = kernel
        self.diagonal = diagonal
        self.n_samples, self.dtype = len(diagonal), diagonal.dtype
        self._points = {base: p.in_one_group() for base, p in points.items()}
        self._stored = stored or Stored.of(self._points)

    @classmethod
    def prepare(cls, kernel: Kernel, X: Any, order: NDArray | None = None) -> GramPart:
        """All samples of X, in this order."""
        X = as_matrix(X)
        if kernel.bases == {Base.SQUARED_DISTANCE} and not is_sparse(X):
            points = {Base.SQUARED_DISTANCE: centred_points(X, order)}
        else:
            X = X if order is None else X[order]
            points = dict(_evaluate.prepare(kernel, X))
        return cls(kernel, points, _evaluate.diagonal(kernel, points))

    @property
    def matrix(self) -> NDArray:
        """Never there."""
        raise MemoryBudgetError("Kernel values on demand are not kept as a matrix.")

    def take(self, rows: Rows) -> GramPart:
        """Some of these samples."""
        stored = None if self._stored is None else self._stored.take(rows)
        points = {
            base: p.take(rows) if stored is None else p.without_samples(rows)
            for base, p in self._points.items()
        }
        return GramPart(self.kernel, points, self.diagonal[rows], stored)

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The kernel values between some rows and some columns; `out` receives them."""
        if self._stored is None:
            return self._in_tiles(rows, columns, out)
        (points,) = self._points.values()
        a, pieces = self._stored.factors(rows, columns)
        norms = points.norms[rows], points.norms[columns]
        K = np.empty((len(a), len(norms[1])), self.dtype) if out is None else out

        def multiply(piece: tuple[slice, NDArray]) -> None:
            j, b = piece
            np.matmul(a, b, out=K[:, j])

        def finish(start: int) -> None:
            i = slice(start, start + _ROWS)
            self._combine(K[i], norms[0][i], norms[1])

        if K.shape[1] <= _NARROW or K.size <= _SMALL:
            for piece in pieces:
                multiply(piece)
            self._combine(K, *norms)
        else:
            parallel_map(multiply, chain.from_iterable(map(_shares, pieces)))
            parallel_map(finish, range(0, len(a), _ROWS))
        return K

    def _combine(self, K: NDArray, norms_rows: NDArray, norms_columns: NDArray) -> None:
        """From dot products to kernel values, in place."""
        (base,) = self._points
        if base is Base.SQUARED_DISTANCE:
            to_squared_distances(K, norms_rows, norms_columns)
        values = self.kernel.combine({base: K})
        if values is not K:
            K[:] = values

    def _in_tiles(self, rows: Rows, columns: Rows, out: NDArray | None) -> NDArray:
        a, b = (
            {base: p.take(some) for base, p in self._points.items()}
            for some in (rows, columns)
        )
        return _evaluate.evaluate(self.kernel, a, b, out=out)


def _shares(piece: tuple[slice, NDArray]) -> list[tuple[slice, NDArray]]:
    """At most 2048 columns at a time, equal shares for 2 or 4 threads."""
    place, b = piece
    n = b.shape[1]
    width = -(-n // (4 * -(-n // 8192)))
    return [
        (slice(place.start + j, min(place.start + j + width, place.stop)), b[:, k])
        for j, k in ((j, slice(j, j + width)) for j in range(0, n, width))
    ]
