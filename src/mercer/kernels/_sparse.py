"""Products of sparse samples, which cost what their non-zeros cost.

One side is stored by sample and the other by feature: each non-zero of a row is
multiplied with the samples that have the same feature, and with no others. Where most
pairs of samples share many features, a dense product is faster all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import memory_budget
from mercer._numba import compiled
from mercer._validation import Matrix, is_sparse
from mercer.kernels._quantized import may_be_quantized

# of a pair of non-zeros that meet, in parts of it:
_DENSE_COST = 0.02  # a feature in a dense product
_WHOLE_COST = 0.1  # a non-zero of a row, in a product of whole numbers
_FREQUENT, _FEWEST = 0.12, 32  # samples with a feature, in parts of all and at least
_SHARE = 4  # of the budget is what a dense copy may take


def dense_if_faster(X: Matrix) -> Matrix:
    """The samples as an array where these are multiplied faster so, and fit."""
    if not is_sparse(X) or X.shape[0] == 0:
        return X
    share = np.bincount(X.indices, minlength=X.shape[1]) / X.shape[0]
    met, n_bytes = share @ share, X.shape[0] * X.shape[1] * X.dtype.itemsize
    faster = _DENSE_COST * X.shape[1] < met or (
        _WHOLE_COST * share.sum() < met and may_be_quantized(X.shape, X.data)
    )
    return X.toarray() if faster and n_bytes <= memory_budget() // _SHARE else X


@dataclass(frozen=True, eq=False)
class Lists:
    """Non-zeros, row by row; the rows are samples, or features."""

    starts: NDArray[np.int64]
    places: NDArray[np.int32]
    values: NDArray

    @classmethod
    def of(cls, X: Matrix) -> Lists:
        """The lists of a CSR matrix, not copied where they have these types."""
        places = X.indices.astype(np.int32, copy=False)
        return cls(X.indptr.astype(np.int64, copy=False), places, X.data)

    def take(self, rows: NDArray[np.intp]) -> Lists:
        """Some of the rows, copied."""
        return Lists(*_gather(self.starts, self.places, self.values, rows))

    def by_feature(self, n_features: int) -> ByFeature:
        """The same samples, to multiply others with."""
        starts = np.zeros(n_features + 1, np.int64)
        frequent = np.empty(n_features, np.int32)
        n_arrays = _count(self.starts, self.places, starts, frequent)
        samples = np.empty(starts[-1], np.int32)
        values = np.empty(starts[-1], self.values.dtype)
        arrays = np.zeros((n_arrays, len(self.starts) - 1), self.values.dtype)
        own = self.starts, self.places, self.values
        _turn(*own, starts.copy(), samples, values, frequent, arrays)
        return ByFeature(starts, samples, values, frequent, arrays)


@dataclass(frozen=True, eq=False)
class ByFeature:
    """Non-zeros by feature; the samples of each count up.

    A feature that many samples have is an array over all of them, with its zeros: what
    lies side by side is added several at a time, to the same sums in the same order.
    """

    starts: NDArray[np.int64]
    samples: NDArray[np.int32]
    values: NDArray
    frequent: NDArray[np.int32]  # which of the arrays is a feature's, or -1
    arrays: NDArray

    def multiply(
        self, rows: Lists, first: int, columns: tuple[int, int], out: NDArray
    ) -> None:
        """Write the dot products of rows, from the first, with a span of samples."""
        _multiply(
            *(rows.starts, rows.places, rows.values, first),
            *(self.starts, self.samples, self.values),
            *(self.frequent, self.arrays, *columns),
            out,
        )


@compiled
def _gather(starts: Any, places: Any, values: Any, rows: Any) -> Any:
    bounds = np.zeros(len(rows) + 1, np.int64)
    for i in range(len(rows)):
        bounds[i + 1] = bounds[i] + starts[rows[i] + 1] - starts[rows[i]]
    own_places, own = np.empty(bounds[-1], np.int32), np.empty(bounds[-1], values.dtype)
    for i in range(len(rows)):
        at = starts[rows[i]]
        for k in range(bounds[i], bounds[i + 1]):
            own_places[k], own[k] = places[at], values[at]
            at += 1
    return bounds, own_places, own


@compiled
def _count(starts: Any, places: Any, bounds: Any, frequent: Any) -> int:
    """Where the lists of features begin, as `bounds` of zeros; which are arrays."""
    n, n_frequent = len(starts) - 1, 0
    for k in range(starts[0], starts[-1]):
        bounds[places[k] + 1] += 1
    for f in range(len(frequent)):
        frequent[f] = -1
        if bounds[f + 1] > max(_FEWEST, _FREQUENT * n):
            frequent[f] = n_frequent
            n_frequent += 1
            bounds[f + 1] = 0
        bounds[f + 1] += bounds[f]
    return n_frequent


@compiled
def _turn(
    starts: Any,
    places: Any,
    values: Any,
    at: Any,
    samples: Any,
    own: Any,
    frequent: Any,
    arrays: Any,
) -> None:
    """Put each non-zero in the list or the array of its feature, where `at` says."""
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            f = places[k]
            if frequent[f] >= 0:
                arrays[frequent[f], i] = values[k]
            else:
                samples[at[f]], own[at[f]] = i, values[k]
                at[f] += 1


@compiled
def _first_not_below(samples: Any, low: int, high: int, value: int) -> int:
    while low < high:
        middle = (low + high) // 2
        if samples[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _multiply(
    starts: Any,
    places: Any,
    values: Any,
    first: int,
    bounds: Any,
    samples: Any,
    others: Any,
    frequent: Any,
    arrays: Any,
    start: int,
    stop: int,
    out: Any,
) -> None:
    for r in range(out.shape[0]):
        row = out[r]
        row[:] = 0
        k, end = starts[first + r], starts[first + r + 1]
        while k < end:
            value, f = values[k], places[k]
            k += 1
            if frequent[f] >= 0:
                array = arrays[frequent[f], start:stop]
                # another one after it joins in: sums are read and written once for both
                following = frequent[places[k]] if k < end else -1
                if following >= 0:
                    other, next_value = arrays[following, start:stop], values[k]
                    k += 1
                    for j in range(len(row)):
                        row[j] = (row[j] + value * array[j]) + next_value * other[j]
                else:
                    for j in range(len(row)):
                        row[j] += value * array[j]
                continue
            low, high = bounds[f], bounds[f + 1]
            if start > 0:
                low = _first_not_below(samples, low, high, start)
            if high > low and samples[high - 1] >= stop:
                high = _first_not_below(samples, low, high, stop)
            for i in range(low, high):
                row[np.uint64(samples[i] - start)] += value * others[i]
