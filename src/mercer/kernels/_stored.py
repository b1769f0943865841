"""Samples laid out for products of a few of them with all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_reordering
from mercer._threads import parallel_map
from mercer._validation import Matrix, Rows, as_matrix, is_sparse
from mercer.kernels import _evaluate
from mercer.kernels._bases import (
    Base,
    PreparedSamples,
    add_groups,
    centre_of,
    features_in_use,
    group_of_wide,
)
from mercer.kernels._byte_floats import ByteFloats
from mercer.kernels._distance import Gaussian
from mercer.kernels._elementwise import to_squared_distances, transpose
from mercer.kernels._evaluate import SamplesByBase
from mercer.kernels._kernel import Kernel
from mercer.kernels._narrow import MOST_FEATURES, squared_distances
from mercer.kernels._quantized import (
    QuantizedSamples,
    few_values,
    may_be_quantized,
    stretches,
)
from mercer.kernels._sparse import Lists

Multiply = Callable[[int, int, NDArray], None]
_Runs = list[tuple[int, int, int]]  # (place, first, stop) of stretches
_MOST_STRETCHES = 4  # of neighbouring samples that are multiplied one by one
_FEW_VALUES = 2**15  # of samples, which are copied at once
_ENOUGH, _FEWEST = 2**18, 64  # values and samples to find their centre by
_BLOCK, _VALUES = 1024, 2**17  # samples, and values, copied at a time


class StoredDense:
    """Dense samples, stored twice: as rows to gather from, as columns to multiply with.

    A product with few rows spends much of its time on rearranging the other factor;
    least when that is stored by features.
    """

    def __init__(
        self,
        base: Base,
        samples: NDArray,
        norms: NDArray,
        by_feature: NDArray | None = None,
        at: NDArray[np.intp] | None = None,
    ) -> None:
        self.base, self.norms = base, norms  # of the samples that take part
        if by_feature is None:
            samples = np.ascontiguousarray(samples)
            by_feature = _transposed(samples)
        self.samples, self.by_feature = samples, by_feature
        all_of_them = np.arange(len(samples))
        self._at = all_of_them if at is None else at  # those that take part
        self._stretches = [(0, 0, len(samples))] if at is None else stretches(at)

    def take(self, rows: Rows) -> StoredDense:
        """Some of them; a copy if they lie in many places."""
        at, norms = self._at[rows], self.norms[rows]
        if np.count_nonzero(np.diff(at) != 1) < _MOST_STRETCHES:
            return StoredDense(self.base, self.samples, norms, self.by_feature, at)
        return StoredDense(self.base, self.samples[at], norms)

    @property
    def n_features(self) -> int:
        """How many numbers a sample has."""
        return len(self.by_feature)

    @property
    def terms(self) -> float:
        """How many products a value is summed from."""
        return self.n_features

    def places(self, rows: Rows) -> NDArray[np.intp]:
        """Where these samples are among the columns of `by_feature`."""
        places: NDArray[np.intp] = self._at[rows]
        return places

    def rows(self, rows: Rows) -> NDArray:
        """Some samples."""
        own: NDArray = self.samples[self._at[rows]]
        return own

    @property
    def group(self) -> int:
        """Features whose products are summed at a time."""
        return group_of_wide(self.n_features, self.samples.dtype)

    @property
    def takes_differences(self) -> bool:
        """Whether distances come from differences, and not from a product."""
        return self.base is Base.SQUARED_DISTANCE and self.n_features <= MOST_FEATURES

    @property
    def takes_products(self) -> bool:
        """Whether they come from a product."""
        return self.base is Base.SQUARED_DISTANCE and not self.takes_differences

    def multiplier(
        self, rows: Rows, columns: Rows, kernel: Kernel | None = None
    ) -> Multiply:
        """A function for the base matrix of these rows and a span of the columns.

        Or for values of a kernel of the distance, where that `takes_products`.
        """
        by_feature = self.by_feature
        if isinstance(columns, slice):
            all_ = columns == slice(0, len(self._at))
            runs = self._stretches if all_ else stretches(self._at[columns])
        else:
            by_feature = self.rows(columns).T
            runs = [(0, 0, by_feature.shape[1])]
        if self.takes_differences:
            return self._subtractor(rows, np.ascontiguousarray(by_feature), runs)
        a, norms = self.rows(rows), (self.norms[rows], self.norms[columns])
        width = self.group

        def multiply(start: int, stop: int, out: NDArray) -> None:
            for first, last, at in _within(runs, start, stop):
                b = by_feature[:, at : at + last - first]
                part = out[:, first - start : last - start]
                np.matmul(a[:, :width], b[:width], out=part)
                add_groups(a, b, width, part)
            if kernel is not None:
                kernel.combine_products(out, norms[0], norms[1][start:stop])
            elif self.base is Base.SQUARED_DISTANCE:
                to_squared_distances(out, norms[0], norms[1][start:stop])

        return multiply

    def _subtractor(self, rows: Rows, by_feature: NDArray, runs: _Runs) -> Multiply:
        samples, own = self.samples, self.places(rows)

        def subtract(start: int, stop: int, out: NDArray) -> None:
            pieces = [
                (0, len(own), at, at + last - first, first - start)
                for first, last, at in _within(runs, start, stop)
            ]
            squared_distances(samples, own, by_feature, np.array(pieces), out)

        return subtract


def _within(runs: _Runs, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Columns from start to stop: (first, last, where the first is) of stretches."""
    for place, begin, end in runs:
        first, last = max(start, place), min(stop, place + end - begin)
        if first < last:
            yield first, last, begin + first - place


