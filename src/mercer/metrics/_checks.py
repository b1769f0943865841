"""What the measures ask of their input, and the sentences they answer with.

Rows are counted from 0, as NumPy counts them.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._decision_checks import check_finite, check_lengths
from mercer.exceptions import DataError, ParameterError


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


def unique_labels(labels: NDArray[Any], name: str = "y_true") -> NDArray[Any]:
    """Return the sorted distinct labels."""
    try:
        return np.unique(labels)
    except TypeError as error:
        raise DataError(
            f"{name} mixes labels that cannot be sorted ({error}); "
            "make them all numbers or all strings."
        ) from None


def check_scores(scores: ArrayLike, name: str = "scores") -> NDArray[np.float64]:
    """Return one-dimensional finite scores as float64."""
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers, but {error}.") from None
    if array.ndim != 1:
        raise DataError(
            f"{name} must be one-dimensional, but its shape is {array.shape}; "
            "give one score per sample."
        )
    check_finite(array, name)
    return array


def check_same_length(first: NDArray, second: NDArray, names: tuple[str, str]) -> None:
    """Raise unless both arrays have the same number of rows."""
    check_lengths(len(first), len(second), names)


def check_binary(
    y_true: ArrayLike, scores: ArrayLike, pos_label: Any = None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which samples are positive, and the scores as float64."""
    labels = check_labels(y_true)
    values = check_scores(scores)
    check_same_length(labels, values, ("y_true", "scores"))
    classes = unique_labels(labels)
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
