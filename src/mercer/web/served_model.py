"""A model as the service knows it: named, described, asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from mercer.estimators import KernelMachine
from mercer.exceptions import MercerError
from mercer.explain.machine import split_model
from mercer.web import why
from mercer.web.batching import Batcher
from mercer.web.images import box_of, place_digit
from mercer.web.limits import Refusal, ServiceLimits
from mercer.web.rows import Columns

_SAMPLES = 20  # to start from


class ServedModel:
    """One of the models of a service.

    Parameters
    ----------
    name : str
        What it is asked by.
    model : classifier
        Fitted.
    limits : ServiceLimits
        What one request may ask for.
    image_shape : (height, width), optional
        Of its samples; else they are square images if their number of features allows.
    samples : array, optional
        To start from on the page; else some of those that the model keeps.
    """

    def __init__(
        self,
        name: str,
        model: Any,
        limits: ServiceLimits,
        image_shape: tuple[int, int] | None = None,
        samples: NDArray | None = None,
    ) -> None:
        self.name, self.model, self.limits = name, model, limits
        self.classes = [str(label) for label in model.classes_]
        self.columns = Columns(name, model)
        self.n_features = self.columns.n_features
        side = round(self.n_features**0.5)
        square = side * side == self.n_features and side >= 8
        self.image_shape = image_shape or ((side, side) if square else None)
        kept = why.kept_samples(model)
        self.samples = samples if samples is not None else _some(kept)
        # what paper and full ink are in its samples
        self.low, self.high = (0.0, 1.0) if kept is None else _range(kept)
        self.box = self._box()
        self.batcher = Batcher(self._answer, limits)

    def describe(self) -> dict[str, Any]:
        """What `/api/models` says about it."""
        last, _ = split_model(self.model)
        vectors = getattr(last, "support_", None)
        return {
            "name": self.name,
            "kind": type(last).__name__,
            "classes": self.classes,
            **self.columns.describe(),
            "image_shape": self.image_shape,
            "range": [self.low, self.high],
            "n_support_vectors": None if vectors is None else len(vectors),
        }

    def check(self, rows: list[Any]) -> NDArray:
        """Rows as an array of samples, or a sentence about what is wrong with them."""
        if len(rows) > self.limits.samples:
            most = self.limits.samples
            raise Refusal(422, f"There are {len(rows)} samples; send {most} at most.")
        return self.columns.samples(rows)

    def place(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        """A drawing, of ink from 0 to 1, as a sample: placed as its own samples are."""
        if self.image_shape is None:
            raise Refusal(422, f"{self.name} does not take images.")
        placed = place_digit(ink, self.image_shape, self.box)
        return self.low + placed.reshape(1, -1) * (self.high - self.low)

    def _box(self) -> float | None:
        if self.image_shape is None or not len(self.samples):
            return None
        ink = (self.samples - self.low) / (self.high - self.low)
        return box_of(ink.reshape(-1, *self.image_shape)) or None

    async def predict(self, samples: NDArray) -> list[dict[str, Any]]:
        """The label and the scores of each sample."""
        labels, scores = await self.batcher.ask(samples)
        _check_finite(scores)
        names = self.classes
        if scores.shape[1] != len(names):
            names = [f"pair {number}" for number in range(scores.shape[1])]
        return [
            {"label": str(label), "scores": dict(zip(names, row.tolist()))}
            for label, row in zip(labels, scores)
        ]

    def explain(self, sample: NDArray, label: str | None, top: int) -> dict[str, Any]:
        """Samples for and against a class, and Shapley values if it has any."""
        try:
            with np.errstate(all="ignore"):  # what comes of it is checked
                given = self.columns.as_fitted(sample)
                said = why.explain(self.model, given, label, top)
        except MercerError as error:
            raise Refusal(422, str(error)) from None
        _check_finite([*said["scores"].values(), *(said["shapley"] or ())])
        return said

    def _answer(self, samples: NDArray) -> tuple[NDArray, NDArray]:
        with np.errstate(all="ignore"):  # as above, and others wait for this batch too
            given = self.columns.as_fitted(samples)
            labels, scores = self._labels_and_scores(given)
        scores = np.asarray(scores, np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        return labels, scores

    def _labels_and_scores(self, samples: NDArray) -> tuple[NDArray, NDArray]:
        model, last = self.model, self.model
        if isinstance(model, Pipeline):
            last = model[-1]
        if isinstance(last, KernelMachine):
            given = samples if last is model else model[:-1].transform(samples)
            return last.labels_and_scores(given)
        scored = hasattr(model, "decision_function")
        method = model.decision_function if scored else model.predict_proba
        return model.predict(samples), method(samples)


def _check_finite(scores: Any) -> None:
    if not np.isfinite(scores).all():
        sentence = "The features are so large that scores are no finite numbers."
        raise Refusal(422, sentence)


def _some(kept: Any) -> NDArray:
    """Some from all over those that a model keeps."""
    if kept is None:
        return np.empty((0, 0))
    places = np.linspace(0, kept.shape[0] - 1, min(_SAMPLES, kept.shape[0]))
    return why.as_rows(kept[np.unique(places.astype(int))])


def _range(kept: Any) -> tuple[float, float]:
    if not kept.shape[0]:
        return 0.0, 1.0
    low, high = float(kept.min()), float(kept.max())
    return (low, high) if high > low else (low, low + 1.0)
