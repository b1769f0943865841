"""The nearest training samples in a kernel's feature space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix
from mercer.estimators.equal_rows import EqualRows
from mercer.kernels import (
    Cosine,
    Exponential,
    Gaussian,
    Kernel,
    Linear,
    visit_tiles,
)
from mercer.solvers.neighbours import add_neighbours, empty_neighbours, nearest


def find_neighbours(
    kernel: Kernel, X: Matrix, Y: Matrix, k: int, equal: EqualRows | None = None
) -> tuple[NDArray, NDArray[np.int64]]:
    """Squared distances in feature space from rows of X to the k nearest rows of Y.

    The second array has their numbers. Of equally near ones the first is ahead. Which
    rows of Y are `equal` may be known.
    """
    if not ranks_by_distance(kernel):
        return _by_kernel_values(kernel, X, Y, k, equal or EqualRows(Y))
    squares, indices = nearest(X, Y, k, by_angle=type(kernel) is Cosine)
    if isinstance(kernel, Gaussian | Exponential):
        squares = 2 - 2 * kernel.combine(dict.fromkeys(kernel.bases, squares))
    return squares, indices


def ranks_by_distance(kernel: Kernel) -> bool:
    """Whether the nearest in feature space are the nearest by angle or by distance.

    A subclass may have changed the values.
    """
    if type(kernel) in (Gaussian, Exponential):
        return kernel.gamma > 0  # type: ignore[attr-defined]
    return type(kernel) in (Linear, Cosine)


def _by_kernel_values(
    kernel: Kernel, X: Matrix, Y: Matrix, k: int, equal: EqualRows
) -> tuple[NDArray, NDArray[np.int64]]:
    n = len(equal.different)
    if n < len(equal):
        Y = Y[equal.different]
    diagonal = kernel.diag(Y)
    keys, indices = empty_neighbours(X.shape[0], min(k, n), diagonal.dtype)

    def add(i: slice, j: slice, values: NDArray) -> None:
        values = values.astype(keys.dtype, copy=False)
        add_neighbours(values, diagonal[j], j.start, keys[i], indices[i])

    visit_tiles(kernel, X, Y, add)
    if n < len(equal):
        keys, indices = equal.spread(keys, indices, k)
    return np.maximum(keys + kernel.diag(X)[:, None], 0), indices
