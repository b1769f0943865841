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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._threads import parallel_map
from mercer._validation import Matrix, is_sparse
from mercer.solvers._near_pairs import (
    add_neighbours,
    keep_near_ones,
    measure_near_ones,
    spread_over_equals,
)
from mercer.solvers._sketches import (
    ROWS,
    ScaledRows,
    Sketch,
    times_power_of_two,
    tiny_exponent,
)

__all__ = [
    "add_neighbours",
    "count_votes",
    "empty_neighbours",
    "nearest",
    "spread_over_equals",
]

_COLUMNS = 1024  # of a tile


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
    exponent = 0 if by_angle else tiny_exponent(X, Y)
    if exponent:
        X, Y = times_power_of_two(X, -exponent), times_power_of_two(Y, -exponent)
    x, y = ScaledRows.of(X, by_angle), ScaledRows.of(Y, by_angle)
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


def _search_dense(x: ScaledRows, y: ScaledRows, found: _Found) -> None:
    # a sketch that overflows rules nothing out, so its pairs are measured
    with np.errstate(over="ignore", invalid="ignore"):
        sketch = Sketch(x, y, found.keys.shape[1])
        (a, a_norms), (b, b_norms) = sketch.of(x), sketch.of(y)

    def search(start: int) -> None:
        i = slice(start, start + ROWS)
        for first in range(0, len(y), _COLUMNS):
            j = slice(first, first + _COLUMNS)
            with np.errstate(over="ignore", invalid="ignore"):
                dots = a[i] @ b[j].T
            measure_near_ones(
                *(dots, a_norms[i], b_norms[j], sketch.squared_unit),
                *(x.rows[i], x.norms[i], y.rows[j], y.norms[j], first),
                *found.rows(i),
            )

    parallel_map(search, range(0, len(x), ROWS))


def _search_sparse(x: ScaledRows, y: ScaledRows, found: _Found) -> None:
    # few features of sparse rows meet, and products of sparse matrices make use of that
    starts = range(0, len(y), _COLUMNS)
    parts = [y.rows[first : first + _COLUMNS] for first in starts]
    transposed = [part.T.tocsr() for part in parts]

    def search(start: int) -> None:
        i = slice(start, start + ROWS)
        own = x.rows[i]
        for first, part, columns in zip(starts, parts, transposed):
            keep_near_ones(
                *((own @ columns).toarray(), own.data, own.indices, own.indptr),
                *(x.norms[i], part.data, part.indices, part.indptr),
                *(y.norms[first : first + _COLUMNS], first, *found.rows(i)),
            )

    parallel_map(search, range(0, len(x), ROWS))


@compiled
def count_votes(indices: Any, labels: Any, votes: Any) -> None:
    """Count the classes of the neighbours in each row."""
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            votes[i, labels[indices[i, j]]] += 1