class StoredQuantized:
    """Samples of whole numbers, to multiply some of them with many.

    Very many are laid out when they are first multiplied: of several classes only parts
    ever are.
    """

    def __init__(self, base: Base, samples: QuantizedSamples) -> None:
        self.base = base
        self._samples = samples if samples.is_huge else samples.laid_out()

    def take(self, rows: Rows) -> StoredQuantized:
        """Some of them; a copy if they lie in many places."""
        samples = self._samples.take(rows)
        if samples.is_huge and samples.are(self._samples):
            return self
        return StoredQuantized(self.base, samples)

    @property
    def terms(self) -> float:
        """How many products a value is summed from, on average."""
        return self._samples.terms

    def multiplier(self, rows: Rows, columns: Rows) -> Multiply:
        """A function for the base matrix of these rows and a span of the columns."""
        self._samples = self._samples.laid_out()
        distances = self.base is Base.SQUARED_DISTANCE
        left = right = self._samples.take(rows)
        if columns is not rows:
            all_ = isinstance(columns, slice) and columns == slice(
                0, len(self._samples)
            )
            right = self._samples if all_ else self._samples.take(columns)

        def multiply(start: int, stop: int, out: NDArray) -> None:
            left.multiply(right, out, distances, start, stop)

        return multiply


class StoredSparse:
    """Sparse samples, by sample and by feature."""

    def __init__(
        self, base: Base, samples: Lists, norms: NDArray, n_features: int
    ) -> None:
        self.base, self._norms, self._n_features = base, norms, n_features
        self._samples, self._by_feature = samples, samples.by_feature(n_features)

    def take(self, rows: Rows) -> StoredSparse:
        """Some of them, copied."""
        samples = self._take(rows)
        return StoredSparse(self.base, samples, self._norms[rows], self._n_features)

    @property
    def terms(self) -> float:
        """Those of lists are looked up, which takes as long as so many products."""
        return 500.0

    def _take(self, rows: Rows) -> Lists:
        return self._samples.take(np.arange(len(self._norms))[rows])

    def multiplier(self, rows: Rows, columns: Rows) -> Multiply:
        """A function for the base matrix of these rows and a span of the columns."""
        norms = self._norms[rows], self._norms[columns]
        a, by_feature, first = self._take(rows), self._by_feature, 0
        if columns is rows:
            by_feature = a.by_feature(self._n_features)
        elif isinstance(columns, slice):
            first = columns.indices(len(self._norms))[0]
        else:
            by_feature = self._take(columns).by_feature(self._n_features)

        def multiply(start: int, stop: int, out: NDArray) -> None:
            by_feature.multiply(a, 0, (first + start, first + stop), out)
            if self.base is Base.SQUARED_DISTANCE:
                to_squared_distances(out, norms[0], norms[1][start:stop])

        return multiply


Stored = StoredDense | StoredQuantized | StoredSparse


def store_samples(samples: SamplesByBase) -> Stored | None:
    """None where samples are made ready for more than one base."""
    if len(samples) > 1:
        return None
    ((base, prepared),) = samples.items()
    if prepared.quantized is not None:
        return StoredQuantized(base, prepared.quantized)
    if is_sparse(prepared.samples):
        lists, n_features = Lists.of(prepared.samples), prepared.samples.shape[1]
        return StoredSparse(base, lists, prepared.norms, n_features)
    return StoredDense(base, prepared.samples, prepared.norms)


