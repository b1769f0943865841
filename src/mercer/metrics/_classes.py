"""Cost matrices, priors and class lists of multi-class decisions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.exceptions import DataError, ParameterError
from mercer.metrics._checks import unique_labels


def check_cost_matrix(
    cost_matrix: ArrayLike | None, n_classes: int
) -> NDArray[np.float64]:
    """Return costs with the truth in rows; every mistake costs 1 unless given."""
    if cost_matrix is None:
        return 1.0 - np.eye(n_classes)
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


def check_priors(priors: ArrayLike | None, n_classes: int) -> NDArray[np.float64]:
    """Return class priors that sum to one; equal ones unless given."""
    if priors is None:
        return np.full(n_classes, 1.0 / n_classes)
    array = np.asarray(priors, dtype=np.float64)
    if array.shape != (n_classes,):
        raise ParameterError(
            f"priors has the shape {array.shape}, but there are {n_classes} classes; "
            "give one probability per class, in the order of the sorted classes."
        )
    if not (np.all((array > 0.0) & (array < 1.0)) and np.isclose(array.sum(), 1.0)):
        raise ParameterError(
            f"priors are {array.tolist()}; each must lie strictly between 0 and 1 and "
            "together they must sum to 1."
        )
    return np.asarray(array / array.sum())


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
