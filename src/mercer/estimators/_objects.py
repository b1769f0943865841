"""Samples of any kind: rows of a matrix, or whatever a kernel of one's own takes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._compat import safe_indexing
from mercer._threads import parallel_map
from mercer._validation import as_matrix, is_sparse
from mercer.exceptions import DataError

Allocate = Callable[[tuple[int, ...], np.dtype], NDArray]

_FEW_VALUES = 2**17  # of which dense products are as fast as sparse ones
_MANY_BYTES, _BYTES_AT_ONCE = 2**24, 2**20  # of samples, which are copied on threads
_BLOCK = 16  # samples whose values with each other are made for the diagonal


def count(X: Any) -> int:
    """How many samples there are."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def take(X: Any, rows: NDArray[np.integer], allocate: Allocate = np.empty) -> Any:
    """Some of the samples; many of them in memory that is allocated by this."""
    if isinstance(X, np.ndarray):
        many = len(rows) * X[:1].nbytes >= _MANY_BYTES and X.flags.c_contiguous
        return _take_many(X, rows, allocate) if many and X.ndim == 2 else X[rows]
    by_rows = is_sparse(X) and X.format == "csr"
    return X[rows] if by_rows else safe_indexing(X, rows)


def _take_many(X: NDArray, rows: NDArray[np.integer], allocate: Allocate) -> NDArray:
    """On all threads: one alone would wait for each of the pages of fresh memory."""
    taken: NDArray = allocate((len(rows), X.shape[1]), X.dtype)
    height = max(1, _BYTES_AT_ONCE // X[:1].nbytes)

    def copy(first: int) -> None:
        part = slice(first, first + height)
        # with a mode other than this one NumPy makes a copy first
        np.take(X, rows[part], axis=0, out=taken[part], mode="clip")

    parallel_map(copy, range(0, len(rows), height))
    return taken


def stack(*parts: Any) -> Any:
    """The samples of all parts."""
    if isinstance(parts[0], list):
        return list(itertools.chain(*parts))
    if any(map(is_sparse, parts)):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def densely(X: Any) -> Any:
    """Few sparse samples as dense ones: the same kernel values, to the last bit."""
    small = is_sparse(X) and X.shape[0] * X.shape[1] <= _FEW_VALUES
    return X.toarray() if small else X


def kernel_values(function: Any, X: Any, Y: Any) -> NDArray:
    """What a kernel of one's own says about two sets of samples."""
    values, shape = function(X, Y), (count(X), count(Y))
    values = values.toarray() if is_sparse(values) else np.asarray(values)
    if values.shape != shape:
        raise DataError(
            f"The kernel returned an array of shape {values.shape} for {shape[0]} and "
            f"{shape[1]} samples; it must be {shape}."
        )
    return np.asarray(as_matrix(values, "The matrix that the kernel returned"))


def kernel_diagonal(function: Any, X: Any) -> NDArray:
    """k(x, x) of each sample, without the whole matrix."""
    blocks = np.split(np.arange(count(X)), range(_BLOCK, count(X), _BLOCK))
    parts = (take(X, block) for block in blocks)
    return np.concatenate(
        [np.diagonal(kernel_values(function, part, part)) for part in parts]
    )
