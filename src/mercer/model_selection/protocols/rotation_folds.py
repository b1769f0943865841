"""Folds by rotation of one shuffle (report 000, the study `pegasos-grid`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import ParameterError
from mercer.model_selection.protocols.errors_on_splits import (
    ProtocolResult,
    Split,
    evaluate_splits,
)
from mercer.model_selection.protocols.holdout_split import Seed, shuffle


def rotate(rows: NDArray[np.intp], n_splits: int = 5) -> list[Split]:
    """Cut rows, shuffled already, into parts; each in turn is tested on.

    >>> [test.tolist() for _, test in rotate(np.array([5, 2, 1, 3, 0, 4]), 3)]
    [[5, 2], [1, 3], [0, 4]]
    """
    parts = np.array_split(rows, n_splits)
    return [
        (np.concatenate(parts[:k] + parts[k + 1 :]), test)
        for k, test in enumerate(parts)
    ]


class RotationFolds:
    """One shuffle, cut into k parts; each in turn is tested on. A ``cv`` for searches.

    With a generator for a seed, every call of `split` shuffles anew.

    >>> [test.tolist() for _, test in RotationFolds(3, seed=0).split(range(6))]
    [[5, 2], [1, 3], [0, 4]]
    """

    def __init__(self, n_splits: int = 5, *, seed: Seed) -> None:
        if n_splits < 2:
            raise ParameterError(f"n_splits is {n_splits!r}; it must be at least 2.")
        self.n_splits = n_splits
        self.seed = seed

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Rows to train on and to test on, in the order of the shuffle."""
        n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
        yield from rotate(shuffle(n_samples, self.seed), self.n_splits)


def rotation_k_fold(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 5,
    seed: Seed,
) -> ProtocolResult:
    """Training and test error of every candidate in external k-fold (report 000).

    Nothing is chosen: each part of one shuffle is tested on once, and the errors are
    averaged.

    >>> from mercer import KernelPegasos, load_dataset
    >>> iris = load_dataset("iris")
    >>> model = KernelPegasos(lam=1e-3, random_state=0)
    >>> result = rotation_k_fold(model, {"epochs": [0.1, 1]}, iris.X, iris.y, seed=0)
    >>> [(row["epochs"], round(row["test_error"], 3)) for row in result.rows]
    [(0.1, 0.147), (1, 0.133)]
    """
    splits = list(RotationFolds(n_splits, seed=seed).split(X))
    return evaluate_splits(estimator, param_grid, X, y, splits)
