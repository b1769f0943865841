"""Base matrices: what the members of a family of kernels share.

A `Points` is a set of samples made ready for one base. Dot products are summed in up to
four groups of features, which keeps the rounding of float32 four times smaller than one
long sum. Squared distances come from centred samples, since ‖x‖² + ‖y‖² − 2x·y cancels
the less the nearer the origin is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._validation import Matrix, is_sparse
from mercer.kernels._elementwise import to_squared_distances

_GROUPS, _SMALLEST_GROUP = 4, 64


class Base(Enum):
    """The matrix under a family of kernels."""

    DOT = "dot products"
    SQUARED_DISTANCE = "squared distances"
    COSINE = "cosines"


@dataclass(frozen=True, eq=False)
class Points:
    """Samples made ready for one base matrix."""

    base: Base
    groups: tuple[Matrix, ...]  # the features, in groups; sparse samples are one group
    diagonal: NDArray  # the base matrix's own diagonal
    norms: NDArray  # squared norms after centring
    centre: NDArray | None

    @classmethod
    def prepare(cls, base: Base, X: Matrix, like: Points | None = None) -> Points:
        """Make X ready; with `like`, for products with those points."""
        if like is not None:
            X = _stored_like(X, like.groups[0])
        centre = None
        norms = squared_norms(X)
        if base is Base.SQUARED_DISTANCE:
            if like is not None:
                centre = like.centre
            elif not is_sparse(X):
                centre = X.mean(axis=0, dtype=np.float64)
            if centre is not None:
                X = (X - centre).astype(X.dtype, copy=False)
                norms = squared_norms(X)
            diagonal = np.zeros_like(norms)
        elif base is Base.COSINE:
            X, diagonal = _normalised(X, norms)
        else:
            diagonal = norms
        return cls(base, _in_groups(X), diagonal, norms, centre)

    def __len__(self) -> int:
        return int(self.groups[0].shape[0])

    @property
    def dtype(self) -> np.dtype:
        return self.norms.dtype

    def take(self, rows: NDArray | slice) -> Points:
        """Some of the points."""
        return Points(
            self.base,
            tuple(group[rows] for group in self.groups),
            self.diagonal[rows],
            self.norms[rows],
            self.centre,
        )


def squared_norms(X: Matrix) -> NDArray:
    """‖x‖² of each row, summed in float64, in the type of X."""
    if is_sparse(X):
        squares = X.multiply(X).astype(np.float64)
        norms = np.asarray(squares.sum(axis=1)).ravel()
    else:
        norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    return norms.astype(X.dtype)


def base_tile(rows: Points, columns: Points, i: slice, j: slice) -> NDArray:
    """The base matrix between rows[i] and columns[j]."""
    first, *others = zip(rows.groups, columns.groups)
    if is_sparse(first[0]):
        tile = (first[0][i] @ first[1][j].T).toarray()
    else:
        tile = first[0][i] @ first[1][j].T
        for a, b in others:
            tile += a[i] @ b[j].T
    if rows.base is Base.SQUARED_DISTANCE:
        to_squared_distances(tile, rows.norms[i], columns.norms[j])
    return tile


def _stored_like(X: Matrix, other: Matrix) -> Matrix:
    if is_sparse(X) and not is_sparse(other):
        return X.toarray()
    if is_sparse(other) and not is_sparse(X):
        return sparse.csr_array(X)
    return X


def _in_groups(X: Matrix) -> tuple[Matrix, ...]:
    if is_sparse(X):
        return (X,)
    width = max(_SMALLEST_GROUP, -(-X.shape[1] // _GROUPS))
    starts = range(0, X.shape[1], width)
    return tuple(np.ascontiguousarray(X[:, s : s + width]) for s in starts)


def _normalised(X: Matrix, norms: NDArray) -> tuple[Matrix, NDArray]:
    lengths = np.sqrt(norms)
    nonzero = lengths > 0
    inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=nonzero)
    if is_sparse(X):
        return sparse.csr_array(X.multiply(inverse[:, None])), nonzero.astype(X.dtype)
    return X * inverse[:, None], nonzero.astype(X.dtype)
