"""Kernel values between two sets, used tile by tile and never stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map, single_threaded_blas
from mercer._validation import Matrix, Rows, as_matrix, is_sparse
from mercer.kernels import _evaluate
from mercer.kernels._kernel import Kernel, check_same_features
from mercer.kernels._stored import byte_floats, prepare_in_float64

VisitTile = Callable[[slice, slice, NDArray], None]
# values are read once and not kept: the speed of the product counts, not the cache
_TILE_ROWS, _TILE_COLUMNS = 512, 2064  # no power of two, as `_evaluate` has it
_FEW = 2**22  # products of two numbers, up to which a tile is faster than threads
_HEIGHT, _WIDTH = 512, 1032  # of tiles in float64 that a core's caches hold
_FEW_VALUES = 2**16  # up to which a tile takes less than to ask for more of them
_DENSE = 2**24  # values of sparse samples that are there as an array at a time


def visit_tiles(kernel: Kernel, X: Any, Y: Any, visit: VisitTile) -> None:
    """Call ``visit(rows, columns, values)`` for every tile of k(X, Y).

    The tiles of the same rows come one after the other, from the first column to the
    last; different rows come on different threads.
    """
    X, Y = as_matrix(X), as_matrix(Y, "Y")
    check_same_features(X.shape[1], Y.shape[1])
    columns = _evaluate.prepare(kernel, Y)
    # sums over many columns hide the rounding of each: speed counts more here
    columns = {base: samples.in_large_groups() for base, samples in columns.items()}
    # at least eight stripes, so that threads share the work evenly
    tile = min(_TILE_ROWS, max(16, X.shape[0] // 8)), _TILE_COLUMNS
    size, memory = _batch_size(X, columns), ThreadMemory()
    for start in range(0, X.shape[0], size):
        numbers = np.arange(start, min(start + size, X.shape[0]))
        batch = X if len(numbers) == X.shape[0] else X[start : start + size]
        rows = _evaluate.prepare(kernel, batch, columns, numbers)

        def visit_stripe(
            tiles: list[tuple[slice, slice]],
            first: int = start,
            rows: _evaluate.SamplesByBase = rows,
        ) -> None:
            for i, j in tiles:
                at = slice(first + i.start, first + i.stop)
                values = _evaluate.tile_values(kernel, rows, columns, i, j, memory)
                visit(at, j, values)

        shape = len(numbers), Y.shape[0]
        if shape[0] * shape[1] * max(16, X.shape[1]) <= _FEW:
            with single_threaded_blas():
                visit_stripe([(slice(0, shape[0]), slice(0, shape[1]))])
        else:
            parallel_map(visit_stripe, _evaluate.stripes(*shape, tile=tile))


def _batch_size(X: Matrix, columns: _evaluate.SamplesByBase) -> int:
    """Samples at a time: sparse ones become arrays where the others are arrays."""
    if not is_sparse(X) or any(is_sparse(own.samples) for own in columns.values()):
        return max(1, X.shape[0])
    return _TILE_ROWS * max(1, _DENSE // (_TILE_ROWS * X.shape[1]))


def kernel_product(
    kernel: Kernel, X: Any, Y: Any, coefficients: NDArray
) -> NDArray[np.float64]:
    """k(X, Y) @ coefficients, with the matrix in between never stored.

    Within a tile sums have the type of the kernel values, between tiles float64.

    >>> from mercer.kernels import Linear
    >>> kernel_product(Linear(), [[1.0], [2.0]], [[3.0], [4.0]], np.ones((2, 1)))
    array([[ 7.],
           [14.]])
    """
    X = as_matrix(X)
    out = np.zeros((X.shape[0], coefficients.shape[1]))
    of_type = {np.dtype(t): coefficients.astype(t) for t in (np.float32, np.float64)}

    def add(i: slice, j: slice, values: NDArray) -> None:
        out[i] += values @ of_type[values.dtype][j]

    visit_tiles(kernel, X, Y, add)
    return out


class KernelSums:
    """Σ_j v_j·k(x_i, x_j) over some samples of one set, for themselves and others.

    Samples are made ready once, and of two that are both summed over, one value serves
    both. v has a number for each sample, or a column for each of several sums.

    >>> from mercer.kernels import Linear
    >>> sums = KernelSums(Linear(), [[1.0], [2.0], [3.0]])
    >>> sums(np.array([0, 2]), np.array([1]), np.array([1.0, -1.0]))
    (array([-2., -6.]), array([-4.]))
    >>> sums.for_others(np.array([0, 2]), np.array([1]), np.array([1.0, -1.0]))
    array([-4.])
    """

    error = 0.0  # of kernel values, beyond their rounding

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self._set(kernel, _evaluate.prepare(kernel, as_matrix(X)))

    def _set(self, kernel: Kernel, samples: _evaluate.SamplesByBase) -> None:
        self._kernel, self._memory = kernel, ThreadMemory()
        self._samples = {base: s.in_large_groups() for base, s in samples.items()}

    @classmethod
    def in_float64(
        cls,
        kernel: Kernel,
        X: Matrix,
        rows: NDArray[np.intp],
        tolerated: float = 0.0,
    ) -> KernelSums:
        """Sums over some rows of X, in this order, as precise as float64 is.

        Or with values that are off by `error` as well, if that is tolerated.
        """
        sums = cls.__new__(cls)
        found = byte_floats(kernel, X, rows, tolerated)
        if found is None:
            sums._set(kernel, prepare_in_float64(kernel, X, rows)[0])
            return sums
        samples, sums.error = found
        sums._set(kernel, {samples.base: samples})
        return sums

    def __call__(
        self, support: NDArray[np.intp], others: NDArray[np.intp], v: NDArray
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The sums over `support` for these samples themselves, and for others."""
        n, own, height = len(support), self._take(support), self._height(support)
        starts, memory = range(0, n, height), self._memory

        def stripe(start: int) -> tuple[NDArray, NDArray]:
            i = slice(start, min(start + height, n))
            right = np.zeros((i.stop - start, *v.shape[1:]))
            below = np.empty((n - i.stop, *v.shape[1:]))
            for first in range(start, n, _WIDTH):
                j = slice(first, min(first + _WIDTH, n))
                values = _evaluate.tile_values(self._kernel, own, own, i, j, memory)
                right += values @ v[j]
                after = max(j.start, i.stop)
                mirrored = values[:, after - j.start :].T @ v[i]
                below[after - i.stop : j.stop - i.stop] = mirrored
            return right, below

        sums = np.zeros(v.shape)
        for start, (right, below) in zip(starts, parallel_map(stripe, starts)):
            sums[start : start + height] += right
            sums[start + height :] += below
        return sums, self.for_others(support, others, v)

    def for_others(
        self, support: NDArray[np.intp], others: NDArray[np.intp], v: NDArray
    ) -> NDArray[np.float64]:
        """The sums over `support` for other samples."""
        own, far = self._take(support), self._take(others)
        n, height, memory = len(support), self._height(support), self._memory

        def stripe(start: int) -> NDArray:
            i = slice(start, min(start + height, len(others)))
            total = np.zeros((i.stop - start, *v.shape[1:]))
            for first in range(0, n, _WIDTH):
                j = slice(first, min(first + _WIDTH, n))
                values = _evaluate.tile_values(self._kernel, far, own, i, j, memory)
                total += values @ v[j]
            return total

        parts = parallel_map(stripe, range(0, len(others), height))
        return np.concatenate([np.zeros((0, *v.shape[1:])), *parts])

    @staticmethod
    def _height(support: NDArray[np.intp]) -> int:
        """Rows at a time."""
        n = max(1, len(support))
        return max(min(max(n // 8, 32), _HEIGHT), _FEW_VALUES // n)

    def _take(self, rows: NDArray[np.intp]) -> _evaluate.SamplesByBase:
        """Some of the samples, copied unless they lie side by side."""
        some: Rows = rows
        if len(rows) and (np.diff(rows) == 1).all():
            some = slice(int(rows[0]), int(rows[-1]) + 1)
        return {base: samples.take(some) for base, samples in self._samples.items()}
