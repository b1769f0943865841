"""Pipelines that end in a learner that shares: transformed once per fold.

Candidates whose transformers have the same parameters go together. In each fold these
transformers are fitted and applied once, and what comes out is a search of its own over
the last step, with one split; its candidates are numbered as the fits are.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags

from mercer._validation import is_sparse
from mercer.model_selection.paths import path_of
from mercer.model_selection.paths.folds import Fold
from mercer.model_selection.search.candidates import Candidate, FoldFit
from mercer.model_selection.search.task import SearchTask


@dataclass(frozen=True, eq=False)
class PipelineShare:
    """Fits of one fold whose pipelines transform its samples in the same way."""

    fold: Fold
    fits: list[FoldFit]

    def task(self, task: SearchTask) -> SearchTask | None:
        """The search over the last step in this fold; None where it cannot be told.

        Then these are fitted alone, which also says what is wrong with them.
        """
        pipeline = clone(self.fits[0].candidate.estimator)[:-1]
        train, test = (
            [_safe_indexing(part, rows) for part in (task.X, task.y)]
            for rows in (self.fold.train, self.fold.test)
        )
        try:
            fitted = pipeline.fit_transform(*train)
            X = _stacked(fitted, pipeline.transform(test[0]))
            # scores on training samples transform these once more
            again = pipeline.transform(train[0]) if task.with_train else fitted
        except Exception:  # whatever transformers raise
            return None
        if X is None or not _same(fitted, again):
            return None
        order = np.concatenate([self.fold.train, self.fold.test])
        places, n_train = np.arange(len(order)), len(self.fold.train)
        last = [_last_step(n, fit.candidate) for n, fit in enumerate(self.fits)]
        part = replace(
            task,
            X=X,
            y=_safe_indexing(task.y, order),
            samples=X,
            labels=task.labels[order],
            candidates=last,
            splits=[(places[:n_train], places[n_train:])],
            budget=last[0].values.get("memory_budget"),
        )
        with warnings.catch_warnings():
            # that a class is missing has been said about the split itself
            warnings.simplefilter("ignore")
            return part if part.sharing.shares else None


def pipeline_shares(task: SearchTask, fits: Sequence[FoldFit]) -> list[PipelineShare]:
    """The pipelines among these fits that can share work, with whom they share it."""
    if task.fit_params or task.score_params or task.scoring().looks_at_samples:
        return []
    shares: dict[Hashable, PipelineShare] = {}
    for fit in fits:
        if _can_share(fit.candidate.estimator):
            key = (fit.fold.number, _transformers(fit.candidate))
            share = shares.setdefault(key, PipelineShare(fit.fold, []))
            share.fits.append(fit)
    return list(shares.values())


def _can_share(estimator: Any) -> bool:
    if type(estimator) is not Pipeline or len(estimator.steps) < 2:
        return False
    last = estimator.steps[-1][1]
    return path_of(last) is not None and not get_tags(last).input_tags.pairwise


def _transformers(candidate: Candidate) -> Hashable:
    """What the grid says about all steps but the last, as something to compare.

    A search has learners of one type, so that type is part of it.
    """
    last, learner = candidate.estimator.steps[-1]
    return type(learner), tuple(
        # values of one grid are the same objects in all of its points
        (name, id(value))
        for name, value in sorted(candidate.params.items())
        if name != last and not name.startswith(f"{last}__")
    )


def _last_step(number: int, candidate: Candidate) -> Candidate:
    last = candidate.estimator.steps[-1][1]
    return Candidate(number, candidate.params, last, last.get_params(deep=False))


def _stacked(train: Any, test: Any) -> Any:
    """Both, as a learner of Mercer's takes them, or None."""
    kinds = {(type(part), getattr(part, "dtype", None)) for part in (train, test)}
    if len(kinds) > 1 or getattr(train, "dtype", None) not in (np.float32, np.float64):
        return None
    if is_sparse(train):
        return sparse.csr_array(sparse.vstack([train, test]))
    if type(train) is not np.ndarray:
        return None
    X: NDArray = np.concatenate([train, test])
    return X if np.isfinite(X).all() else None


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if is_sparse(one):
        return one.shape == other.shape and (one != other).nnz == 0
    return np.array_equal(one, other)
