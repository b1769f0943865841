"""A model known by its answers on some samples: what a scorer needs, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from mercer.model_selection.paths.answers import Answers


def _estimator_has(name: str) -> Callable[[Any], bool]:
    return lambda model: hasattr(model._estimator, name)


class KnownModel(ClassifierMixin, BaseEstimator):
    """Answers from memory about the sets of samples that it knows.

    Whatever else a scorer asks for (other samples, a fitted attribute) comes from a
    model that is then fitted as scikit-learn would have.
    """

    def __init__(
        self,
        classes: NDArray,
        known: list[tuple[Any, Answers]],
        estimator: Any,
        fit: Callable[[], Any],
    ) -> None:
        self.classes_ = classes
        self._known = known
        self._estimator = estimator
        self._fit = fit
        self._fitted: Any = None

    def __sklearn_tags__(self) -> Any:
        return self._estimator.__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray:
        """The class of each sample."""
        answers = self._answers(X)
        if answers is None:
            return self._real().predict(X)
        return self.classes_[answers.labels()]

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray:
        """Scores of the samples."""
        return self._respond("decision_function", X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray:
        """Shares of the classes."""
        return self._respond("predict_proba", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples that are right."""
        if sample_weight is not None:
            return float(super().score(X, y, sample_weight))
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_estimator" not in vars(self):
            raise AttributeError(name)
        if not name.endswith("_") and not hasattr(self._estimator, name):
            raise AttributeError(
                f"{type(self._estimator).__name__} has no attribute {name!r}"
            )
        return getattr(self._real(), name)

    def _respond(self, name: str, X: Any) -> NDArray:
        answers = self._answers(X)
        return (
            getattr(self._real(), name)(X) if answers is None else answers.respond(name)
        )

    def _answers(self, X: Any) -> Answers | None:
        return next((a for samples, a in self._known if samples is X), None)

    def _real(self) -> Any:
        if self._fitted is None:
            self._fitted = self._fit()
        return self._fitted
