"""The nearest samples in a kernel's feature space, a tile at a time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled


def empty_neighbours(
    n_samples: int, k: int, dtype: Any
) -> tuple[NDArray, NDArray[np.int64]]:
    """Keys and indices of neighbours, none found yet."""
    return np.full((n_samples, k), np.inf, dtype), np.full((n_samples, k), -1, np.int64)


@compiled
def add_neighbours(
    values: Any, diagonal: Any, first: int, keys: Any, indices: Any
) -> None:
    """Go through kernel values of columns `first` and on, and keep the nearest.

    The squared distance is k(x, x) + k(y, y) - 2k(x, y); the first term is the same for
    all of a row and is left out of the key. Of equally near ones the first stays ahead.
    """
    k = keys.shape[1]
    two = values.dtype.type(2)
    for i in range(values.shape[0]):
        row, key, index = values[i], keys[i], indices[i]
        farthest = key[k - 1]
        for j in range(row.shape[0]):
            distance = diagonal[j] - two * row[j]
            if distance < farthest:
                place = k - 1
                while place > 0 and key[place - 1] > distance:
                    key[place] = key[place - 1]
                    index[place] = index[place - 1]
                    place -= 1
                key[place] = distance
                index[place] = first + j
                farthest = key[k - 1]


@compiled
def count_votes(indices: Any, labels: Any, votes: Any) -> None:
    """Count the classes of the neighbours in each row."""
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            votes[i, labels[indices[i, j]]] += 1
