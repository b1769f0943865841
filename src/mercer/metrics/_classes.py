"""Cost matrices, priors and class lists of multi-class decisions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._decision_checks import check_cost_matrix, check_priors
from mercer.exceptions import DataError, ParameterError
from mercer.metrics._checks import unique_labels


def costs_or_equal(
    cost_matrix: ArrayLike | None, n_classes: int
) -> NDArray[np.float64]:
    """Return costs with the truth in rows; every mistake costs 1 unless given."""
    if cost_matrix is None:
        return 1.0 - np.eye(n_classes)
    return check_cost_matrix(cost_matrix, n_classes)


def priors_or_equal(priors: ArrayLike | None, n_classes: int) -> NDArray[np.float64]:
    """Return class priors that sum to one; equal ones unless given."""
    if priors is None:
        return np.full(n_classes, 1.0 / n_classes)
    return check_priors(priors, n_classes, "priors")


def class_list(labels: ArrayLike | None, *seen: NDArray[Any]) -> NDArray[Any]:
    """Return `labels` in the order given, or what was seen, sorted."""
    if labels is None:
        return unique_labels(np.concatenate(seen), "y_true or y_pred")
    classes = np.asarray(labels)
    if classes.ndim != 1 or len(np.unique(classes)) != classes.size:
        raise ParameterError(
            "labels must be a flat list in which no class comes twice."
        )
    return classes


def encode(labels: NDArray[Any], classes: NDArray[Any], name: str) -> NDArray[np.intp]:
    """Return the position of each label in `classes`."""
    order = np.argsort(classes)
    at = np.searchsorted(classes, labels, sorter=order)
    codes = order[np.minimum(at, len(classes) - 1)]
    unknown = classes[codes] != labels
    if np.any(unknown):
        row = int(np.argmax(unknown))
        raise DataError(
            f"{name} holds the label {labels[row]} in row {row}, which is not one of "
            f"the {len(classes)} classes; add it to labels, or drop that row."
        )
    return codes
