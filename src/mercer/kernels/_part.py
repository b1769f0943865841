"""Kernel values between some samples, computed when asked for, none kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._thread_memory import ThreadMemory
from mercer._threads import are_threads_busy, parallel_map
from mercer._validation import Matrix, Rows, as_matrix, is_sparse
from mercer.exceptions import MemoryBudgetError
from mercer.kernels import _evaluate
from mercer.kernels._bases import Base, PreparedSamples, quantize
from mercer.kernels._distance import Gaussian
from mercer.kernels._elementwise import put_diagonal
from mercer.kernels._evaluate import SamplesByBase
from mercer.kernels._kernel import Kernel
from mercer.kernels._rounding import (
    Bound,
    MostOf,
    Products,
    bound_most,
    bound_sums,
    bound_values,
)
from mercer.kernels._rows import RowsOfProblems
from mercer.kernels._sparse import dense_if_faster
from mercer.kernels._stored import (
    Multiply,
    Stored,
    StoredDense,
    centred_samples,
    is_probably_whole,
    store_samples,
)

Visit = Callable[[slice, int, NDArray], None]
_FEW_COLUMNS, _FEW_VALUES = 4096, 100_000  # up to which threads do not pay,
_FEW_PRODUCTS = 2**24  # unless these are more
_MANY_PRODUCTS = 250_000_000  # of all rows, which threads share
_FEW_FEATURES = 128  # above which a product outweighs being asked for
_MOST_ROWS = 1024  # for which memory is kept until the next block
_VISITED = 128  # rows at a time, or up to half as many more
_MIRRORED = 256  # of a square: what is written as columns comes in longer pieces
_FEW_TERMS = 64  # of a dot product, up to which memory is slower
_SMALL_SQUARE = 2**20  # values, up to which threads do not pay
_ALIKE = 256  # columns, of which multiples share lines of a cache
_TILE = 262144  # their values that stay in a core's cache until they are used


def may_fill_rows(kernel: Kernel, X: Matrix) -> bool:
    """Whether a `GramPart` of these samples will fill rows of many problems at once.

    >>> from mercer.kernels import Sigmoid
    >>> X = np.eye(30)
    >>> may_fill_rows(Gaussian(0.1), X), may_fill_rows(Sigmoid(0.1), X)
    (True, False)
    """
    simple = len(kernel.bases) == 1 and kernel.is_semidefinite
    few = not is_sparse(X) and X.shape[1] <= _FEW_FEATURES
    return simple and few and not is_probably_whole(X)


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
    rest = None  # as `Gram` may have one

    def __init__(
        self,
        kernel: Kernel,
        samples: SamplesByBase,
        diagonal: NDArray,
        stored: Stored | None = None,
        memory: ThreadMemory | None = None,
    ) -> None:
        self.kernel = kernel
        self.diagonal = diagonal
        self.n_samples, self.dtype = len(diagonal), diagonal.dtype
        samples = {base: s.in_large_groups() for base, s in samples.items()}
        self._products = Products.of(samples) if samples else None
        self._stored = stored or store_samples(samples)
        self._samples = samples if self._stored is None else {}
        self._memory, self._squares = memory or ThreadMemory(), ThreadMemory()

    @classmethod
    def prepare(cls, kernel: Kernel, X: Any, order: NDArray | None = None) -> GramPart:
        """All samples of X, in this order."""
        X = dense_if_faster(as_matrix(X))
        base = next(iter(kernel.bases)) if len(kernel.bases) == 1 else None
        if base and (quantized := quantize(base, X, order)) is not None:
            samples = {base: PreparedSamples.of_quantized(base, quantized, X[:0])}
        elif base is Base.SQUARED_DISTANCE and not is_sparse(X):
            with np.errstate(over="ignore", invalid="ignore"):
                samples = {base: centred_samples(X, order)}
        else:
            X = X if order is None else X[order]
            return cls(kernel, *_evaluate.prepare_with_diagonal(kernel, X, order=order))
        return cls(kernel, samples, _evaluate.checked_diagonal(kernel, samples, order))

    def bound_rounding(self, dtype: Any = None) -> Bound:
        """How far the values of each row can be off, or products in another type.

        Not of a part of a part: the whole has other, larger samples too.
        """
        dtype, own = (self.dtype, True) if dtype is None else (dtype, False)
        return bound_values(self.kernel, self._multiplied(own), dtype)

    def bound_sums(
        self, rows: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """The same for sums over samples, where more is known of these."""
        products = self._multiplied(own=True)
        return bound_sums(self.kernel, products, self.dtype, rows, weights)

    def _multiplied(self, own: bool) -> Products:
        """How samples are multiplied, or would be in another type than their own."""
        assert self._products is not None
        if own and isinstance(self._stored, StoredDense):
            subtracted = self._stored.takes_differences
            return replace(self._products, subtracted=subtracted)
        return self._products

    def bound_most(self, dtype: Any = None) -> MostOf | None:
        """At least the largest of `bound_rounding`, at once, where that is known."""
        assert self._products is not None
        dtype = self.dtype if dtype is None else dtype
        return bound_most(self.kernel, self._products, dtype)

    @property
    def matrix(self) -> NDArray:
        """Never there."""
        raise MemoryBudgetError("Kernel values on demand are not kept as a matrix.")

    def take(self, rows: Rows) -> GramPart:
        """Some of these samples."""
        if self._are_all(rows):
            return self
        stored = None if self._stored is None else self._stored.take(rows)
        samples = {base: s.take(rows) for base, s in self._samples.items()}
        diagonal = self.diagonal[rows]
        return GramPart(self.kernel, samples, diagonal, stored, self._memory)

    def _are_all(self, rows: Rows) -> bool:
        """Whether these are all samples, in their order."""
        if isinstance(rows, slice):
            return rows == slice(0, self.n_samples)
        last = self.n_samples - 1
        ends = len(rows) == last + 1 and rows[0] == 0 and rows[-1] == last
        return bool(ends and (rows[1:] > rows[:-1]).all())

    @property
    def fills_rows(self) -> bool:
        """Whether products are those of a few floats.

        Not of an indefinite kernel: there the way decides where a solver ends, and
        should be the same with a matrix and without.
        """
        stored = self._stored
        few = isinstance(stored, StoredDense) and stored.n_features <= _FEW_FEATURES
        return few and self.is_semidefinite

    def filler(
        self, rows: NDArray[np.intp], bounds: NDArray[np.int64]
    ) -> RowsOfProblems | None:
        """A function for rows of many problems at once, unless they lie scattered.

        Nor for a single one whose rows are work enough for all threads: these help it
        where it asks for them by itself.
        """
        stored, features = self._stored, 0
        if isinstance(stored, StoredDense) and len(bounds) == 2:
            features = stored.n_features
        if len(rows) ** 2 * features > _MANY_PRODUCTS:
            return None
        return RowsOfProblems.of(self.kernel, stored, self.diagonal, rows, bounds)

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The kernel values between some rows and some columns; `out` receives them."""
        if self._stored is None:
            values = self._in_tiles(rows, columns, out)
        elif columns is rows and self._count(rows) ** 2 > _SMALL_SQUARE:
            return self._square(rows, out)
        else:
            values = self._in_one_go(rows, columns, out)
            if isinstance(columns, slice) and not isinstance(rows, slice):
                first, _, step = columns.indices(self.n_samples)
                if step == 1:
                    put_diagonal(values, rows, first, self.diagonal)
                    return values
        _evaluate.set_diagonal(values, rows, columns, self.diagonal)
        return values

    def _square(self, members: Rows, out: NDArray | None) -> NDArray:
        """The values between samples, some rows at a time, on threads.

        What is left of the diagonal is mirrored.
        """
        own, q, memory = self.take(members), self._count(members), self._squares
        K = np.empty((q, q), self.dtype) if out is None else out

        def fill(first: int) -> None:
            i, j = slice(first, min(first + _MIRRORED, q)), slice(first, q)
            values = memory.array((i.stop - first, q - first), self.dtype)
            own.block(np.arange(first, i.stop), j, values)
            _evaluate.put_symmetric(K, i, j, values)

        parallel_map(fill, range(0, q, _MIRRORED))
        return K

    def _in_one_go(self, rows: Rows, columns: Rows, out: NDArray | None) -> NDArray:
        assert self._stored is not None
        shape = self._count(rows), self._count(columns)
        K = np.empty(shape, self.dtype) if out is None else out
        if K.shape != shape:
            raise ValueError(f"out has shape {K.shape}; the block has {shape}.")
        memory = self._memory if shape[0] <= _MOST_ROWS else ThreadMemory()
        fill = self._filler(self._stored, rows, columns)

        def fill_share(share: tuple[int, int]) -> None:
            # in a core's cache between the two steps
            start, stop = share
            part = memory.array((shape[0], stop - start), self.dtype)
            fill(start, stop, part)
            K[:, start:stop] = part

        if not K.flags.c_contiguous or K.dtype != self.dtype:
            fill_share((0, shape[1]))
        elif len(shares := self._shares(*shape)) == 1 or K.size <= _FEW_VALUES:
            fill(0, shape[1], K)
        else:
            parallel_map(fill_share, shares)
        return K

    @property
    def is_semidefinite(self) -> bool:
        """Whether the kernel is known to be."""
        return self.kernel.is_semidefinite

    @property
    def is_cheap(self) -> bool:
        """Whether values are computed sooner than gathered out of long rows."""
        return self._stored is not None and self._stored.terms <= _FEW_TERMS

    def visit(self, rows: NDArray[np.intp], visit: Visit, first: int = 0) -> None:
        """Call ``visit(which rows, first column, values)`` for tiles of these rows.

        From a first column on. On threads by columns; the values are there for the call
        only.
        """
        height = _height(len(rows))
        chunks = [slice(i, i + height) for i in range(0, len(rows), height)]
        everything, memory = slice(0, self.n_samples), self._memory
        stored = self._stored
        fills = stored and [self._filler(stored, rows[c], everything) for c in chunks]

        def visit_span(span: tuple[int, int]) -> None:
            start, stop = span
            columns = slice(start, stop)
            for k, chunk in enumerate(chunks):
                own = rows[chunk]
                values = memory.array((len(own), stop - start), self.dtype)
                if fills:
                    fills[k](start, stop, values)
                else:
                    self._in_tiles(own, columns, values)
                put_diagonal(values, own, start, self.diagonal)
                visit(chunk, start, values)

        spans = self._shares(height, self.n_samples - first)
        parallel_map(visit_span, [(first + i, first + j) for i, j in spans])

    def _filler(self, stored: Stored, rows: Rows, columns: Rows) -> Multiply:
        """A function for the kernel values of these rows and a span of the columns."""
        gaussian = type(self.kernel) is Gaussian
        if gaussian and isinstance(stored, StoredDense) and stored.takes_products:
            return stored.multiplier(rows, columns, self.kernel)
        base, multiply = stored.base, stored.multiplier(rows, columns)

        def fill(start: int, stop: int, part: NDArray) -> None:
            multiply(start, stop, part)
            values = self.kernel.combine({base: part})
            if values is not part:
                part[:] = values

        return fill

    def _shares(self, n_rows: int, n: int) -> list[tuple[int, int]]:
        """Of n columns so many that their rows stay in a core's cache, equal shares.

        One share, or a multiple of four: two or four threads then have as much to do.
        """
        terms = 1.0 if self._stored is None else self._stored.terms
        tiles = -(-n * min(n_rows, _VISITED) // _TILE)
        few = tiles == 1 or n <= _FEW_COLUMNS
        if few and (n_rows * n * terms <= _FEW_PRODUCTS or are_threads_busy()):
            return [(0, n)]
        width = -(-n // (4 if few else 4 * -(-tiles // 4)))
        width += 0 if width % _ALIKE else 16
        return [(j, min(j + width, n)) for j in range(0, n, width)]

    def _count(self, rows: Rows) -> int:
        return len(range(self.n_samples)[rows] if isinstance(rows, slice) else rows)

    def _in_tiles(self, rows: Rows, columns: Rows, out: NDArray | None) -> NDArray:
        a, b = (
            {base: s.take(some) for base, s in self._samples.items()}
            for some in (rows, columns)
        )
        return _evaluate.evaluate(self.kernel, a, b, out=out)


def _height(n: int) -> int:
    """Of n rows so many at a time, in equal parts."""
    return max(1, -(-n // max(1, round(n / _VISITED))))
