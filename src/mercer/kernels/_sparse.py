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

    def transposed(self, n_features: int) -> Lists:
        """By feature, if these are by sample; the samples of each count up."""
        return Lists(*_transpose(self.starts, self.places, self.values, n_features))

    def multiply(
        self, first: int, by_feature: Lists, columns: tuple[int, int], out: NDArray
    ) -> None:
        """Write the dot products of rows, from the first, with a span of samples."""
        _multiply(
            *(self.starts, self.places, self.values, first),
            *(by_feature.starts, by_feature.places, by_feature.values, *columns),
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
def _transpose(starts: Any, places: Any, values: Any, n_features: int) -> Any:
    bounds = np.zeros(n_features + 1, np.int64)
    for k in range(starts[0], starts[-1]):
        bounds[places[k] + 1] += 1
    for f in range(n_features):
        bounds[f + 1] += bounds[f]
    samples, own = np.empty(bounds[-1], np.int32), np.empty(bounds[-1], values.dtype)
    at = bounds.copy()
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            to = at[places[k]]
            samples[to], own[to] = i, values[k]
            at[places[k]] = to + 1
    return bounds, samples, own


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
    start: int,
    stop: int,
    out: Any,
) -> None:
    for r in range(out.shape[0]):
        row = out[r]
        row[:] = 0
        for k in range(starts[first + r], starts[first + r + 1]):
            value = values[k]
            low, high = bounds[places[k]], bounds[places[k] + 1]
            if start > 0:
                low = _first_not_below(samples, low, high, start)
            if high > low and samples[high - 1] >= stop:
                high = _first_not_below(samples, low, high, stop)
            for i in range(low, high):
                row[np.uint64(samples[i] - start)] += value * others[i]
