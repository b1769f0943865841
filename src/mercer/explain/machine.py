"""The kernel machine inside a model, and what its binary scores say about classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer.calibration import CalibratedClassifier
from mercer.estimators import KernelKNN, KernelMachine, MachinesPerClass
from mercer.exceptions import ParameterError

_INSTEAD: dict[type, str] = {
    KernelKNN: "its kneighbors tells which samples decided",
    MachinesPerClass: "explain one of its machines_",
}


def split_model(model: Any) -> tuple[Any, list[Any]]:
    """What decides in a model, and the transformers of pipelines that come before it.

    Of a `CalibratedClassifier` that is the classifier whose scores are calibrated.
    """
    if isinstance(model, Pipeline):
        steps = [
            step for _, step in model.steps[:-1] if step not in (None, "passthrough")
        ]
        last, before = split_model(model.steps[-1][1])
        return last, steps + before
    if isinstance(model, CalibratedClassifier):
        check_is_fitted(model)
        return split_model(model.estimator_)
    return model, []


def inner_machine(model: Any) -> tuple[KernelMachine, list[Any]]:
    """The kernel machine, and the transformers of a pipeline that come before it."""
    last, before = split_model(model)
    if not isinstance(last, KernelMachine):
        instead = next((s for c, s in _INSTEAD.items() if isinstance(last, c)), None)
        raise ParameterError(
            f"A {type(last).__name__} cannot be explained so, as its scores are not "
            "one sum of kernel values over support vectors; "
            f"{instead or 'use KernelSVC, KernelPerceptron or KernelPegasos'}."
        )
    check_is_fitted(last)
    return last, before


def transformed(before: list[Any], X: Any) -> Any:
    """The samples as the machine sees them."""
    for step in before:
        X = step.transform(X)
    return X


def output_names(machine: KernelMachine) -> list[str]:
    """What each of the binary scores is for.

    Two classes have one score, for the second; one-vs-rest has one for each class;
    one-vs-one has one for each pair, positive for the first of it.
    """
    names, reduction = [str(name) for name in machine.classes_], machine.reduction_
    if reduction.kind == "ovr":
        return names
    if reduction.kind == "binary":
        return names[1:]
    pairs = zip(reduction.codes.argmax(axis=1), reduction.codes.argmin(axis=1))
    return [f"{names[i]} against {names[j]}" for i, j in pairs]


def class_weights(machine: KernelMachine) -> NDArray[np.float64]:
    """How binary scores add up for each class: a column per class.

    For one-vs-one that is the sum over its pairs, by which `break_ties` decides.
    """
    reduction = machine.reduction_
    return np.eye(reduction.n_problems) if reduction.kind == "ovr" else reduction.codes


def class_index(classes: NDArray, label: Any) -> int:
    """Where a class stands; 1 and "1" are the same class to whoever asks."""
    found = np.flatnonzero(classes.astype(str) == str(label))
    if not len(found):
        known = ", ".join(map(str, classes))
        raise ParameterError(f"There is no class {label!r}; the model knows {known}.")
    return int(found[0])
