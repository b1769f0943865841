"""Scores of a fit, with scikit-learn's scorers and its rules for errors."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics._scorer import _BaseScorer, _PassthroughScorer
from sklearn.utils import _safe_indexing

from mercer.model_selection.paths.answers import Answers
from mercer.model_selection.paths.folds import Fold
from mercer.model_selection.search.candidates import FoldFit
from mercer.model_selection.search.compat import (
    MultimetricScorer,
    check_method_params,
    fit_and_score,
    score,
)
from mercer.model_selection.search.known_model import KnownModel


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
