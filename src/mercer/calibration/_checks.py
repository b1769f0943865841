"""What calibration asks of its input, and the sentences it answers with.

Rows are counted from 0, as NumPy counts them.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold, check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer._compat import check_sample_weight
from mercer._validation import check_cost_matrix, check_priors
from mercer.exceptions import DataError, ParameterError


def check_method_and_ridge(method: str, ridge: float) -> None:
    """Raise unless the method exists, and the ridge is finite and positive."""
    if method not in ("logistic", "pav"):
        raise ParameterError(
            f"method is {method!r}, which does not exist; use 'logistic' or 'pav'."
        )
    if not 0.0 < ridge < np.inf:
        raise ParameterError(
            f"ridge must be a positive number, but it is {ridge}; without any, scores "
            "that separate the classes have no finite calibration."
        )


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


def check_weights(
    sample_weight: Any, X: Any, y_encoded: NDArray[np.intp], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return a weight for each sample; those of no class may all be 0."""
    weights: NDArray[np.float64] = check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    sums = np.bincount(y_encoded, weights, minlength=len(classes))
    if not (sums > 0).all():
        raise DataError(
            f"All samples of class {classes[sums.argmin()]} have sample_weight 0; "
            "calibration needs samples of every class."
        )
    return weights


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


def priors_or_frequencies(
    prior: float | ArrayLike | None, frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one prior per class; the frequencies unless given."""
    if prior is None:
        return frequencies
    priors = np.asarray(prior, dtype=np.float64)
    if priors.ndim == 0 and len(frequencies) == 2:
        priors = np.array([1.0 - priors, priors])
    return check_priors(priors, len(frequencies), "prior")


def costs_or_none(
    cost_matrix: ArrayLike | None, n_classes: int
) -> NDArray[np.float64] | None:
    """Return the costs, or None where every mistake costs the same."""
    if cost_matrix is None:
        return None
    costs = check_cost_matrix(cost_matrix, n_classes)
    right = np.diag(costs)[:, None]
    if np.any((costs <= right) & ~np.eye(n_classes, dtype=bool)):
        raise ParameterError(
            "cost_matrix makes a wrong decision as cheap as the right one; "
            "in each row the diagonal must be the smallest cost."
        )
    return costs
