"""Samples of any kind: rows of a matrix, or whatever a kernel of one's own takes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._compat import safe_indexing
from mercer._validation import as_matrix, is_sparse
from mercer.exceptions import DataError

_FEW_VALUES = 2**17  # of which dense products are as fast as sparse ones
_BLOCK = 16  # samples whose values with each other are made for the diagonal


def count(X: Any) -> int:
    """How many samples there are."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def take(X: Any, rows: NDArray[np.integer]) -> Any:
    """Some of the samples."""
    by_rows = isinstance(X, np.ndarray) or (is_sparse(X) and X.format == "csr")
    return X[rows] if by_rows else safe_indexing(X, rows)


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
