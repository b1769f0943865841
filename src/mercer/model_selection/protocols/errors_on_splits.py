"""What the protocols have in common: errors of candidates on splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.model_selection.search.gram_search import GramSearchCV

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class ProtocolResult:
    """Errors of every candidate on every split.

    `train_errors` and `test_errors` have one row per candidate, one column per split.
    """

    params: list[dict[str, Any]]
    train_errors: NDArray[np.float64]
    test_errors: NDArray[np.float64]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each candidate: its parameters, mean and std of both errors."""
        return [
            {
                **params,
                "train_error": float(train.mean()),
                "train_error_std": float(train.std()),
                "test_error": float(test.mean()),
                "test_error_std": float(test.std()),
                "n_runs": len(test),
            }
            for params, train, test in zip(
                self.params, self.train_errors, self.test_errors
            )
        ]

    @property
    def best(self) -> int:
        """The number of the candidate with the least mean test error."""
        return int(self.test_errors.mean(axis=1).argmin())


def evaluate_splits(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    splits: Sequence[Split],
    **options: Any,
) -> ProtocolResult:
    """Errors (one minus accuracy) of all candidates on all splits, on one Gram.

    `options` are those of `GramSearchCV`.

    >>> from mercer import KernelPerceptron, load_dataset
    >>> from mercer.model_selection import RotationFolds
    >>> iris = load_dataset("iris")
    >>> splits = list(RotationFolds(3, seed=0).split(iris.X))
    >>> model = KernelPerceptron(shuffle=False)
    >>> result = evaluate_splits(model, {"epochs": [1, 5]}, iris.X, iris.y, splits)
    >>> result.test_errors.shape, result.params[result.best]
    ((2, 3), {'epochs': 5})
    """
    search = GramSearchCV(
        estimator,
        param_grid,
        cv=splits,
        scoring="accuracy",
        refit=False,
        return_train_score=True,
        error_score="raise",
        **options,
    ).fit(X, y)
    results, count = search.cv_results_, range(len(splits))
    train, test = (
        1 - np.stack([results[f"split{k}_{part}_score"] for k in count], axis=1)
        for part in ("train", "test")
    )
    return ProtocolResult(results["params"], train, test)
