"""The nearest samples: by kernel values, a tile at a time, or by sketches of points.

Where distance or angle decide, most pairs are just glanced at. Of each point a sketch
is kept: its coordinates along the directions in which the points vary most, and the
length of the rest as one more coordinate. The distance between two sketches never
exceeds that between the points (the rests differ by at least the difference of their
lengths), so a pair whose sketches are farther apart than the k-th neighbour found so
far is done with. Sketches are compared in float32 by matrix products; pairs that remain
are measured in float64, one by one, from the points themselves. What is found depends
on the points alone, not on sketches or threads. Of equally near ones the first is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering
from mercer._threads import parallel_map

_ROWS, _COLUMNS = 256, 1024  # of a tile
_SAMPLE = 4096  # points that show in which directions all vary
_TRIED = 32, 2048  # rows and columns on which the width of sketches is chosen
_DEAR = 30  # a pair measured alone costs so many in a matrix product
_NARROW, _SMALL = 48, 1 << 20  # features, and pairs, for which sketches do not pay


def empty_neighbours(
    n_samples: int, k: int, dtype: Any
) -> tuple[NDArray, NDArray[np.int64]]:
    """Keys and indices of neighbours, none found yet."""
    return np.full((n_samples, k), np.inf, dtype), np.full((n_samples, k), -1, np.int64)


def nearest(
    X: NDArray, Y: NDArray, k: int, by_angle: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Squared distances to the k nearest rows of Y, and their numbers, for rows of X.

    By angle: of rows divided by their lengths. Between whole numbers distances and dot
    products are exact, and so are ties.

    >>> nearest(np.array([[0.0]]), np.array([[3.0], [1.0], [-1.0]]), 2)
    (array([[1., 1.]]), array([[1, 2]]))
    """
    x, y = _Points.of(X, by_angle), _Points.of(Y, by_angle)
    keys, indices = empty_neighbours(len(X), k, np.float64)
    # a sketch that overflows rules nothing out, so its pairs are measured
    with np.errstate(over="ignore", invalid="ignore"):
        sketch = _Sketch(x, y, k)
        (a, a_norms), (b, b_norms) = sketch.of(x), sketch.of(y)

    def search(start: int) -> None:
        i = slice(start, start + _ROWS)
        for first in range(0, len(Y), _COLUMNS):
            j = slice(first, first + _COLUMNS)
            with np.errstate(over="ignore", invalid="ignore"):
                dots = a[i] @ b[j].T
            _measure_near_ones(
                *(dots, a_norms[i], b_norms[j], sketch.squared_unit),
                *(X[i], x.scales[i], Y[j], y.scales[j]),
                *(by_angle, first, keys[i], indices[i]),
            )

    parallel_map(search, range(0, len(X), _ROWS))
    return keys, indices


@dataclass(frozen=True)
class _Points:
    """Rows, and what each is multiplied by: 1, or by angle its inverse length."""

    rows: NDArray
    scales: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray, by_angle: bool) -> _Points:
        if not by_angle:
            return cls(rows, np.ones(len(rows)))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        zeros = np.zeros_like(lengths)
        return cls(rows, np.divide(1, lengths, out=zeros, where=lengths > 0))

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, at: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        return self.rows[at] * self.scales[at, None]

    def spread(self, count: int) -> NDArray[np.float64]:
        """At most `count` of them, evenly spread."""
        at = np.linspace(0, len(self) - 1, min(len(self), count))
        return self.take(np.unique(at.astype(np.intp)))


