"""The Gram matrix as one object: in memory when it fits, rows on demand when not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import VARIABLE, format_bytes, memory_budget
from mercer._validation import as_matrix
from mercer.exceptions import DataError, MemoryBudgetError
from mercer.kernels import _evaluate
from mercer.kernels._evaluate import PointsOf
from mercer.kernels._kernel import Kernel, check_same_features
from mercer.kernels._part import GramPart
from mercer.kernels._row_cache import RowCache

Rows = NDArray[np.integer] | slice


class Gram:
    """Kernel values between all pairs of samples.

    The whole matrix is computed once and kept when it fits the budget. Otherwise rows
    are computed when they are asked for, many with one matrix product, and a bounded
    number of them is kept. Threads share one Gram; what it hands out is read-only, and
    a view wherever possible.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array or CSR matrix of shape (n_samples, n_features)
        The samples.
    budget : int, str or None
        Bytes that the Gram may take, such as ``"2GB"``. Default: the environment
        variable ``MERCER_MEMORY_BUDGET``, else half of the memory that is free.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> gram = Gram(Gaussian(0.5), [[0.0], [1.0], [2.0]])
    >>> gram.in_memory, gram.row(0).round(3)
    (True, array([1.   , 0.607, 0.135]))
    """

    def __init__(
        self, kernel: Kernel, X: Any, budget: int | str | float | None = None
    ) -> None:
        X = as_matrix(X)
        points = _evaluate.prepare(kernel, X)
        self.kernel: Kernel | None = kernel
        self.budget = memory_budget(budget)
        self._points, self._n_features = points, X.shape[1]
        self._matrix: NDArray | None = None
        self.diagonal = _read_only(_evaluate.diagonal(kernel, points))
        self.n_samples = len(self.diagonal)
        self.dtype = self.diagonal.dtype
        _check_range(kernel, self.diagonal)
        if self.nbytes <= self.budget:
            self._matrix = _read_only(_evaluate.evaluate_symmetric(kernel, points))
        self._cache = RowCache(self.budget // max(1, self.nbytes // self.n_samples))

    @classmethod
    def from_matrix(cls, K: Any) -> Gram:
        """A Gram around a matrix that is there already; it is not copied."""
        return cls._around(as_matrix(K, "K"))

    @classmethod
    def of_member(cls, kernel: Kernel, K: NDArray) -> Gram:
        """A Gram around the values of a kernel; overflow is found by the diagonal."""
        _check_range(kernel, np.diagonal(K))
        return cls._around(K)

    @classmethod
    def _around(cls, K: Any) -> Gram:
        if not isinstance(K, np.ndarray) or K.shape[0] != K.shape[1]:
            raise DataError(
                f"A precomputed kernel must be a dense square matrix, got {K.shape}."
            )
        gram = cls.__new__(cls)
        gram.kernel, gram.budget, gram._points = None, K.nbytes, {}
        gram._matrix, gram.diagonal = _read_only(K), _read_only(np.diagonal(K))
        gram.n_samples, gram.dtype = len(K), K.dtype
        gram._cache = RowCache(0)
        return gram

    def __len__(self) -> int:
        return self.n_samples

    @property
    def nbytes(self) -> int:
        """What the whole matrix takes, whether it is there or not."""
        return self.n_samples**2 * self.dtype.itemsize

    @property
    def in_memory(self) -> bool:
        """Whether the whole matrix has been computed."""
        return self._matrix is not None

    @property
    def rows_computed(self) -> int:
        """Rows of kernel values computed so far."""
        return self.n_samples if self.in_memory else self._cache.misses

    @property
    def matrix(self) -> NDArray:
        """The whole matrix; an error when it is over budget."""
        if self._matrix is None:
            raise MemoryBudgetError(
                f"The Gram of {self.n_samples} samples needs "
                f"{format_bytes(self.nbytes)} and the budget is "
                f"{format_bytes(self.budget)}; raise the budget (the budget argument, "
                f"or {VARIABLE}), use float32, use fewer samples, or ask for rows."
            )
        return self._matrix

    def row(self, i: int) -> NDArray:
        """k(x_i, ·); the matrix is symmetric, so it is column i as well."""
        if self._matrix is not None:
            return self._matrix[i]
        return self._fetch(np.array([range(self.n_samples)[i]]))[0]

    column = row

    def rows(self, indices: Rows) -> NDArray:
        """Several rows, one below the other; a view where it can be."""
        if self._matrix is not None:
            return self._matrix[indices]
        return np.stack(self._fetch(self._numbers(indices)))

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The kernel values between some rows and some columns; `out` receives them."""
        if self._matrix is not None:
            if isinstance(rows, slice) or isinstance(columns, slice):
                values = self._matrix[rows][:, columns]
            else:
                values = self._matrix[np.ix_(rows, columns)]
            if out is None:
                return values
            out[:] = values
            return out
        points = (self._take(rows), self._take(columns))
        return _evaluate.evaluate(self._need_kernel(), *points, out=out)

    def take(self, rows: Rows) -> Gram | GramPart:
        """The values between some of the samples: in memory if these are, else not."""
        if self._matrix is not None:
            return Gram.from_matrix(self.block(rows, rows))
        return GramPart(self._need_kernel(), self._take(rows), self.diagonal[rows])

    def blocks(self, size: int | None = None) -> Iterator[tuple[slice, NDArray]]:
        """All rows in order, `size` at a time, without keeping them."""
        if size is None:
            room = self.budget // (4 * self.dtype.itemsize * self.n_samples)
            size = int(np.clip(room, 1, 1024))
        for start in range(0, self.n_samples, size):
            rows = slice(start, min(start + size, self.n_samples))
            yield rows, self.block(rows, slice(0, self.n_samples))

    def cross(self, X: Any) -> NDArray:
        """Kernel values between new samples (rows) and those of the Gram (columns)."""
        kernel, X = self._need_kernel(), as_matrix(X)
        check_same_features(X.shape[1], self._n_features)
        return _evaluate.evaluate(
            kernel, _evaluate.prepare(kernel, X, self._points), self._points
        )

    def _need_kernel(self) -> Kernel:
        if self.kernel is None:
            raise DataError("A Gram made from a matrix knows no kernel and no samples.")
        return self.kernel

    def _numbers(self, indices: Rows) -> NDArray[np.integer]:
        return np.arange(self.n_samples)[indices]

    def _take(self, indices: Rows) -> PointsOf:
        return {base: points.take(indices) for base, points in self._points.items()}

    def _fetch(self, indices: NDArray[np.integer]) -> list[NDArray]:
        def compute(missing: NDArray[np.integer]) -> NDArray:
            return self.block(missing, slice(0, self.n_samples))

        return self._cache.get(indices, compute)


def _read_only(array: NDArray) -> NDArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _check_range(kernel: Kernel, diagonal: NDArray) -> None:
    # |k(x, y)| ≤ √(k(x, x)·k(y, y)): a finite diagonal means a finite matrix
    if not np.isfinite(diagonal).all():
        row = int(np.flatnonzero(~np.isfinite(diagonal))[0])
        raise DataError(
            f"{kernel} overflows {diagonal.dtype} at sample {row}; scale the features "
            "(divide by their largest value), use a lower degree, or use float64."
        )
