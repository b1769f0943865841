"""Scores of a fit, with scikit-learn's scorers and its rules for errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics._scorer import _BaseScorer, _PassthroughScorer
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

from mercer.model_selection.paths.answers import Answers
from mercer.model_selection.paths.folds import Fold
from mercer.model_selection.search.candidates import FoldFit
from mercer.model_selection.search.compat import (
    MultimetricScorer,
    check_method_params,
    fit_and_score,
    score,
)


@dataclass
class Scoring:
    """Turns answers into the results that `cv_results_` is made of."""

    scorer: Any
    X: Any
    y: Any
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    with_train: bool
    error_score: Any
    verbose: int = 0
    _parts: dict[tuple[int, str], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = self.scorer
        scorers = own._scorers.values() if isinstance(own, MultimetricScorer) else [own]
        # scikit-learn's scorers hand the samples on to the model and never look at them
        self.looks_at_samples = not all(
            isinstance(scorer, _BaseScorer | _PassthroughScorer) for scorer in scorers
        )

    def score(
        self, fit: FoldFit, test: Answers, train: Answers | None
    ) -> dict[str, Any]:
        """The result of a fit whose answers are known; the time to fit is open."""
        start = time.perf_counter()
        fold = fit.fold
        parts = {"test": test}
        if train is not None:
            parts["train"] = train
        samples = {name: self._samples(fold, name) for name in parts}
        known = [(samples[name], answers) for name, answers in parts.items()]
        model = KnownModel(
            fold.training.classes,
            known,
            fit.candidate.estimator,
            lambda: self._fit(fit),
        )
        result: dict[str, Any] = {"fit_error": None, "n_test_samples": len(fold.test)}
        for name in parts:
            result[f"{name}_scores"] = score(
                model,
                samples[name],
                self._labels(fold, name),
                self.scorer,
                self._params(fold, name),
                self.error_score,
            )
            if name == "test":
                result["score_time"] = time.perf_counter() - start
        return result

    def fit_and_score(self, fit: FoldFit, estimator: Any, X: Any) -> dict[str, Any]:
        """Fit and score by itself, as GridSearchCV does."""
        result: dict[str, Any] = fit_and_score(
            estimator,
            X,
            self.y,
            scorer=self.scorer,
            train=fit.fold.train,
            test=fit.fold.test,
            verbose=0,
            parameters=None,
            fit_params=self.fit_params,
            score_params=self.score_params,
            return_train_score=self.with_train,
            return_n_test_samples=True,
            return_times=True,
            error_score=self.error_score,
        )
        return result

    def _fit(self, fit: FoldFit) -> Any:
        train = fit.fold.train
        X, y = (_safe_indexing(part, train) for part in (self.X, self.y))
        return clone(fit.candidate.estimator).fit(X, y)

    def _samples(self, fold: Fold, name: str) -> Any:
        indices: NDArray = getattr(fold, name)
        return _safe_indexing(self.X, indices) if self.looks_at_samples else indices

    def _labels(self, fold: Fold, name: str) -> Any:
        key = (fold.number, name)
        if key not in self._parts:
            self._parts[key] = _safe_indexing(self.y, getattr(fold, name))
        return self._parts[key]

    def _params(self, fold: Fold, name: str) -> dict[str, Any]:
        if not self.score_params:
            return {}
        indices = getattr(fold, name)
        given: dict[str, Any] = check_method_params(
            self.X, params=self.score_params, indices=indices
        )
        return given


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
        y = np.asarray(y)
        if sample_weight is not None or y.ndim != 1:
            return float(super().score(X, y, sample_weight))
        return float(np.mean(self.predict(X) == y))

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
