"""Checks of arrays, each with a sentence that says where and what to do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.exceptions import DataError

#: a dense array or a CSR matrix; SciPy carries no types
Matrix = Any
#: some of the samples: their numbers, or a slice
Rows = NDArray[np.integer] | slice


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse arrays or matrices."""
    return bool(sparse.issparse(X))


def as_matrix(X: Any, name: str = "X") -> Matrix:
    """A dense C-ordered or CSR matrix of float32 or float64, all values finite.

    float32 stays as it is; every other number becomes float64.
    """
    if is_sparse(X):
        X = X.tocsr()
        X = X if X.dtype == np.float32 else X.astype(np.float64)
        values = X.data
    else:
        X = np.asarray(X)
        if X.dtype.kind not in "fiub":
            raise DataError(
                f"{name} holds values of type {X.dtype}, not numbers; "
                "turn them into numbers first."
            )
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        X = np.ascontiguousarray(X, dtype=dtype)
        values = X
    if X.ndim != 2:
        raise DataError(
            f"{name} has {X.ndim} dimension(s), expected a table of 2: one row a "
            "sample; reshape it (one sample: X.reshape(1, -1))."
        )
    if X.shape[1] == 0:
        raise DataError(f"{name} has no features (shape {X.shape}).")
    # one sum tells whether anything is wrong; only then look for where
    if not np.isfinite(values.sum(dtype=np.float64)) and not np.isfinite(values).all():
        raise DataError(_where_not_finite(X, name))
    return X


def _where_not_finite(X: Matrix, name: str) -> str:
    if is_sparse(X):
        position = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row = int(np.searchsorted(X.indptr, position, side="right")) - 1
        column, value = int(X.indices[position]), X.data[position]
    else:
        row, column = (int(i[0]) for i in np.nonzero(~np.isfinite(X)))
        value = X[row, column]
    return (
        f"{name} holds {value} in row {row}, column {column} (counted from 0); "
        "fill in or drop such rows first."
    )
