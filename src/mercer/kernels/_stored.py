"""Samples laid out for products of a few of them with all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering
from mercer._threads import parallel_map
from mercer._validation import is_sparse
from mercer.kernels._bases import Base, Points, centre_of, features_in_use
from mercer.kernels._evaluate import PointsOf
from mercer.kernels._whole import WholeNumbers, stretches

Rows = NDArray[np.integer] | slice
Multiply = Callable[[int, int, NDArray], None]
_STRETCHES = 4  # of neighbouring samples, at most, that are multiplied one by one
_BLOCK, _SQUARE = 1024, 32  # samples copied at a time, and of these in the cache


class Stored:
    """Dense samples, stored twice: as rows to gather from, as columns to multiply with.

    A product with few rows spends much of its time on rearranging the other factor;
    least when that is stored by features.
    """

    def __init__(
        self, samples: NDArray, by_feature: NDArray, at: NDArray[np.intp]
    ) -> None:
        self._samples, self._by_feature = samples, by_feature
        self._at = at  # which of the samples take part
        self._stretches = stretches(at)

    @classmethod
    def twice(cls, samples: NDArray) -> Stored:
        samples = np.ascontiguousarray(samples)
        by_feature = np.empty(samples.shape[::-1], samples.dtype)
        parallel_map(lambda rows: _turn(samples, by_feature, *rows), _blocks(samples))
        return cls(samples, by_feature, np.arange(len(samples)))

    def take(self, rows: Rows) -> Stored:
        """Some of them; a copy if they lie in many places."""
        part = Stored(self._samples, self._by_feature, self._at[rows])
        if len(part._stretches) <= _STRETCHES:
            return part
        return self.twice(self._samples[part._at])

    def multiplier(self, rows: Rows, columns: Rows) -> Multiply:
        """A function for the dot products of these rows with a span of the columns."""
        a = self._samples[self._at[rows]]
        if columns is rows:
            pieces = [(0, a.T)]
        elif isinstance(columns, slice):
            whole = columns == slice(0, len(self._at))
            runs = self._stretches if whole else stretches(self._at[columns])
            pieces = [(i, self._by_feature[:, first:stop]) for i, first, stop in runs]
        else:
            pieces = [(0, self._samples[self._at[columns]].T)]

        def multiply(start: int, stop: int, out: NDArray) -> None:
            for place, b in pieces:
                first, last = max(start, place), min(stop, place + b.shape[1])
                if first < last:
                    into = out[:, first - start : last - start]
                    np.matmul(a, b[:, first - place : last - place], out=into)

        return multiply


class StoredWhole:
    """Samples of whole numbers, to multiply some of them with many."""

    def __init__(self, whole: WholeNumbers, base: Base) -> None:
        self._whole, self._base = whole.laid_out(), base

    def take(self, rows: Rows) -> StoredWhole:
        """Some of them; a copy if they lie in many places."""
        return StoredWhole(self._whole.take(rows), self._base)

    def multiplier(self, rows: Rows, columns: Rows) -> Multiply:
        """A function for the base matrix of these rows and a span of the columns."""
        distances = self._base is Base.SQUARED_DISTANCE
        left = self._whole.take(rows)
        right = left if columns is rows else self._take_columns(columns)

        def multiply(start: int, stop: int, out: NDArray) -> None:
            left.multiply(right, out, distances, start, stop)

        return multiply

    def _take_columns(self, columns: Rows) -> WholeNumbers:
        if isinstance(columns, slice) and columns == slice(0, len(self._whole)):
            return self._whole
        return self._whole.take(columns)


def stored(points: PointsOf) -> Stored | StoredWhole | None:
    """None where samples are sparse, or made ready for more than one base."""
    if len(points) > 1:
        return None
    ((base, p),) = points.items()
    if p.whole is not None:
        return StoredWhole(p.whole, base)
    return None if is_sparse(p.samples) else Stored.twice(p.samples)


def centred_points(X: NDArray, order: NDArray[np.intp] | None) -> Points:
    """Samples in this order, made ready for squared distances with a single copy."""
    order = np.arange(len(X)) if order is None else order
    # any point amid the samples will do
    centre = centre_of(X[:: max(1, len(X) // _BLOCK)])
    features = features_in_use(X, centre)
    used = np.arange(X.shape[1]) if features is None else features
    samples, norms = np.empty((len(order), len(used)), X.dtype), np.empty(len(order))

    def copy(rows: tuple[int, int]) -> None:
        _copy_centred(X, order, centre, used, samples, norms, *rows)

    parallel_map(copy, _blocks(samples))
    norms = norms.astype(X.dtype)
    zeros = np.zeros_like(norms)
    return Points(
        Base.SQUARED_DISTANCE, samples, zeros, norms, centre, features=features
    )


def _blocks(samples: NDArray) -> list[tuple[int, int]]:
    n = len(samples)
    return [(i, min(i + _BLOCK, n)) for i in range(0, n, _BLOCK)]


@compiled_reordering
def _copy_centred(
    X: Any,
    order: Any,
    centre: Any,
    used: Any,
    samples: Any,
    norms: Any,
    start: int,
    stop: int,
) -> None:
    for i in range(start, stop):
        row, out = X[order[i]], samples[i]
        total = 0.0
        for k in range(len(used)):
            out[k] = row[used[k]] - centre[used[k]]
            total += np.float64(out[k]) * np.float64(out[k])
        norms[i] = total


@compiled
def _turn(samples: Any, by_feature: Any, start: int, stop: int) -> None:
    """Rows to columns, in squares that stay in the cache."""
    for first in range(0, samples.shape[1], _SQUARE):
        last = min(first + _SQUARE, samples.shape[1])
        for top in range(start, stop, _SQUARE):
            for f in range(first, last):
                out = by_feature[f]
                for i in range(top, min(top + _SQUARE, stop)):
                    out[i] = samples[i, f]
