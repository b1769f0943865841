"""One random split into training and test samples (report 002: 70/30)."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.exceptions import ParameterError
from mercer.model_selection.protocols.errors_on_splits import (
    ProtocolResult,
    Split,
    evaluate_splits,
)


def shuffled_split(n_samples: int, test_size: float, *, seed: int) -> Split:
    """Shuffle and cut: the last `test_size` of the shuffle is tested on.

    >>> train, test = shuffled_split(10, 0.3, seed=0)
    >>> train.tolist(), test.tolist()
    ([2, 8, 4, 9, 1, 6, 7], [3, 0, 5])
    """
    if not 0 < test_size < 1:
        raise ParameterError(f"test_size is {test_size!r}; it must be between 0 and 1.")
    order = np.random.RandomState(seed).permutation(n_samples)
    cut = n_samples - round(test_size * n_samples)
    return order[:cut], order[cut:]


def holdout(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    test_size: float = 0.3,
    seed: int,
) -> ProtocolResult:
    """Training and test error of every candidate on one split (report 002).

    >>> from mercer import KernelPerceptron, load_dataset
    >>> iris = load_dataset("iris")
    >>> grid = {"variant": ["last", "averaged"]}
    >>> result = holdout(KernelPerceptron(random_state=0), grid, iris.X, iris.y, seed=0)
    >>> [(row["variant"], round(row["test_error"], 3)) for row in result.rows]
    [('last', 0.067), ('averaged', 0.067)]
    """
    split = shuffled_split(len(y), test_size, seed=seed)
    return evaluate_splits(estimator, param_grid, X, y, [split])
