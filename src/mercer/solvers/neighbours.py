"""The nearest samples: by kernel values, a tile at a time, or by sketches of points.

Where distance or angle decide, most pairs are just glanced at. Of each point a sketch
is kept: its coordinates along the directions in which the points vary most, and the
length of the rest as one more coordinate. The distance between two sketches never
exceeds that between the points (the rests differ by at least the difference of their
lengths), so a pair whose sketches are farther apart than the k-th neighbour found so
far is done with. Sketches are compared in float32 by matrix products; pairs that remain
are measured in float64, one by one, from the points themselves. What is found depends
on the points alone, not on sketches or threads. Of equally near ones the first is kept:
by angle those are equal whose (x·y)²/‖y‖² is the same in twice that precision, for the
lengths of parallel rows round differently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering
from mercer._threads import parallel_map
from mercer._validation import Matrix, is_sparse
from mercer.exceptions import DataError

_ROWS, _COLUMNS = 256, 1024  # of a tile
_SAMPLE = 4096  # points that show in which directions all vary
_TRIED = 32, 2048  # rows and columns on which the width of sketches is chosen
_DEAR = 30  # a pair measured alone costs so many in a matrix product
_NARROW, _SMALL = 48, 1 << 20  # features, and pairs, for which sketches do not pay
_FAR = 1e100  # squares below, and above its inverse, are well within the floats
_CANCELLED = 1e-9  # of the squared norms: more than a product of sparse rows can lose
_SAME = 1e-12  # squared distances by angle nearer to each other are compared exactly


def empty_neighbours(
    n_samples: int, k: int, dtype: Any
) -> tuple[NDArray, NDArray[np.int64]]:
    """Keys and indices of neighbours, none found yet."""
    return np.full((n_samples, k), np.inf, dtype), np.full((n_samples, k), -1, np.int64)


def nearest(
    X: Matrix, Y: Matrix, k: int, by_angle: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Squared distances to the k nearest rows of Y, and their numbers, for rows of X.

    By angle: of rows divided by their lengths, of which zeros have none. Between whole
    numbers distances and dot products are exact, and so are ties.

    >>> nearest(np.array([[0.0]]), np.array([[3.0], [1.0], [-1.0]]), 2)
    (array([[1., 1.]]), array([[1, 2]]))
    """
    exponent = 0 if by_angle else _tiny_exponent(X, Y)
    if exponent:
        X, Y = _times_power_of_two(X, -exponent), _times_power_of_two(Y, -exponent)
    x, y = _Points.of(X, by_angle), _Points.of(Y, by_angle)
    found = _Found(len(x), k, by_angle)
    search = _search_sparse if is_sparse(X) else _search_dense
    search(x, y, found)
    keys = np.maximum.accumulate(found.keys, axis=1)  # of equal angles the same
    return np.ldexp(keys, 2 * exponent), found.indices


class _Found:
    """The nearest so far, one row per sample, and by angle what angles compare by."""

    def __init__(self, n_samples: int, k: int, by_angle: bool) -> None:
        self.keys, self.indices = empty_neighbours(n_samples, k, np.float64)
        self.angles = np.zeros((n_samples, k if by_angle else 0, 2))

    def rows(self, i: slice) -> tuple[NDArray, NDArray[np.int64], NDArray]:
        return self.keys[i], self.indices[i], self.angles[i]


def _search_dense(x: _Points, y: _Points, found: _Found) -> None:
    # a sketch that overflows rules nothing out, so its pairs are measured
    with np.errstate(over="ignore", invalid="ignore"):
        sketch = _Sketch(x, y, found.keys.shape[1])
        (a, a_norms), (b, b_norms) = sketch.of(x), sketch.of(y)

    def search(start: int) -> None:
        i = slice(start, start + _ROWS)
        for first in range(0, len(y), _COLUMNS):
            j = slice(first, first + _COLUMNS)
            with np.errstate(over="ignore", invalid="ignore"):
                dots = a[i] @ b[j].T
            _measure_near_ones(
                *(dots, a_norms[i], b_norms[j], sketch.squared_unit),
                *(x.rows[i], x.norms[i], y.rows[j], y.norms[j], first),
                *found.rows(i),
            )

    parallel_map(search, range(0, len(x), _ROWS))


def _search_sparse(x: _Points, y: _Points, found: _Found) -> None:
    # few features of sparse rows meet, and products of sparse matrices make use of that
    starts = range(0, len(y), _COLUMNS)
    parts = [y.rows[first : first + _COLUMNS] for first in starts]
    transposed = [part.T.tocsr() for part in parts]

    def search(start: int) -> None:
        i = slice(start, start + _ROWS)
        own = x.rows[i]
        for first, part, columns in zip(starts, parts, transposed):
            _keep_near_ones(
                *((own @ columns).toarray(), own.data, own.indices, own.indptr),
                *(x.norms[i], part.data, part.indices, part.indptr),
                *(y.norms[first : first + _COLUMNS], first, *found.rows(i)),
            )

    parallel_map(search, range(0, len(x), _ROWS))


