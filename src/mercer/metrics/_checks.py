"""What the measures ask of their input, and the sentences they answer with.

Rows are counted from 0, as NumPy counts them. A run of a repeated experiment is either
a list with one prediction per sample, or a pair ``(indices, predictions)`` when only
some samples were tested, as in repeated random splits.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._validation import (
    check_cost_matrix,
    check_finite_scores,
    check_priors,
    check_same_length,
)
from mercer.exceptions import DataError, ParameterError

RunPredictions = ArrayLike | tuple[ArrayLike, ArrayLike]


def check_costs(cost_miss: float, cost_false_alarm: float) -> tuple[float, float]:
    """Return both costs as floats: finite, not negative, not both zero."""
    pairs = (("cost_miss", cost_miss), ("cost_false_alarm", cost_false_alarm))
    for name, cost in pairs:
        if not 0.0 <= cost < np.inf:
            raise ParameterError(
                f"{name} must be a finite number that is not negative, but it is "
                f"{cost}; costs are what a wrong decision loses."
            )
    if cost_miss == 0.0 and cost_false_alarm == 0.0:
        raise ParameterError(
            "cost_miss and cost_false_alarm are both 0, so that every decision is "
            "free; give at least one of them a positive cost."
        )
    return float(cost_miss), float(cost_false_alarm)


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


def check_labels(labels: ArrayLike, name: str = "y_true") -> NDArray[Any]:
    """Return one-dimensional labels without missing values."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise DataError(
            f"{name} must be one-dimensional, but its shape is {array.shape}; "
            "give one label per sample."
        )
    if array.size == 0:
        raise DataError(f"{name} is empty; give at least one sample of each class.")
    missing = array != array
    if np.any(missing):
        raise DataError(
            f"{name} holds NaN in row {int(np.argmax(missing))}; "
            "give every sample a label, or drop that row."
        )
    return array


def class_list(labels: ArrayLike | None, *seen: NDArray[Any]) -> NDArray[Any]:
    """Return `labels` in the order given, or what was seen, sorted."""
    if labels is None:
        return _unique_labels(np.concatenate(seen), "y_true or y_pred")
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
    y_encoded = order[np.minimum(at, len(classes) - 1)]
    unknown = classes[y_encoded] != labels
    if np.any(unknown):
        row = int(np.argmax(unknown))
        raise DataError(
            f"{name} holds the label {labels[row]} in row {row}, which is not one of "
            f"the {len(classes)} classes; add it to labels, or drop that row."
        )
    return y_encoded


def check_binary(
    y_true: ArrayLike, scores: ArrayLike, pos_label: Any = None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which samples are positive, and the scores as float64."""
    labels = check_labels(y_true)
    values = _check_scores(scores)
    check_same_length(labels, values, ("y_true", "scores"))
    classes = _unique_labels(labels, "y_true")
    if len(classes) == 1:
        raise DataError(
            f"y_true holds only the class {classes[0]}; "
            "the cost of decisions needs samples of both classes."
        )
    if len(classes) > 2:
        raise DataError(
            f"y_true holds {len(classes)} classes, but this measure takes two; "
            "use mercer.metrics.normalized_bayes_cost for more."
        )
    if pos_label is None:
        pos_label = classes[1]
    elif pos_label not in classes:
        raise ParameterError(
            f"pos_label is {pos_label!r}, which is not in y_true; "
            f"its classes are {classes[0]} and {classes[1]}."
        )
    return np.asarray(labels == pos_label, dtype=np.bool_), values


def check_runs(
    n_samples: int, runs: Sequence[RunPredictions]
) -> Iterator[tuple[NDArray[np.intp], NDArray[Any]]]:
    """Yield the tested indices and the predictions of every run."""
    if len(runs) == 0:
        raise DataError("There are no runs; give the predictions of at least one.")
    every = np.arange(n_samples)
    for number, run in enumerate(runs):
        if not isinstance(run, tuple):
            predictions = check_labels(run, f"Run {number}")
            check_same_length(every, predictions, ("y_true", f"run {number}"))
            yield every, predictions
        elif len(run) != 2:
            raise DataError(
                f"Run {number} is a tuple of {len(run)}; give either one prediction "
                "per sample or a pair (indices, predictions)."
            )
        else:
            yield _check_pair(n_samples, number, *run)


def _check_pair(
    n_samples: int, number: int, indices: ArrayLike, predictions: ArrayLike
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    tested = np.asarray(indices)
    taken_for = check_labels(predictions, f"The predictions of run {number}")
    if tested.ndim != 1 or tested.dtype.kind not in "iu":
        raise DataError(
            f"The indices of run {number} must be a flat list of whole numbers."
        )
    check_same_length(
        tested, taken_for, (f"The index list of run {number}", "its prediction list")
    )
    outside = (tested < 0) | (tested >= n_samples)
    if np.any(outside):
        raise DataError(
            f"Run {number} tests sample {tested[np.argmax(outside)]}, but y_true has "
            f"{n_samples} rows; indices count from 0."
        )
    return tested.astype(np.intp), taken_for


def _unique_labels(labels: NDArray[Any], name: str) -> NDArray[Any]:
    try:
        return np.unique(labels)
    except TypeError as error:
        raise DataError(
            f"{name} mixes labels that cannot be sorted ({error}); "
            "make them all numbers or all strings."
        ) from None


def _check_scores(scores: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"scores must be numbers, but {error}.") from None
    if array.ndim != 1:
        raise DataError(
            f"scores must be one-dimensional, but its shape is {array.shape}; "
            "give one score per sample."
        )
    check_finite_scores(array)
    return array
