"""A model as the service knows it: named, described, asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_sparse
from mercer.exceptions import MercerError
from mercer.explain import shapley_values, support_vectors
from mercer.web.batching import Batcher
from mercer.web.limits import Limits, Refusal

_BACKGROUND = 20  # support vectors that samples are compared with


class ServedModel:
    """One of the models of a service."""

    def __init__(
        self,
        name: str,
        model: Any,
        limits: Limits,
        image_shape: tuple[int, int] | None = None,
    ) -> None:
        self.name, self.model, self.limits = name, model, limits
        self.classes = [str(label) for label in model.classes_]
        self.n_features = int(model.n_features_in_)
        side = round(self.n_features**0.5)
        square = side * side == self.n_features and side >= 8
        self.image_shape = image_shape or ((side, side) if square else None)
        self.scale = _largest(model)  # what full ink is in its samples
        self.batcher = Batcher(self._answer, limits)

    def describe(self) -> dict[str, Any]:
        """What `/api/models` says about it."""
        vectors = getattr(self.model, "support_", None)
        return {
            "name": self.name,
            "kind": type(self.model).__name__,
            "classes": self.classes,
            "n_features": self.n_features,
            "image_shape": self.image_shape,
            "n_support_vectors": None if vectors is None else len(vectors),
        }

    def check(self, samples: list[list[float]]) -> NDArray[np.float64]:
        """Samples as an array, or a sentence about what is wrong with them."""
        if len(samples) > self.limits.samples:
            most = self.limits.samples
            raise Refusal(
                422, f"There are {len(samples)} samples; send {most} at most."
            )
        for row, sample in enumerate(samples):
            if len(sample) != self.n_features:
                raise Refusal(
                    422,
                    f"Sample {row} has {len(sample)} features; {self.name} takes "
                    f"{self.n_features}.",
                )
        return np.array(samples, np.float64)

    async def predict(self, samples: NDArray) -> list[dict[str, Any]]:
        """The label and the scores of each sample."""
        labels, scores = await self.batcher.ask(samples)
        names = self.classes
        if scores.shape[1] != len(names):
            names = [f"pair {number}" for number in range(scores.shape[1])]
        return [
            {"label": str(label), "scores": dict(zip(names, row.tolist()))}
            for label, row in zip(labels, scores)
        ]

    def explain(self, sample: NDArray, label: str | None, top: int) -> dict[str, Any]:
        """Support vectors for and against a class, and Shapley values if it has any."""
        try:
            why = support_vectors(self.model, sample)
            chosen = str(why.predicted[0]) if label is None else label
            pulls = why.strongest(0, chosen, top)
        except MercerError as error:
            raise Refusal(422, str(error)) from None
        sides: dict[str, Any] = {
            side: [
                {
                    **pull._asdict(),
                    "vector": _row(why.vectors, pull.vector),
                }
                for pull in own
            ]
            for side, own in zip(("for", "against"), pulls)
        }
        votes = None
        if why.votes is not None:
            votes = dict(zip(self.classes, why.votes[0].astype(int).tolist()))
        return {
            "label": str(why.predicted[0]),
            "class": chosen,
            "scores": dict(zip(self.classes, why.class_scores()[0].tolist())),
            "votes": votes,
            **sides,
            **self._shapley(sample, chosen, why.vectors),
        }

    def _shapley(self, sample: NDArray, label: str, vectors: Any) -> dict[str, Any]:
        if vectors is None or vectors.shape[1] != self.n_features:
            return {"shapley": None, "note": "There are no features to explain."}
        step = max(1, vectors.shape[0] // _BACKGROUND)
        rows = np.arange(0, vectors.shape[0], step)[:_BACKGROUND]
        try:
            values = shapley_values(self.model, sample, _dense(vectors[rows]))
        except MercerError as error:
            return {"shapley": None, "note": str(error)}
        return {"shapley": values.for_class(label)[0].tolist(), "note": None}

    def _answer(self, samples: NDArray) -> tuple[NDArray, NDArray]:
        labels = self.model.predict(samples)
        scored = hasattr(self.model, "decision_function")
        method = self.model.decision_function if scored else self.model.predict_proba
        scores = np.asarray(method(samples), np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        return labels, scores


def _largest(model: Any) -> float:
    """The largest value of the samples that a model keeps."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    for name in ("support_vectors_", "X_fit_"):
        if getattr(last, name, None) is not None and getattr(last, name).size:
            return float(getattr(last, name).max()) or 1.0
    return 1.0


def _row(vectors: Any, number: int) -> list[float] | None:
    if vectors is None:
        return None
    values: list[float] = _dense(vectors[[number]])[0].tolist()
    return values


def _dense(X: Any) -> NDArray:
    return np.asarray(X.toarray() if is_sparse(X) else X, np.float64)