@dataclass(frozen=True)
class _Points:
    """Rows, their squared norms, and what each is multiplied by.

    That is 1, or by angle the inverse length. By angle, rows whose squares are hardly
    floats are first multiplied by a power of two, which changes no angle.
    """

    rows: Matrix
    norms: NDArray[np.float64]
    scales: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Matrix, by_angle: bool) -> _Points:
        if is_sparse(rows):
            rows = rows.astype(np.float64, copy=True)
            rows.sum_duplicates()  # sorts them, too
        norms = _squared_norms(rows)
        if not by_angle:
            _check_range(norms)
            return cls(rows, norms, np.ones(len(norms)))
        extreme = ~((norms > 1 / _FAR) & (norms < _FAR))
        if extreme.any():
            exponents = np.where(extreme, np.frexp(_largest(rows))[1], 0)
            rows = _times_power_of_two(rows, -exponents)
            norms = _squared_norms(rows)
        inverse = np.divide(
            1, np.sqrt(norms), out=np.zeros_like(norms), where=norms > 0
        )
        return cls(rows, norms, inverse)

    def __len__(self) -> int:
        return len(self.norms)

    def take(self, at: slice | NDArray[np.intp]) -> NDArray[np.float64]:
        return self.rows[at] * self.scales[at, None]

    def spread(self, count: int) -> NDArray[np.float64]:
        """At most `count` of them, evenly spread."""
        at = np.linspace(0, len(self) - 1, min(len(self), count))
        return self.take(np.unique(at.astype(np.intp)))


def _squared_norms(rows: Matrix) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        if is_sparse(rows):
            # in the order of a product, so that a row is at distance 0 from itself
            return rows.multiply(rows).tocsr() @ np.ones(rows.shape[1])
        norms = np.empty(len(rows))
        _square(rows, norms)
        return norms


def _check_range(norms: NDArray[np.float64]) -> None:
    bad = np.flatnonzero(~(norms <= np.finfo(np.float64).max / 4))
    if len(bad):
        raise DataError(
            f"The distance overflows float64 at sample {bad[0]}; scale the features "
            "(divide by their largest value)."
        )


def _largest(rows: Matrix) -> NDArray[np.float64]:
    """The largest absolute value of each row."""
    if is_sparse(rows):
        return abs(rows).max(axis=1).toarray().ravel()
    return np.abs(rows).max(axis=1, initial=0).astype(np.float64)


def _tiny_exponent(X: Matrix, Y: Matrix) -> int:
    """The binary exponent of the largest value, if squares underflow; else 0."""
    largest = max(float(_largest(rows).max(initial=0)) for rows in (X, Y))
    return int(np.frexp(largest)[1]) if 0 < largest < 1 / _FAR else 0


def _times_power_of_two(rows: Matrix, exponents: NDArray | int) -> Matrix:
    exponents = np.broadcast_to(exponents, rows.shape[0])
    if not is_sparse(rows):
        return np.ldexp(rows.astype(np.float64), exponents[:, None])
    rows = rows.astype(np.float64, copy=True)
    rows.data = np.ldexp(rows.data, np.repeat(exponents, np.diff(rows.indptr)))
    return rows


class _Sketch:
    """How points are sketched: moved to their mean, divided by a unit, projected."""

    def __init__(self, x: _Points, y: _Points, k: int) -> None:
        points = y.spread(_SAMPLE)
        self._centre = points.mean(axis=0)
        points -= self._centre
        # no square of the sample overflows float32, and none of the usual ones is lost
        self._unit = float(np.abs(points).max()) or 1.0
        self.squared_unit = self._unit * self._unit
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
def _squared_distance_sparse(
    x: NDArray, x_features: NDArray, y: NDArray, y_features: NDArray
) -> float:
    total, i, j = 0.0, 0, 0
    while i < len(x) or j < len(y):
        difference = 0.0
        if j == len(y) or (i < len(x) and x_features[i] <= y_features[j]):
            difference, feature = x[i], x_features[i]
            i += 1
            if j < len(y) and y_features[j] == feature:
                difference -= y[j]
                j += 1
        else:
            difference = y[j]
            j += 1
        total += difference * difference
    return total


@compiled
def _square(rows: Any, norms: Any) -> None:
    for i in range(rows.shape[0]):
        norms[i] = _dot_product(rows[i], rows[i])


