"""What a model says about samples whose labels are known."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import scores_of
from mercer.cli.predict import choose_rows, load_like
from mercer.exceptions import DataError

if TYPE_CHECKING:
    from mercer.datasets import Dataset

_MOST_NAMES = 5


@dataclass(frozen=True)
class Judged:
    """Samples, what they are, and what the model takes them for.

    Attributes
    ----------
    machine : classifier
        The model.
    dataset : Dataset
        The data.
    part, rows : str, ndarray
        What the chosen rows are called, and their numbers.
    classes : ndarray of str
        The model's classes by name.
    labels, predicted : ndarray of int
        Of the chosen rows, as positions in `classes`.
    seconds : float
        How long the prediction took.
    """

    machine: Any
    dataset: Dataset
    part: str
    rows: NDArray[np.intp]
    classes: NDArray[np.str_]
    labels: NDArray[np.intp]
    predicted: NDArray[np.intp]
    seconds: float

    @property
    def X(self) -> Any:
        """The chosen samples."""
        return self.dataset.X[self.rows]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which samples are mistaken."""
        return np.asarray(self.labels != self.predicted)


def judge(machine: Any, data: str, label: str, rows: str) -> Judged:
    """Load data, and ask the model about the chosen rows."""
    dataset = load_like(machine, data, label)
    part, chosen = choose_rows(dataset, rows)
    labels = positions(dataset.y[chosen], machine.classes_, data)
    start = time.perf_counter()
    predicted = machine.predict(dataset.X[chosen])
    seconds = time.perf_counter() - start
    return Judged(
        machine,
        dataset,
        part,
        chosen,
        machine.classes_.astype(str),
        labels,
        positions(predicted, machine.classes_, data),
        seconds,
    )


def positions(labels: NDArray, classes: NDArray, data: str) -> NDArray[np.intp]:
    """Find labels among the classes of the model; 1 and "1" are the same."""
    if (labels.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
        labels, classes = labels.astype(str), classes.astype(str)
    known = {name: place for place, name in enumerate(classes.tolist())}
    names, codes = np.unique(labels, return_inverse=True)
    unknown = [str(name) for name in names.tolist() if name not in known]
    if unknown:
        raise DataError(
            f"{data} holds the label{'s'[: len(unknown) > 1]} {_some(unknown)}, which "
            f"the model has never seen; it knows {_some(map(str, known))}."
        )
    return np.array([known[name] for name in names.tolist()], dtype=np.intp)[codes]


def raw_scores(judged: Judged) -> NDArray[np.float64]:
    """The scores of the chosen samples, with neither prior nor costs if it can be."""
    machine = judged.machine
    if hasattr(machine, "log_likelihood_ratio"):
        return np.asarray(machine.log_likelihood_ratio(judged.X))
    return scores_of(machine, judged.X, len(judged.classes))


def source_of_scores(machine: Any) -> str:
    """Which method of the model the scores come from."""
    names = ("log_likelihood_ratio", "decision_function")
    return next((name for name in names if hasattr(machine, name)), "predict_proba")


def _some(names: Any) -> str:
    listed = list(names)
    more = ", …" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more
