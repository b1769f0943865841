"""Samples by their number among all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._validation import Matrix, is_sparse


def n_bytes(X: Matrix) -> int:
    """What samples take in memory."""
    arrays = (X.data, X.indices, X.indptr) if is_sparse(X) else (X,)
    return sum(array.nbytes for array in arrays)


def stack(parts: list[Matrix]) -> Matrix:
    """Samples one below the other."""
    if len(parts) == 1:
        return parts[0]
    if is_sparse(parts[0]):
        return sparse.csr_array(sparse.vstack(parts, format="csr"))
    return np.concatenate(parts)


def put_together(parts: list[Matrix], places: list[NDArray[np.intp]]) -> Matrix:
    """Samples of all parts, each in its place."""
    if is_sparse(parts[0]):
        return stack(parts)[np.argsort(np.concatenate(places), kind="stable")]
    shape = sum(map(len, places)), parts[0].shape[1]
    X = np.empty(shape, parts[0].dtype)
    for part, place in zip(parts, places):
        X[place] = part
    return X


class SamplesByNumber:
    """Samples that came in parts, found by their numbers."""

    def __init__(self) -> None:
        self._row: dict[int, int] = {}
        self._samples: Matrix | None = None  # an array may have room for more
        self.n_bytes = 0

    def __len__(self) -> int:
        return len(self._row)

    def has(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of them are here."""
        return np.array([number in self._row for number in numbers.tolist()], bool)

    def add(self, numbers: NDArray[np.int64], X: Matrix) -> None:
        """Take in samples that are not here yet."""
        first, stop = len(self._row), len(self._row) + len(numbers)
        self._row.update(zip(numbers.tolist(), range(first, stop)))
        self.n_bytes += n_bytes(X)
        if self._samples is None:
            self._samples = X
        elif is_sparse(X):
            self._samples = stack([self._samples, X])
        else:
            self._samples = _with_room(self._samples, first, stop)
            self._samples[first:stop] = X

    def take(self, numbers: NDArray[np.int64]) -> Matrix:
        """The samples with these numbers."""
        assert self._samples is not None
        rows = np.array([self._row[number] for number in numbers.tolist()], np.intp)
        return self._samples[rows]


def _with_room(X: NDArray, n: int, least: int) -> NDArray:
    """The first n rows in an array of at least so many; twice as many as it grows."""
    if len(X) >= least:
        return X
    larger = np.empty((max(least, 2 * n), X.shape[1]), X.dtype)
    larger[:n] = X[:n]
    return larger
