"""What calibration asks of its input, and the sentences it answers with.

Rows are counted from 0, as NumPy counts them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold, check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer._decision_checks import check_lengths
from mercer.exceptions import DataError, ParameterError


def check_ridge(ridge: float) -> float:
    """Return the ridge: finite and positive."""
    if not 0.0 < ridge < np.inf:
        raise ParameterError(
            f"ridge must be a positive number, but it is {ridge}; without any, scores "
            "that separate the classes have no finite calibration."
        )
    return float(ridge)


def check_method(method: str) -> str:
    """Return "logistic" or "pav"."""
    if method not in ("logistic", "pav"):
        raise ParameterError(
            f"method is {method!r}, which does not exist; use 'logistic' or 'pav'."
        )
    return method


def is_flat(values: Any) -> bool:
    """Say whether an array, frame, sparse matrix or list has one dimension."""
    if not hasattr(values, "ndim"):
        values = np.asarray(values)
    return bool(values.ndim == 1)


def check_labels(y: Any) -> NDArray[Any]:
    """Return one-dimensional class labels without missing values."""
    if y is None:
        raise DataError("fit requires y to be passed, but the target y is None.")
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.size == 0:
        raise DataError("y is empty; give samples of at least two classes.")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels)))
        raise DataError(f"y holds {labels[row]} in row {row}; give it a label.")
    check_classification_targets(labels)
    return labels


def check_both_lengths(first: Any, second: Any, names: tuple[str, str]) -> None:
    """Raise if both have a length and the lengths differ."""
    lengths = [
        item.shape[0] if hasattr(item, "shape") and item.shape else len(item)
        for item in (first, second)
        if hasattr(item, "shape") or hasattr(item, "__len__")
    ]
    if len(lengths) == 2:
        check_lengths(lengths[0], lengths[1], names)


def make_folds(
    cv: Any, y: NDArray[Any], random_state: Any = None
) -> BaseCrossValidator:
    """Return a splitter; a number means that many shuffled stratified folds."""
    if not isinstance(cv, int | np.integer):
        return check_cv(cv, y, classifier=True)
    if cv < 2:
        raise ParameterError(f"cv is {cv}; cross-calibration needs at least 2 folds.")
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < cv:
        raise DataError(
            f"cv is {cv}, but class {classes[counts.argmin()]} has only "
            f"{counts.min()} samples; every fold needs one, so use fewer folds."
        )
    return StratifiedKFold(cv, shuffle=True, random_state=random_state)
