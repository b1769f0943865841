"""Kernel values between some samples, computed when asked for, none kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map
from mercer._validation import as_matrix, is_sparse
from mercer.exceptions import MemoryBudgetError
from mercer.kernels import _evaluate
from mercer.kernels._bases import Base, Points, whole_numbers
from mercer.kernels._elementwise import to_squared_distances
from mercer.kernels._evaluate import PointsOf
from mercer.kernels._kernel import Kernel
from mercer.kernels._stored import Rows, Stored, StoredWhole, centred_points, stored

_NARROW, _SMALL = 4096, 100_000  # columns, or values, that do not pay for threads
_TALLEST = 1024  # rows for which memory is kept until the next block


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
        laid_out: Stored | StoredWhole | None = None,
        memory: ThreadMemory | None = None,
    ) -> None:
        self.kernel = kernel
        self.diagonal = diagonal
        self.n_samples, self.dtype = len(diagonal), diagonal.dtype
        self._points = {base: p.in_one_group() for base, p in points.items()}
        self._stored = laid_out or stored(self._points)
        if self._stored is not None:  # which has the samples in its own way
            everything = slice(None)
            self._points = {
                base: p.without_samples(everything) for base, p in self._points.items()
            }
        self._memory = memory or ThreadMemory()

    @classmethod
    def prepare(cls, kernel: Kernel, X: Any, order: NDArray | None = None) -> GramPart:
        """All samples of X, in this order."""
        X = as_matrix(X)
        base = next(iter(kernel.bases)) if len(kernel.bases) == 1 else None
        if base and (whole := whole_numbers(base, X, order)) is not None:
            points = {base: Points.of_whole(base, whole, X[:0])}
        elif base is Base.SQUARED_DISTANCE and not is_sparse(X):
            points = {base: centred_points(X, order)}
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
        laid_out = None if self._stored is None else self._stored.take(rows)
        points = {
            base: p.take(rows) if laid_out is None else p.without_samples(rows)
            for base, p in self._points.items()
        }
        diagonal = self.diagonal[rows]
        return GramPart(self.kernel, points, diagonal, laid_out, self._memory)

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The kernel values between some rows and some columns; `out` receives them."""
        if self._stored is None:
            return self._in_tiles(rows, columns, out)
        (points,) = self._points.values()
        norms = points.norms[rows], points.norms[columns]
        shape = len(norms[0]), len(norms[1])
        K = np.empty(shape, self.dtype) if out is None else out
        if K.shape != shape:
            raise ValueError(f"out has shape {K.shape}; the block has {shape}.")
        memory = self._memory if shape[0] <= _TALLEST else ThreadMemory()
        multiply = self._stored.multiplier(rows, columns)

        def fill(start: int, stop: int, part: NDArray) -> None:
            multiply(start, stop, part)
            self._combine(part, norms[0], norms[1][start:stop])

        def fill_share(share: tuple[int, int]) -> None:
            # in a core's cache between the two steps
            start, stop = share
            part = memory.array((shape[0], stop - start), self.dtype)
            fill(start, stop, part)
            K[:, start:stop] = part

        if not K.flags.c_contiguous or K.dtype != self.dtype:
            fill_share((0, shape[1]))
        elif shape[1] <= _NARROW or K.size <= _SMALL:
            fill(0, shape[1], K)
        else:
            parallel_map(fill_share, _shares(shape[1]))
        return K

    def _combine(self, K: NDArray, norms_rows: NDArray, norms_columns: NDArray) -> None:
        """From products to kernel values, in place."""
        (base,) = self._points
        if base is Base.SQUARED_DISTANCE and isinstance(self._stored, Stored):
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


def _shares(n: int) -> list[tuple[int, int]]:
    """At most 2048 columns at a time, equal shares for 2 or 4 threads."""
    width = -(-n // (4 * -(-n // 8192)))
    return [(j, min(j + width, n)) for j in range(0, n, width)]