@compiled
def _measure_near_ones(
    dots: Any,
    x_sketches: Any,
    y_sketches: Any,
    squared_unit: float,
    X: Any,
    x_norms: Any,
    Y: Any,
    y_norms: Any,
    first: int,
    keys: Any,
    indices: Any,
    angles: Any,
) -> None:
    """Measure the pairs whose sketches are near enough, and keep the nearest.

    `dots`, `x_sketches` and `y_sketches` are products and squared norms of sketches.
    """
    k, two, by_angle = keys.shape[1], dots.dtype.type(2), angles.shape[1] > 0
    slack = _SAME if by_angle else 0.0
    for i in range(dots.shape[0]):
        row, key, index, angle = dots[i], keys[i], indices[i], angles[i]
        reach = dots.dtype.type((key[k - 1] + slack) / squared_unit - x_sketches[i])
        for j in range(row.shape[0]):
            if not y_sketches[j] - two * row[j] > reach:
                before = key[k - 1]
                if by_angle:
                    dot = _dot_product(X[i], Y[j])
                    _keep_angle(
                        dot, x_norms[i], y_norms[j], first + j, key, index, angle
                    )
                else:
                    distance = _squared_distance(X[i], Y[j])
                    if distance < before:
                        _insert(distance, first + j, key, index)
                if key[k - 1] < before:
                    far = (key[k - 1] + slack) / squared_unit - x_sketches[i]
                    reach = dots.dtype.type(far)


@compiled
def _keep_near_ones(
    dots: Any,
    x_values: Any,
    x_features: Any,
    x_starts: Any,
    x_norms: Any,
    y_values: Any,
    y_features: Any,
    y_starts: Any,
    y_norms: Any,
    first: int,
    keys: Any,
    indices: Any,
    angles: Any,
) -> None:
    """Measure the pairs of sparse rows that are near enough by their dot products."""
    k, by_angle = keys.shape[1], angles.shape[1] > 0
    for i in range(dots.shape[0]):
        row, key, index, angle = dots[i], keys[i], indices[i], angles[i]
        for j in range(row.shape[0]):
            if by_angle:
                dot = row[j]
                _keep_angle(dot, x_norms[i], y_norms[j], first + j, key, index, angle)
            else:
                size = x_norms[i] + y_norms[j]
                if size - 2.0 * row[j] - _CANCELLED * size < key[k - 1]:
                    a, b = x_starts[i], x_starts[i + 1]
                    c, d = y_starts[j], y_starts[j + 1]
                    distance = _squared_distance_sparse(
                        x_values[a:b], x_features[a:b], y_values[c:d], y_features[c:d]
                    )
                    if distance < key[k - 1]:
                        _insert(distance, first + j, key, index)


@compiled
def _keep_angle(
    dot: float,
    x_norm: float,
    y_norm: float,
    number: int,
    keys: Any,
    indices: Any,
    angles: Any,
) -> None:
    """Put a neighbour in its place by angle, if it is among the nearest.

    Angles with x compare by x·y/‖y‖; `angles` keeps x·y and ‖y‖² of the nearest.
    """
    norm = y_norm
    if x_norm > 0 and y_norm > 0:
        distance = max(2.0 - 2.0 * (dot / np.sqrt(y_norm) / np.sqrt(x_norm)), 0.0)
    elif x_norm > 0:
        # as far from x as a row at 60 degrees
        distance, dot, norm = 1.0, x_norm, 4.0 * x_norm
    elif y_norm > 0:
        distance, dot = 1.0, 0.0
    else:
        distance, dot, norm = 0.0, 1.0, 1.0
    place = len(keys)
    while place > 0:
        gap = distance - keys[place - 1]
        if abs(gap) <= _SAME:
            other = angles[place - 1]
            nearer = _is_more(dot, norm, other[0], other[1])
        else:
            nearer = gap < 0
        if not nearer:
            break
        place -= 1
    for at in range(len(keys) - 1, place, -1):
        keys[at], indices[at], angles[at] = (
            keys[at - 1],
            indices[at - 1],
            angles[at - 1],
        )
    if place < len(keys):
        keys[place], indices[place] = distance, number
        angles[place, 0], angles[place, 1] = dot, norm


@compiled
def _is_more(dot: float, norm: float, other_dot: float, other_norm: float) -> bool:
    """Whether dot/√norm > other_dot/√other_norm.

    In twice the precision of float64, so exactly for whole numbers of which dot²·norm
    is below 2¹⁰⁵.
    """
    sign, other_sign = np.sign(dot), np.sign(other_dot)
    if sign != other_sign or sign == 0:
        return sign > other_sign
    # a power of two keeps the squares within range
    exponent = math.frexp(max(abs(dot), abs(other_dot)))[1]
    high, low = _square_times(math.ldexp(dot, -exponent), other_norm)
    other_high, other_low = _square_times(math.ldexp(other_dot, -exponent), norm)
    if high == other_high:
        larger, smaller = low > other_low, low < other_low
    else:
        larger, smaller = high > other_high, high < other_high
    return larger if sign > 0 else smaller


@compiled
def _square_times(a: float, b: float) -> tuple[float, float]:
    """a²·b as the sum of two floats."""
    high, low = _exact_product(a, a)
    product, rest = _exact_product(high, b)
    rest += low * b
    total = product + rest
    return total, rest - (total - product)


@compiled
def _exact_product(a: float, b: float) -> tuple[float, float]:
    """a·b as the sum of two floats, by Dekker's halves of 26 bits."""
    c, d = 134217729.0 * a, 134217729.0 * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low = a - a_high, b - b_high
    product = a * b
    rest = a_high * b_high - product + a_high * b_low + a_low * b_high
    return product, rest + a_low * b_low
