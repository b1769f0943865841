"""What a model says about samples whose labels are known."""

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import scores_of
from mercer.evaluation._text import list_some
from mercer.evaluation.samples import LabelledSamples
from mercer.exceptions import DataError, MercerError
from mercer.metrics import HardSample, hardest_samples


@dataclass(frozen=True, eq=False)
class Judged:
    """Samples, what they are, and what the model takes them for.

    `labels` and `predicted` are positions in `classes`, the model's classes by name.
    """

    machine: Any
    samples: LabelledSamples
    classes: NDArray[np.str_]
    labels: NDArray[np.intp]
    predicted: NDArray[np.intp]
    seconds: float

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which samples are mistaken."""
        return np.asarray(self.labels != self.predicted)

    @property
    def scores_from(self) -> str:
        """Which method of the model the scores come from."""
        names = ("log_likelihood_ratio", "decision_function")
        has = (name for name in names if hasattr(self.machine, name))
        return next(has, "predict_proba")

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The scores, with neither prior nor costs if it can be."""
        if hasattr(self.machine, "log_likelihood_ratio"):
            return np.asarray(self.machine.log_likelihood_ratio(self.samples.X))
        return scores_of(self.machine, self.samples.X, len(self.classes))

    def hardest(self, most: int) -> list[HardSample]:
        """Of the mistaken samples those that lie deepest in the wrong class."""
        rows = np.flatnonzero(self.wrong)
        if not rows.size:
            return []
        rows = rows[np.argsort(-self._depth()[rows], kind="stable")][:most]
        images, shape = None, self.samples.dataset.image_shape
        if shape is not None:
            images = self.samples.X[rows]
            images = images if isinstance(images, np.ndarray) else images.toarray()
        found = hardest_samples(
            self.classes[self.labels[rows]],
            [self.classes[self.predicted[rows]]],
            most,
            images=images,
            image_shape=shape,
        )
        numbers = self.samples.rows[rows].tolist()
        return [replace(one, index=row) for one, row in zip(found, numbers)]

    def _depth(self) -> NDArray[np.float64]:
        """By how much the decided class wins against the true one."""
        try:
            scores = self.scores
        except MercerError:  # no score for each class: any order will do
            return np.zeros(len(self.labels))
        if scores.ndim == 1:
            return np.abs(scores)
        every = np.arange(len(scores))
        decided, true = scores[every, self.predicted], scores[every, self.labels]
        return np.asarray(decided - true)


def judge(machine: Any, samples: LabelledSamples) -> Judged:
    """Ask the model about samples."""
    classes, given = machine.classes_, samples.given
    labels = positions(samples.y, classes, given)
    start = time.perf_counter()
    predicted = np.asarray(machine.predict(samples.X))
    seconds = time.perf_counter() - start
    return Judged(
        machine,
        samples,
        classes.astype(str),
        labels,
        positions(predicted, classes, given),
        seconds,
    )


def positions(labels: NDArray, classes: NDArray, given: str) -> NDArray[np.intp]:
    """Find labels among the classes of the model; 1 and "1" are the same."""
    kinds = labels.dtype.kind + classes.dtype.kind
    if "O" in kinds or (kinds[0] in "US") != (kinds[1] in "US"):
        labels, classes = labels.astype(str), classes.astype(str)
    known = {name: place for place, name in enumerate(classes.tolist())}
    names, codes = np.unique(labels, return_inverse=True)
    unknown = [str(name) for name in names.tolist() if name not in known]
    if unknown:
        raise DataError(
            f"{given} holds the label{'s'[: len(unknown) > 1]} {list_some(unknown)}, "
            f"which the model has never seen; it knows {list_some(map(str, known))}."
        )
    return np.array([known[name] for name in names.tolist()], dtype=np.intp)[codes]