class _Sketch:
    """How points are sketched: moved to their mean, divided by a unit, projected."""

    def __init__(self, x: _Points, y: _Points, k: int) -> None:
        points = y.spread(_SAMPLE)
        self._centre = points.mean(axis=0)
        points -= self._centre
        # no square of the sample overflows float32, and none of the usual ones is lost
        self._unit = float(np.abs(points).max()) or 1.0
        self.squared_unit = self._unit**2
        self._directions: NDArray[np.float32] | None = None
        width = n_features = points.shape[1]
        many = n_features > _NARROW and len(x) * len(y) > _SMALL
        if many and np.isfinite(self.squared_unit):
            directions = _directions(points / self._unit)
            self._directions = self._choose(directions, x, y, k)
        if self._directions is not None:
            width += self._directions.shape[1]
        # bounds what rounding can make of a sketch's squared distance
        self._margin = np.float32(4 * (width + 4) * np.finfo(np.float32).eps)

    def of(self, points: _Points) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Sketches, and their squared norms less what rounding may have added."""
        parts = parallel_map(
            lambda i: self._project(points.take(slice(i, i + _ROWS))),
            range(0, len(points), _ROWS),
        )
        sketches = np.concatenate(parts)
        norms = np.einsum("ij,ij->i", sketches, sketches)
        return sketches, norms * (1 - self._margin)

    def _project(self, points: NDArray[np.float64]) -> NDArray[np.float32]:
        moved = ((points - self._centre) / self._unit).astype(np.float32)
        return moved if self._directions is None else _split(moved, self._directions)

    def _choose(
        self, directions: NDArray[np.float32], x: _Points, y: _Points, k: int
    ) -> NDArray[np.float32] | None:
        """As many directions as cost least on some of the pairs; None for no sketch."""
        a, b = (self._project(p.spread(count)) for p, count in zip((x, y), _TRIED))
        # as many of the sample are near as there are neighbours in all
        near = min(len(b), max(1, round(k * len(b) / len(y))))
        reach = np.partition(_squared_distances(a, b), near - 1)[:, near - 1, None]
        n_features, best = len(directions), None
        cheapest = float(n_features)
        for width in (n_features // 12, n_features // 8, n_features // 5):
            kept = directions[:, :width]
            apart = _squared_distances(_split(a, kept), _split(b, kept))
            cost = width + _DEAR * n_features * float((apart <= reach).mean())
            if cost < cheapest:
                cheapest, best = cost, np.ascontiguousarray(kept)
        return best


def _directions(points: NDArray) -> NDArray[np.float32]:
    """Orthonormal directions as columns, those in which points vary most first."""
    points = points.astype(np.float32)
    vectors = np.linalg.eigh((points.T @ points).astype(np.float64))[1]
    return np.ascontiguousarray(vectors[:, ::-1], dtype=np.float32)


def _split(points: NDArray, directions: NDArray) -> NDArray[np.float32]:
    """Coordinates along the directions, and the length of the rest."""
    along = points @ directions
    rest = points - along @ directions.T
    lengths = np.sqrt(np.einsum("ij,ij->i", rest, rest))
    return np.column_stack([along, lengths])


def _squared_distances(a: NDArray, b: NDArray) -> NDArray:
    norms = (np.einsum("ij,ij->i", p, p) for p in (a, b))
    return next(norms)[:, None] + next(norms) - 2 * (a @ b.T)


@compiled
def add_neighbours(
    values: Any, diagonal: Any, first: int, keys: Any, indices: Any
) -> None:
    """Go through kernel values of columns `first` and on, and keep the nearest.

    The squared distance is k(x, x) + k(y, y) - 2k(x, y); the first term is the same for
    all of a row and is left out of the key.
    """
    k, two = keys.shape[1], values.dtype.type(2)
    for i in range(values.shape[0]):
        row, key, index = values[i], keys[i], indices[i]
        farthest = key[k - 1]
        for j in range(row.shape[0]):
            distance = diagonal[j] - two * row[j]
            if distance < farthest:
                _insert(distance, first + j, key, index)
                farthest = key[k - 1]


@compiled
def count_votes(indices: Any, labels: Any, votes: Any) -> None:
    """Count the classes of the neighbours in each row."""
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            votes[i, labels[indices[i, j]]] += 1


@compiled
def _insert(distance: float, number: int, keys: Any, indices: Any) -> None:
    """Put a neighbour in its place, behind equals, and drop the last."""
    place = len(keys) - 1
    while place > 0 and keys[place - 1] > distance:
        keys[place], indices[place] = keys[place - 1], indices[place - 1]
        place -= 1
    keys[place], indices[place] = distance, number


@compiled_reordering
def _squared_distance(x: NDArray, y: NDArray) -> float:
    total = 0.0
    for f in range(len(x)):
        difference = np.float64(x[f]) - np.float64(y[f])
        total += difference * difference
    return total


@compiled_reordering
def _dot_product(x: NDArray, y: NDArray) -> float:
    total = 0.0
    for f in range(len(x)):
        total += np.float64(x[f]) * np.float64(y[f])
    return total


@compiled
def _measure_near_ones(
    dots: Any,
    x_norms: Any,
    y_norms: Any,
    squared_unit: float,
    X: Any,
    x_scales: Any,
    Y: Any,
    y_scales: Any,
    by_angle: bool,
    first: int,
    keys: Any,
    indices: Any,
) -> None:
    """Measure the pairs whose sketches are near enough, and keep the nearest."""
    k, two = keys.shape[1], dots.dtype.type(2)
    for i in range(dots.shape[0]):
        row, key, index = dots[i], keys[i], indices[i]
        reach = dots.dtype.type(key[k - 1] / squared_unit - x_norms[i])
        for j in range(row.shape[0]):
            if not y_norms[j] - two * row[j] > reach:
                if by_angle:
                    # a row of zeros has scale 0, and no length
                    distance = np.float64(x_scales[i] > 0) + np.float64(y_scales[j] > 0)
                    dot = _dot_product(X[i], Y[j])
                    distance -= 2.0 * (dot * y_scales[j] * x_scales[i])
                    distance = max(distance, 0.0)
                else:
                    distance = _squared_distance(X[i], Y[j])
                if distance < key[k - 1]:
                    _insert(distance, first + j, key, index)
                    reach = dots.dtype.type(key[k - 1] / squared_unit - x_norms[i])