def centred_samples(
    X: NDArray, order: NDArray[np.intp] | None, dtype: Any = None
) -> PreparedSamples:
    """Samples in this order, made ready for squared distances with a single copy.

    Their type is that of X, or a finer one.
    """
    order = np.arange(len(X)) if order is None else order
    dtype = X.dtype if dtype is None else np.dtype(dtype)
    centre = centre_amid(X)
    features = features_in_use(X, centre)
    centre = centre.astype(dtype)  # in which differences are taken
    used = np.arange(X.shape[1]) if features is None else features
    samples, norms = np.empty((len(order), len(used)), dtype), np.empty(len(order))

    def copy(rows: tuple[int, int]) -> None:
        copy_centred(X, order, centre, used, samples, norms, *rows)

    parallel_map(copy, _blocks(samples))
    norms = norms.astype(dtype)
    zeros, base = np.zeros_like(norms), Base.SQUARED_DISTANCE
    return PreparedSamples(base, samples, zeros, norms, centre, features=features)


def centre_amid(X: NDArray) -> NDArray:
    """The centre of some samples: any point amid them will do."""
    some = min(_BLOCK, max(_FEWEST, _ENOUGH // X.shape[1]))
    return centre_of(X, max(1, len(X) // some))


def prepare_in_float64(
    kernel: Kernel, X: Matrix, rows: NDArray[np.intp], are_floats: bool = False
) -> tuple[SamplesByBase, NDArray]:
    """Some rows of X in this order, as precise as float64 is, and k(x, x) of each.

    Many values are copied but once. Who takes samples for floats spares a look at
    whether they are whole numbers.
    """
    few = is_sparse(X) or (X.size <= _FEW_VALUES and not are_floats)
    few = few or kernel.bases != {Base.SQUARED_DISTANCE}
    if few or (not are_floats and is_probably_whole(X)):
        X = as_matrix(X[rows].astype(np.float64, copy=False), look=False)
        return _evaluate.prepare_with_diagonal(kernel, X, order=rows)
    with np.errstate(over="ignore", invalid="ignore"):
        samples = {Base.SQUARED_DISTANCE: centred_samples(X, rows, np.float64)}
    return samples, _evaluate.checked_diagonal(kernel, samples, rows)


def byte_floats(
    kernel: Kernel, X: Matrix, rows: NDArray[np.intp], tolerated: float
) -> tuple[PreparedSamples, float] | None:
    """Some rows of X as bytes and their rounding, and by how much values are off.

    None if they are no such samples, or values are off by more than is tolerated.
    """
    few = is_sparse(X) or len(rows) * X.shape[1] <= _FEW_VALUES
    if not tolerated or few or type(kernel) is not Gaussian or X.dtype != np.float32:
        return None
    samples = ByteFloats.of(X, rows)
    if samples is None or not samples.error(kernel.gamma) <= tolerated:
        return None
    return PreparedSamples.of_byte_floats(samples), samples.error(kernel.gamma)


def is_probably_whole(X: NDArray) -> bool:
    """Whether the values of X seem to be whole numbers, of which products are exact.

    Or multiples of one step; a table of few values is not looked at.

    >>> pixels = np.arange(200 * 784).reshape(200, 784) % 256
    >>> is_probably_whole(pixels / 255), is_probably_whole(np.sqrt(pixels))
    (True, False)
    """
    return may_be_quantized(X.shape, few_values(X).astype(np.float64))


def _blocks(samples: NDArray) -> list[tuple[int, int]]:
    n, width = len(samples), max(1, samples.shape[1])
    height = max(_BLOCK, _VALUES // width)
    return [(i, min(i + height, n)) for i in range(0, n, height)]


@compiled_reordering
def copy_centred(
    X: Any,
    order: Any,
    centre: Any,
    used: Any,
    samples: Any,
    norms: Any,
    start: int,
    stop: int,
) -> None:
    """Rows of X without the centre, features in use only, and their squared norms."""
    width = len(used)
    side_by_side = width > 0 and used[-1] - used[0] == width - 1  # they are in order
    first = used[0] if side_by_side else 0
    own = centre[first : first + width]
    for i in range(start, stop):
        row, out = X[order[i]], samples[i]
        total = 0.0
        if side_by_side:  # as nearly always: copied without a look at each number
            near = row[first : first + width]
            for k in range(width):
                out[k] = near[k] - own[k]
                total += np.float64(out[k]) * np.float64(out[k])
        else:
            for k in range(width):
                out[k] = row[used[k]] - centre[used[k]]
                total += np.float64(out[k]) * np.float64(out[k])
        norms[i] = total


def _transposed(samples: NDArray) -> NDArray:
    if samples.size <= _VALUES:
        return np.ascontiguousarray(samples.T)
    by_feature = np.empty(samples.shape[::-1], samples.dtype)

    def copy(rows: tuple[int, int]) -> None:
        some = slice(*rows)
        transpose(samples[some], 0, by_feature, 0, some.start)

    parallel_map(copy, _blocks(samples))
    return by_feature
