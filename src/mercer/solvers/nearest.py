"""The nearest points by distance or by angle: exact, most pairs just glanced at.

Of each point a sketch is kept: its coordinates along the directions in which the points
vary most, and the length of the rest as one more coordinate. The distance between two
sketches never exceeds that between the points (the rests differ by at least the
difference of their lengths), so a pair whose sketches are farther apart than the k-th
neighbour found so far is done with. Sketches are compared in float32 by matrix
products; pairs that remain are measured in float64, one by one, from the points
themselves. What is found depends on the points alone: not on sketches or threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering
from mercer._threads import parallel_map
from mercer.solvers.neighbours import empty_neighbours

_ROWS, _COLUMNS = 256, 1024
_SAMPLE = 4096  # points that show in which directions all vary
_TRIED = 32, 2048  # rows and columns on which the width of sketches is chosen
_DEAR = 30  # a pair measured alone costs so many in a matrix product
_NARROW, _SMALL = 48, 1 << 20  # features, and pairs, for which sketches do not pay


def nearest(
    X: NDArray, Y: NDArray, k: int, by_angle: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Squared distances to the k nearest rows of Y, and their numbers, for rows of X.

    By angle: of rows divided by their lengths. Of equally near ones the first is ahead;
    between whole numbers distances and dot products are exact, and so are these ties.

    >>> nearest(np.array([[0.0]]), np.array([[3.0], [1.0], [-1.0]]), 2)
    (array([[1., 1.]]), array([[1, 2]]))
    """
    scales = _inverse_lengths if by_angle else _ones
    x_scales, y_scales = scales(X), scales(Y)
    keys, indices = empty_neighbours(len(X), k, np.float64)
    # a sketch that overflows rules nothing out, so its pairs are measured
    with np.errstate(over="ignore", invalid="ignore"):
        sketch = _Sketch(X, Y, k, x_scales, y_scales)
        a, a_norms = sketch.of(X, x_scales)
        b, b_norms = sketch.of(Y, y_scales)

    def search(start: int) -> None:
        i = slice(start, start + _ROWS)
        for first in range(0, len(Y), _COLUMNS):
            j = slice(first, first + _COLUMNS)
            with np.errstate(over="ignore", invalid="ignore"):
                dots = a[i] @ b[j].T
            _measure_near_ones(
                *(dots, a_norms[i], b_norms[j], sketch.unit),
                *(X[i], x_scales[i], Y[j], y_scales[j]),
                *(by_angle, first, keys[i], indices[i]),
            )

    parallel_map(search, range(0, len(X), _ROWS))
    return keys, indices


class _Sketch:
    """How points are sketched: moved to their mean, divided by a unit, projected."""

    def __init__(
        self,
        X: NDArray,
        Y: NDArray,
        k: int,
        x_scales: NDArray[np.float64],
        y_scales: NDArray[np.float64],
    ) -> None:
        some = _spread(len(Y), _SAMPLE)
        points = Y[some] * y_scales[some, None]
        self._centre = points.mean(axis=0)
        points -= self._centre
        # no square of the sample overflows float32, and none of the usual ones is lost
        self._unit = float(np.abs(points).max()) or 1.0
        self.unit = self._unit**2
        self._directions: NDArray[np.float32] | None = None
        n_features = X.shape[1]
        many = n_features > _NARROW and len(X) * len(Y) > _SMALL
        if many and np.isfinite(self.unit):
            directions = _directions(points / self._unit)
            self._directions = self._choose(directions, X, Y, k, x_scales, y_scales)
        width = n_features
        if self._directions is not None:
            width += self._directions.shape[1]
        # bounds what rounding can make of a sketch's squared distance
        self._margin = np.float32(4 * (width + 4) * np.finfo(np.float32).eps)

    def of(
        self, rows: NDArray, scales: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Sketches, and their squared norms less what rounding may have added."""
        pieces = range(0, len(rows), _ROWS)
        parts = parallel_map(
            lambda i: self._project(rows[i : i + _ROWS], scales[i : i + _ROWS]), pieces
        )
        sketches = np.concatenate(parts)
        norms = np.einsum("ij,ij->i", sketches, sketches)
        return sketches, norms * (1 - self._margin)

    def _project(
        self, rows: NDArray, scales: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        points = (rows * scales[:, None] - self._centre) / self._unit
        points = points.astype(np.float32)
        return points if self._directions is None else _split(points, self._directions)

    def _choose(
        self,
        directions: NDArray[np.float32],
        X: NDArray,
        Y: NDArray,
        k: int,
        x_scales: NDArray[np.float64],
        y_scales: NDArray[np.float64],
    ) -> NDArray[np.float32] | None:
        """As many directions as cost least on some of the pairs; None for no sketch."""
        some, others = _spread(len(X), _TRIED[0]), _spread(len(Y), _TRIED[1])
        a = self._project(X[some], x_scales[some])
        b = self._project(Y[others], y_scales[others])
        # as many of the sample are near as there are neighbours in all
        near = min(len(others), max(1, round(k * len(others) / len(Y))))
        reach = np.partition(_squared_distances(a, b), near - 1)[:, near - 1, None]
        n_features = cheapest = X.shape[1]
        best = None
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


def _spread(n: int, count: int) -> NDArray[np.intp]:
    """At most `count` of n numbers, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, count)).astype(np.intp))


def _ones(X: NDArray) -> NDArray[np.float64]:
    return np.ones(len(X))


def _inverse_lengths(X: NDArray) -> NDArray[np.float64]:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    return np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)


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
    unit: float,
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
        reach = dots.dtype.type(key[k - 1] / unit - x_norms[i])
        for j in range(row.shape[0]):
            if not y_norms[j] - two * row[j] > reach:
                if by_angle:
                    # a row of zeros has scale 0, and no length
                    distance = (x_scales[i] > 0) + (y_scales[j] > 0)
                    dot = _dot_product(X[i], Y[j])
                    distance -= 2.0 * (dot * y_scales[j] * x_scales[i])
                    distance = max(distance, 0.0)
                else:
                    distance = _squared_distance(X[i], Y[j])
                if distance < key[k - 1]:
                    place = k - 1
                    while place > 0 and key[place - 1] > distance:
                        key[place] = key[place - 1]
                        index[place] = index[place - 1]
                        place -= 1
                    key[place] = distance
                    index[place] = first + j
                    reach = dots.dtype.type(key[k - 1] / unit - x_norms[i])
