"""The two procedures of report 003 (`digit-classifiers`), over repeated splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from mercer.exceptions import ParameterError
from mercer.model_selection.protocols.errors_on_splits import (
    ProtocolResult,
    Split,
    evaluate_splits,
)
from mercer.model_selection.protocols.holdout_split import shuffled_split
from mercer.model_selection.protocols.rotation_folds import rotate
from mercer.model_selection.search.gram_search import GramSearchCV


@dataclass(frozen=True, eq=False)
class CrossValidatedRuns:
    """What each run chose, its errors, and its decisions.

    Attributes
    ----------
    params : list of dicts
        What each run chose.
    validation_errors, train_errors, test_errors : arrays of shape (n_runs,)
        Of the chosen candidate: mean over the folds, after retraining, and on the
        samples set aside.
    candidates : list of dicts
        What was to choose from.
    candidate_errors : array of shape (n_candidates, n_runs)
        Mean error over the folds of every candidate.
    predictions : list of (test, labels)
        The samples that each run tested, and what it took them for: the runs of
        `mercer.metrics.confusion_over_runs` and `hardest_samples`.
    """

    params: list[dict[str, Any]]
    validation_errors: NDArray[np.float64]
    train_errors: NDArray[np.float64]
    test_errors: NDArray[np.float64]
    candidates: list[dict[str, Any]]
    candidate_errors: NDArray[np.float64]
    predictions: list[tuple[NDArray[np.intp], NDArray]]

    @property
    def error(self) -> tuple[float, float]:
        """Mean and std of the test error."""
        return float(self.test_errors.mean()), float(self.test_errors.std())

    def chosen(self, name: str) -> tuple[float, float]:
        """Mean and std of the chosen values of a parameter that is a number."""
        values = np.array([params[name] for params in self.params], float)
        return float(values.mean()), float(values.std())


def basic_procedure(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    runs: int = 20,
    test_size: float = 0.2,
    seed: int | None = None,
    splits: Sequence[Split] | None = None,
) -> ProtocolResult:
    """For each candidate `runs` random splits: mean ± std of training and test error.

    Run r is split with the seed ``seed + r``, unless the splits themselves are given
    (one of them is one run); all candidates see the same splits.

    >>> from mercer import KernelKNN, load_dataset
    >>> iris = load_dataset("iris")
    >>> grid = {"n_neighbors": [1, 15]}
    >>> result = basic_procedure(KernelKNN(), grid, iris.X, iris.y, runs=5, seed=0)
    >>> [(row["n_neighbors"], round(row["test_error"], 3)) for row in result.rows]
    [(1, 0.06), (15, 0.033)]
    """
    splits = _splits(len(y), runs, test_size, seed, splits)
    return evaluate_splits(estimator, param_grid, X, y, splits)


def cross_validating_procedure(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    runs: int = 20,
    test_size: float = 0.2,
    n_splits: int = 5,
    seed: int | None = None,
    splits: Sequence[Split] | None = None,
) -> CrossValidatedRuns:
    """`runs` times: split, choose by k-fold on the larger part, retrain, test.

    All folds of all runs are index views on the same Gram. The splits are drawn as in
    `basic_procedure`, or given.

    >>> from mercer import KernelKNN, load_dataset
    >>> iris = load_dataset("iris")
    >>> grid = {"n_neighbors": [1, 5, 15]}
    >>> result = cross_validating_procedure(
    ...     KernelKNN(), grid, iris.X, iris.y, runs=5, seed=0
    ... )
    >>> [round(value, 3) for value in (*result.error, *result.chosen("n_neighbors"))]
    [0.033, 0.03, 13.0, 4.0]
    """
    y = np.asarray(y)
    splits = _splits(len(y), runs, test_size, seed, splits)
    candidates, errors = _validate(estimator, param_grid, X, y, splits, n_splits)
    best = errors.argmin(axis=0)
    train_errors, test_errors, predictions = [], [], []
    for choice, (train, test) in zip(best, splits):
        model = clone(estimator).set_params(**clone(candidates[choice], safe=False))
        model.fit(_part(model, X, train, train), y[train])
        decided = [model.predict(_part(model, X, at, train)) for at in (train, test)]
        train_errors.append(np.mean(decided[0] != y[train]))
        test_errors.append(np.mean(decided[1] != y[test]))
        predictions.append((test, decided[1]))
    return CrossValidatedRuns(
        params=[candidates[choice] for choice in best],
        validation_errors=errors.min(axis=0),
        train_errors=np.array(train_errors),
        test_errors=np.array(test_errors),
        candidates=candidates,
        candidate_errors=errors,
        predictions=predictions,
    )


def _splits(
    n_samples: int,
    runs: int,
    test_size: float,
    seed: int | None,
    splits: Sequence[Split] | None,
) -> Sequence[Split]:
    if splits is not None:
        return splits
    if seed is None:
        raise ParameterError("Runs need a seed to be split with, or the splits.")
    return [shuffled_split(n_samples, test_size, seed=seed + r) for r in range(runs)]


def _validate(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: NDArray,
    splits: Sequence[Split],
    n_splits: int,
) -> tuple[list[dict[str, Any]], NDArray[np.float64]]:
    """All candidates, and their mean errors over the folds of each run."""
    # the Gram has no more samples than are trained on
    rows = np.unique(np.concatenate([train for train, _ in splits]))
    folds = [
        (np.searchsorted(rows, part), np.searchsorted(rows, rest))
        for train, _ in splits
        for part, rest in rotate(train, n_splits)
    ]
    search = GramSearchCV(
        estimator,
        param_grid,
        cv=folds,
        scoring="accuracy",
        refit=False,
        error_score="raise",
    ).fit(_part(estimator, X, rows, rows), y[rows])
    results = search.cv_results_
    scores = [results[f"split{k}_test_score"] for k in range(len(folds))]
    errors = 1 - np.reshape(scores, (len(splits), n_splits, -1)).mean(axis=1)
    return results["params"], errors.T


def _part(
    estimator: Any, X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> Any:
    """Some samples, or, of a precomputed kernel, their values with those trained on."""
    pairwise = get_tags(estimator).input_tags.pairwise
    return X[np.ix_(rows, columns)] if pairwise else X[rows]
