"""The two procedures of report 003, over repeated random splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.model_selection.protocols.errors_on_splits import (
    ProtocolResult,
    Split,
    evaluate_splits,
)
from mercer.model_selection.protocols.holdout_split import shuffled_split


@dataclass(frozen=True, eq=False)
class CrossValidatedRuns:
    """What each run chose, and its errors.

    Attributes
    ----------
    params : list of dicts
        What each run chose.
    validation_errors, train_errors, test_errors : arrays of shape (n_runs,)
        Of the chosen candidate: mean over the folds, after retraining, and on the
        samples set aside.
    """

    params: list[dict[str, Any]]
    validation_errors: NDArray[np.float64]
    train_errors: NDArray[np.float64]
    test_errors: NDArray[np.float64]

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
    seed: int,
) -> ProtocolResult:
    """For each candidate `runs` random splits: mean ± std of training and test error.

    Run r is split with the seed ``seed + r``; all candidates see the same splits.

    >>> from mercer import KernelKNN, load_dataset
    >>> iris = load_dataset("iris")
    >>> grid = {"n_neighbors": [1, 15]}
    >>> result = basic_procedure(KernelKNN(), grid, iris.X, iris.y, runs=5, seed=0)
    >>> [(row["n_neighbors"], round(row["test_error"], 3)) for row in result.rows]
    [(1, 0.06), (15, 0.033)]
    """
    splits = _splits(len(y), runs, test_size, seed)
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
    seed: int,
) -> CrossValidatedRuns:
    """`runs` times: split, choose by k-fold on the larger part, retrain, test.

    All folds of all runs are index views on the same Gram.

    >>> from mercer import KernelKNN, load_dataset
    >>> iris = load_dataset("iris")
    >>> grid = {"n_neighbors": [1, 5, 15]}
    >>> result = cross_validating_procedure(
    ...     KernelKNN(), grid, iris.X, iris.y, runs=5, seed=0
    ... )
    >>> [round(value, 3) for value in (*result.error, *result.chosen("n_neighbors"))]
    [0.033, 0.03, 13.0, 4.0]
    """
    outer = _splits(len(y), runs, test_size, seed)
    splits = [split for train, test in outer for split in _inner(train, test, n_splits)]
    all_errors = evaluate_splits(estimator, param_grid, X, y, splits)
    chosen, validation, train_errors, test_errors = [], [], [], []
    for r in range(runs):
        # each run has its folds first and then the split that it is tested on
        first, last = r * (n_splits + 1), r * (n_splits + 1) + n_splits
        means = all_errors.test_errors[:, first:last].mean(axis=1)
        best = int(means.argmin())
        chosen.append(all_errors.params[best])
        validation.append(means[best])
        train_errors.append(all_errors.train_errors[best, last])
        test_errors.append(all_errors.test_errors[best, last])
    return CrossValidatedRuns(
        chosen, np.array(validation), np.array(train_errors), np.array(test_errors)
    )


def _splits(n_samples: int, runs: int, test_size: float, seed: int) -> list[Split]:
    return [shuffled_split(n_samples, test_size, seed=seed + r) for r in range(runs)]


def _inner(
    train: NDArray[np.intp], test: NDArray[np.intp], n_splits: int
) -> list[Split]:
    """The folds of the training samples, which are shuffled already, and then all."""
    parts = np.array_split(train, n_splits)
    folds: list[Split] = [
        (np.concatenate(parts[:k] + parts[k + 1 :]), part)
        for k, part in enumerate(parts)
    ]
    return [*folds, (train, test)]
