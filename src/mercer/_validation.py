"""Checks of arrays, scores, priors and costs: sentences that say where and what to do.

Rows are counted from 0, as NumPy counts them.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer.exceptions import DataError, ParameterError

#: a dense array or a CSR matrix; SciPy carries no types
Matrix = Any
#: some of the samples: their numbers, or a slice
Rows = NDArray[np.integer] | slice


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse arrays or matrices."""
    return bool(sparse.issparse(X))


def as_matrix(X: Any, name: str = "X", look: bool = True) -> Matrix:
    """A dense C-ordered or CSR matrix of float32 or float64, all values finite.

    float32 stays as it is; every other number becomes float64. Without a look, somebody
    else finds out whether values are finite.
    """
    if is_sparse(X):
        X = X.tocsr()
        X = X if X.dtype == np.float32 else X.astype(np.float64)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
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
    if look:
        # one sum tells whether anything is wrong; only then look for where
        with np.errstate(over="ignore"):  # the sum of very large values says nothing
            total = values.sum()
        if not np.isfinite(total):
            check_finite(X, values, name)
    return X


def check_finite(X: Matrix, values: NDArray, name: str) -> None:
    """Say where in X something is not finite, if one of these values is not."""
    if not np.isfinite(values).all():
        raise DataError(_where_not_finite(X, name))


def first_place(X: Matrix, bad: NDArray[np.bool_]) -> tuple[int, int]:
    """Row and column of the first bad one among the values that X stores."""
    place = int(np.argmax(bad))
    if not is_sparse(X):
        return divmod(place, X.shape[1])
    row = int(np.searchsorted(X.indptr, place, side="right")) - 1
    return row, int(X.indices[place])


def _where_not_finite(X: Matrix, name: str) -> str:
    row, column = first_place(X, ~np.isfinite(X.data if is_sparse(X) else X))
    value = X[row, column]
    return (
        f"{name} holds {value} in row {row}, column {column} (counted from 0); "
        "fill in or drop such rows first."
    )


def check_same_length(first: Any, second: Any, names: tuple[str, str]) -> None:
    """Raise unless both have the same number of rows; what has none is let pass."""
    lengths = [
        item.shape[0] if hasattr(item, "shape") and item.shape else len(item)
        for item in (first, second)
        if hasattr(item, "shape") or hasattr(item, "__len__")
    ]
    if len(lengths) == 2 and lengths[0] != lengths[1]:
        raise DataError(
            f"{names[0]} has {lengths[0]} rows and {names[1]} has {lengths[1]}; "
            "they must describe the same samples."
        )


def check_finite_scores(scores: NDArray[np.float64]) -> None:
    """Raise if a score is NaN or infinite."""
    good = np.isfinite(scores)
    if good.all():
        return
    row = int(np.argwhere(~good)[0, 0])
    kind = "NaN" if np.isnan(scores[row]).any() else "an infinite value (inf)"
    raise DataError(
        f"scores holds {kind} in row {row}; "
        "scores must be finite, so drop that row or clip it."
    )


def check_prior(prior: float) -> float:
    """Return `prior` as a float inside (0, 1)."""
    if not 0.0 < prior < 1.0:
        raise ParameterError(
            f"prior must lie strictly between 0 and 1, but it is {prior}; it is the "
            "probability of the positive class before the score is seen."
        )
    return float(prior)


def check_priors(priors: ArrayLike, n_classes: int, name: str) -> NDArray[np.float64]:
    """Return one prior for each class; together they sum to 1."""
    array = np.asarray(priors, dtype=np.float64)
    if array.shape != (n_classes,):
        raise ParameterError(
            f"{name} has the shape {array.shape}, but there are {n_classes} classes; "
            "give one probability per class, in the order of the sorted classes."
        )
    if not (np.all((array > 0.0) & (array < 1.0)) and np.isclose(array.sum(), 1.0)):
        raise ParameterError(
            f"{name} is {array.tolist()}; each class's prior must lie strictly between "
            "0 and 1 and together they must sum to 1."
        )
    return np.asarray(array / array.sum())


def check_cost_matrix(cost_matrix: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return costs, finite and not negative, with the truth in rows."""
    costs = np.asarray(cost_matrix, dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}, but there are {n_classes} "
            f"classes; it must be {n_classes} x {n_classes}, with the true class in "
            "rows and the decision in columns."
        )
    bad = ~(np.isfinite(costs) & (costs >= 0.0))
    if np.any(bad):
        row, column = np.argwhere(bad)[0]
        raise ParameterError(
            f"cost_matrix holds {costs[row, column]} in row {row}, column {column}; "
            "costs must be finite and not negative."
        )
    return costs


def is_unicode(texts: NDArray) -> bool:
    """Whether an array of texts holds signs of Unicode only; Python makes no others."""
    if not texts.dtype.itemsize:
        return True
    signs = np.dtype(np.uint32).newbyteorder(texts.dtype.byteorder)
    codes = np.ascontiguousarray(texts).reshape(-1).view(signs)
    surrogates = (codes >= 0xD800) & (codes <= 0xDFFF)
    return not (surrogates | (codes > sys.maxunicode)).any()
