"""Points, and sketches of them of which the distance is never larger."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer._validation import Matrix, is_sparse
from mercer.exceptions import DataError
from mercer.solvers._near_pairs import square_rows

ROWS = 256  # sketched, and compared, at a time
_SAMPLE = 4096  # points that show in which directions all vary
_TRIED = 32, 2048  # rows and columns on which the width of sketches is chosen
_DEAR = 30  # a pair measured alone costs so many in a matrix product
_NARROW, _SMALL = 48, 1 << 20  # features, and pairs, for which sketches do not pay
_FAR = 1e100  # squares below, and above its inverse, are well within the floats


@dataclass(frozen=True)
class ScaledRows:
    """Rows, their squared norms, and what each is multiplied by.

    That is 1, or by angle the inverse length. By angle, rows whose squares are hardly
    floats are first multiplied by a power of two, which changes no angle, and rows
    along an axis have length 1, so that their products do not round.
    """

    rows: Matrix
    norms: NDArray[np.float64]
    scales: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Matrix, by_angle: bool) -> ScaledRows:
        if is_sparse(rows):
            rows = rows.astype(np.float64, copy=True)
            rows.sum_duplicates()  # sorts them, too
            rows.eliminate_zeros()
        norms = _squared_norms(rows)
        if not by_angle:
            _check_range(norms)
            return cls(rows, norms, np.ones(len(norms)))
        axis_rows = np.flatnonzero(_count_nonzero(rows) == 1)
        if len(axis_rows):
            rows = _signs_in(rows, axis_rows)
            norms[axis_rows] = 1.0
        extreme = ~((norms > 1 / _FAR) & (norms < _FAR))
        if extreme.any():
            exponents = np.where(extreme, np.frexp(_largest(rows))[1], 0)
            rows = times_power_of_two(rows, -exponents)
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
        square_rows(rows, norms)
        return norms


def _count_nonzero(rows: Matrix) -> NDArray[np.intp]:
    return np.diff(rows.indptr) if is_sparse(rows) else np.count_nonzero(rows, axis=1)


def _signs_in(rows: Matrix, at: NDArray[np.intp]) -> Matrix:
    """A copy with the signs of the values in these rows, of one value each."""
    rows = rows.copy()
    if is_sparse(rows):
        rows.data[rows.indptr[at]] = np.sign(rows.data[rows.indptr[at]])
    else:
        rows[at] = np.sign(rows[at])
    return rows


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


def tiny_exponent(X: Matrix, Y: Matrix) -> int:
    """The binary exponent of the largest value, if squares underflow; else 0."""
    largest = max(float(_largest(rows).max(initial=0)) for rows in (X, Y))
    return int(np.frexp(largest)[1]) if 0 < largest < 1 / _FAR else 0


def times_power_of_two(rows: Matrix, exponents: NDArray | int) -> Matrix:
    exponents = np.broadcast_to(exponents, rows.shape[0])
    if not is_sparse(rows):
        return np.ldexp(rows.astype(np.float64), exponents[:, None])
    rows = rows.astype(np.float64, copy=True)
    rows.data = np.ldexp(rows.data, np.repeat(exponents, np.diff(rows.indptr)))
    return rows


class Sketch:
    """How points are sketched: moved to their mean, divided by a unit, projected."""

    def __init__(self, x: ScaledRows, y: ScaledRows, k: int) -> None:
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

    def of(self, points: ScaledRows) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Sketches, and their squared norms less what rounding may have added."""
        parts = parallel_map(
            lambda i: self._project(points.take(slice(i, i + ROWS))),
            range(0, len(points), ROWS),
        )
        sketches = np.concatenate(parts)
        norms = np.einsum("ij,ij->i", sketches, sketches)
        return sketches, norms * (1 - self._margin)

    def _project(self, points: NDArray[np.float64]) -> NDArray[np.float32]:
        moved = ((points - self._centre) / self._unit).astype(np.float32)
        return moved if self._directions is None else _split(moved, self._directions)

    def _choose(
        self, directions: NDArray[np.float32], x: ScaledRows, y: ScaledRows, k: int
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
