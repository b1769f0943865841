"""Kernel values between some samples, computed when asked for, none kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer._validation import Matrix, as_matrix, is_sparse
from mercer.exceptions import MemoryBudgetError
from mercer.kernels import _evaluate
from mercer.kernels._bases import Base, Points, squared_norms
from mercer.kernels._elementwise import to_squared_distances
from mercer.kernels._evaluate import PointsOf
from mercer.kernels._kernel import Kernel

Rows = NDArray[np.integer] | slice
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

    def __init__(self, kernel: Kernel, points: PointsOf, diagonal: NDArray) -> None:
        self.kernel = kernel
        self.diagonal = diagonal
        self.n_samples, self.dtype = len(diagonal), diagonal.dtype
        self._points = {base: p.in_one_group() for base, p in points.items()}
        dense = not any(is_sparse(p.samples) for p in self._points.values())
        self._direct = dense and len(self._points) == 1

    @classmethod
    def prepare(cls, kernel: Kernel, X: Any, order: NDArray | None = None) -> GramPart:
        """All samples of X, in this order."""
        X = as_matrix(X)
        if order is not None:
            X = X[order]
        if kernel.bases == {Base.SQUARED_DISTANCE} and not is_sparse(X):
            points = {Base.SQUARED_DISTANCE: _centred(X, own=order is not None)}
        else:
            points = dict(_evaluate.prepare(kernel, X))
        return cls(kernel, points, _evaluate.diagonal(kernel, points))

    @property
    def matrix(self) -> NDArray:
        """Never there."""
        raise MemoryBudgetError("Kernel values on demand are not kept as a matrix.")

    def take(self, rows: Rows) -> GramPart:
        """Some of these samples."""
        points = {base: p.take(rows) for base, p in self._points.items()}
        return GramPart(self.kernel, points, self.diagonal[rows])

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The kernel values between some rows and some columns; `out` receives them."""
        if not self._direct:
            return self._in_tiles(rows, columns, out)
        (points,) = self._points.values()
        X = points.samples
        a = X[rows]
        b = a if columns is rows else X[columns]
        K = np.empty((len(a), len(b)), self.dtype) if out is None else out
        norms = points.norms[rows], points.norms[columns]

        def multiply(start: int) -> None:
            j = slice(start, start + width)
            np.matmul(a, b[j].T, out=K[:, j])

        def finish(start: int) -> None:
            i = slice(start, start + _ROWS)
            self._combine(K[i], norms[0][i], norms[1])

        if len(b) <= _NARROW or K.size <= _SMALL:
            np.matmul(a, b.T, out=K)
            self._combine(K, *norms)
        else:
            width = _share(len(b))
            parallel_map(multiply, range(0, len(b), width))
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


def _share(columns: int) -> int:
    """Columns to multiply at a time: at most 2048, equal shares for 2 or 4 threads."""
    return -(-columns // (4 * -(-columns // 8192)))


def _centred(X: Matrix, own: bool) -> Points:
    centre = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    X = np.subtract(X, centre, out=X if own else None)
    norms = squared_norms(X)
    return Points(Base.SQUARED_DISTANCE, X, np.zeros_like(norms), norms, centre)
