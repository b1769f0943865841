"""What a search has to do: samples, candidates, folds and scorers, all checked."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import check_array, column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets

from mercer.exceptions import DataError
from mercer.model_selection.paths.folds import make_folds
from mercer.model_selection.search.candidates import Candidate, make_candidates
from mercer.model_selection.search.compat import check_method_params
from mercer.model_selection.search.scoring import Scoring
from mercer.model_selection.search.sharing import Sharing, find_sharing


@dataclass
class SearchTask:
    """A search, ready to be carried out.

    X and y are as they were given; `samples` is X as Mercer takes it, or None;
    `labels` are the classes, or zeros where there are none.
    """

    X: Any
    y: Any
    samples: Any
    labels: NDArray
    candidates: list[Candidate]
    splits: Sequence[tuple[Any, Any]]
    scorer: Any
    refit_metric: str
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    with_train: bool
    error_score: Any
    budget: Any
    n_jobs: int | None

    @classmethod
    def prepare(cls, search: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Self:
        """Check everything about a search that can be checked beforehand."""
        candidates = make_candidates(search.estimator, search.param_grid)
        scorer, refit_metric = search._get_scorers()
        X, y = indexable(X, y)
        routed = search._get_routed_params_for_fit(
            check_method_params(X, params=params)
        )
        classifier = is_classifier(search.estimator)
        cv = check_cv(search.cv, y, classifier=classifier)
        splits = list(cv.split(X, y, **routed.splitter.split))
        if not splits:
            raise DataError("The cross-validation yields no splits; give at least one.")
        samples, labels = _samples(X), _labels(y, X, classifier)
        return cls(
            X=X,
            y=y,
            samples=None if labels is None else samples,
            labels=np.zeros(_length(X)) if labels is None else labels,
            candidates=candidates,
            splits=splits,
            scorer=scorer,
            refit_metric=refit_metric,
            fit_params=routed.estimator.fit,
            score_params=routed.scorer.score,
            with_train=search.return_train_score,
            error_score=search.error_score,
            budget=getattr(search.estimator, "memory_budget", None),
            n_jobs=search.n_jobs,
        )

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return len(self.splits)

    @cached_property
    def sharing(self) -> Sharing:
        """What is shared and what is not."""
        return find_sharing(
            self.candidates,
            make_folds(self.splits, self.labels),
            self.samples,
            self.labels,
            bool(self.fit_params),
        )

    def scoring(self) -> Scoring:
        """How cells are scored."""
        return Scoring(
            self.scorer,
            self.X,
            self.y,
            self.fit_params,
            self.score_params,
            self.with_train,
            self.error_score,
        )

    def on(self, rows: NDArray[np.intp], precomputed: bool) -> SearchTask:
        """The same search on some of the samples, as numbers in X and y."""
        place = np.full(len(self.labels), -1)
        place[rows] = np.arange(len(rows))
        splits = [
            tuple(place[part][place[part] >= 0] for part in split)
            for split in self.splits
        ]
        X = self.samples[rows][:, rows] if precomputed else self.samples[rows]
        labels = self.labels[rows]
        y = np.asarray(self.y)[rows]
        return replace(self, X=X, y=y, samples=X, labels=labels, splits=splits)


def _samples(X: Any) -> Any:
    """X as Mercer takes it, or None; then fitting says what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return check_array(
                X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
            )
    except (TypeError, ValueError):
        return None


def _labels(y: Any, X: Any, classifier: bool) -> NDArray | None:
    """The classes, or None where y holds none; then fitting says so."""
    if y is None or not classifier:
        return np.zeros(_length(X))
    try:
        check_classification_targets(y)
        return np.asarray(column_or_1d(y))
    except (TypeError, ValueError):
        return None


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
