"""C of each sample: of its class, times the weights of class and sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight

from mercer.estimators.checks import check_positive
from mercer.estimators.learner import TrainingSet
from mercer.exceptions import DataError, ParameterError

HARD_MARGIN = 1e10  # the C that stands for infinity


def is_hard_margin(C: Any) -> bool:
    """Whether C is infinite, for all classes or for some."""
    values = C.values() if isinstance(C, Mapping) else [C]
    return any(np.isinf(value) for value in values)


def class_weights(class_weight: Any, training: TrainingSet) -> NDArray[np.float64]:
    """The weight of each class, as scikit-learn's ``class_weight`` says it."""
    if class_weight is None:  # as below, but at once
        return np.ones(len(training.classes))
    weights: NDArray[np.float64] = compute_class_weight(
        class_weight,
        classes=training.classes,
        y=training.classes[training.y_encoded],
    )
    for label, weight in zip(training.classes.tolist(), weights):
        if not 0 < weight < np.inf:
            raise ParameterError(
                f"class_weight is {weight:g} for class {label!r}; it must be a "
                "number above 0. To leave a class out, drop its samples."
            )
    return weights


def upper_bounds(
    C: Any, class_weight: Any, training: TrainingSet, sample_weight: Any = None
) -> NDArray[np.float64]:
    """The upper bound of each sample's α; C may be a number, or one for each class."""
    labels = training.classes.tolist()
    if isinstance(C, Mapping):
        missing = [label for label in labels if label not in C]
        if missing:
            raise ParameterError(f"C has no value for class {missing[0]!r}.")
        of_classes = [check_positive("C", C[label], infinite=True) for label in labels]
    else:
        of_classes = [check_positive("C", C, infinite=True)] * len(labels)
    finite = np.minimum(of_classes, HARD_MARGIN)
    upper = (finite * class_weights(class_weight, training))[training.y_encoded]
    if sample_weight is None:
        return upper
    weights = np.asarray(sample_weight)
    classes = range(len(labels))
    check_weighed(labels, [weights[training.y_encoded == c].any() for c in classes])
    return upper * weights


def check_weighed(labels: Iterable[Any], weighed: Iterable[Any]) -> None:
    """Complain about a class all of whose samples have weight 0."""
    for label, some in zip(labels, weighed):
        if not some:
            raise DataError(
                f"All samples of class {label!r} have weight 0; a classifier needs "
                "samples of every class."
            )
