"""Arrays of which a glance shows that they are what they should be.

Whatever is not goes to scikit-learn, which converts it or says what is wrong.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._threads import parallel_map

_CSR = sparse.csr_array, sparse.csr_matrix
_AT_ONCE = 2**20  # values that a thread looks at
_LARGE = 2**62  # of whole numbers that are counted with


def is_plain_matrix(X: Any, look: bool = True, accept_sparse: bool = False) -> bool:
    """Whether X is a table of floats in the order of C, or CSR if that is accepted.

    All finite, if one may look.
    """
    values = X
    if accept_sparse and type(X) in _CSR:
        values = X.data
    elif type(X) is not np.ndarray or not X.flags.c_contiguous:
        return False
    if X.ndim != 2 or not all(X.shape) or X.dtype not in (np.float32, np.float64):
        return False
    return not look or _is_finite(values)


def _is_finite(values: NDArray) -> bool:
    """Whether all values are finite; not if that cannot be told at a glance."""

    def add(part: NDArray) -> float:
        with np.errstate(over="ignore", invalid="ignore"):  # then it says nothing
            return float(part.sum())

    if values.size <= _AT_ONCE:
        return math.isfinite(add(values))
    n_parts = min(len(values), -(-values.size // _AT_ONCE))
    return all(map(math.isfinite, parallel_map(add, np.array_split(values, n_parts))))


def are_plain_labels(y: Any, n_samples: int) -> bool:
    """Whether y is a column of whole numbers, one for each sample."""
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu"
    return plain and len(y) == n_samples


def are_clearly_classes(y: NDArray) -> bool:
    """Whether y holds whole numbers, of which at most half are different."""
    if y.dtype.kind not in "biu" or not len(y):
        return False
    return _are_narrow(y) or 2 * len(np.unique(y)) <= len(y)


def encode(y: NDArray) -> tuple[NDArray, NDArray[np.intp]]:
    """The classes, and the index of each label among them; as `numpy.unique`.

    >>> classes, y_encoded = encode(np.array([7, 5, 7, 9, 5, 5, 7, 9, 9, 7]))
    >>> classes.tolist(), y_encoded.tolist()
    ([5, 7, 9], [1, 0, 1, 2, 0, 0, 1, 2, 2, 1])
    """
    if y.dtype.kind not in "biu" or not len(y) or not _are_narrow(y):
        classes, y_encoded = np.unique(y, return_inverse=True)
        return classes, y_encoded
    low = y.min()  # counted, not sorted
    steps = y.astype(np.intp) - int(low)
    (there,) = np.bincount(steps).nonzero()
    number = np.empty(there[-1] + 1, np.intp)
    number[there] = np.arange(len(there))
    return (there + int(low)).astype(y.dtype), number[steps]


def _are_narrow(y: NDArray) -> bool:
    """Whether whole numbers lie so close together that at most half are different."""
    low, high = int(y.min()), int(y.max())
    return 2 * (high - low + 1) <= len(y) and -_LARGE <= low <= high <= _LARGE
