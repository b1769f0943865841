"""Rows that equal others: rounding may give them other kernel values, but must not."""

from __future__ import annotations

import hashlib
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix, is_sparse
from mercer.solvers.neighbours import empty_neighbours, spread_over_equals


class EqualRows:
    """Which rows of a matrix equal which.

    `first` is the first row that equals each, `different` are the rows that are first.

    >>> equal = EqualRows(np.array([[1.0], [2.0], [1.0]]))
    >>> equal.first, equal.different
    (array([0, 1, 0]), array([0, 1]))
    """

    def __init__(self, X: Matrix) -> None:
        known: dict[bytes, int] = {}
        rows = enumerate(row_digests(X))
        self.first = np.array([known.setdefault(d, i) for i, d in rows], np.intp)
        self.different = np.unique(self.first)

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def _groups(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """All rows, those that are equal together, and where a group starts."""
        members = np.argsort(self.first, kind="stable")
        starts = np.searchsorted(self.first[members], self.different)
        return members, np.append(starts, len(self))

    def spread(
        self, keys: NDArray, indices: NDArray[np.int64], k: int
    ) -> tuple[NDArray, NDArray[np.int64]]:
        """The k nearest of all rows, from the nearest of the different ones.

        `indices` count the different ones; of equally near rows the first is ahead.
        """
        all_keys, all_indices = empty_neighbours(len(keys), k, keys.dtype)
        spread_over_equals(keys, indices, *self._groups, all_keys, all_indices)
        return all_keys, all_indices


def row_digests(X: Matrix) -> list[bytes]:
    """Sixteen bytes for each row, the same for equal ones alone."""
    if not is_sparse(X):
        return [_digest(row) for row in np.ascontiguousarray(X)]
    X = X.tocsr(copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    cuts = pairwise(X.indptr.tolist())
    return [_digest(X.indices[a:b], X.data[a:b]) for a, b in cuts]


def _digest(*arrays: NDArray) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(array.data)
    return digest.digest()
