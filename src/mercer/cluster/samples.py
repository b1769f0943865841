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


class SamplesByNumber:
    """Samples that came in parts, found by their numbers."""

    def __init__(self) -> None:
        self._row: dict[int, int] = {}
        self._parts: list[Matrix] = []
        self.n_bytes = 0

    def __len__(self) -> int:
        return len(self._row)

    def has(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of them are here."""
        return np.array([number in self._row for number in numbers.tolist()], bool)

    def add(self, numbers: NDArray[np.int64], X: Matrix) -> None:
        """Take in samples that are not here yet."""
        first = len(self._row)
        self._row.update(zip(numbers.tolist(), range(first, first + len(numbers))))
        self._parts.append(X)
        self.n_bytes += n_bytes(X)

    def take(self, numbers: NDArray[np.int64]) -> Matrix:
        """The samples with these numbers."""
        if len(self._parts) > 1:
            self._parts = [stack(self._parts)]
        rows = np.array([self._row[number] for number in numbers.tolist()], np.intp)
        return self._parts[0][rows]
