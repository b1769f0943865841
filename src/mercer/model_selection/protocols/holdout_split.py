"""One random split into training and test samples.

Report 002 (the study `perceptron-variants`) tests on 30 %, report 001
(`pegasos-gaussian`) on 20 %.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import ParameterError
from mercer.model_selection.protocols.errors_on_splits import (
    ProtocolResult,
    Split,
    evaluate_splits,
)

#: A number, as of old; or a generator, which goes on from where it is.
Seed = int | np.random.Generator


def shuffle(n_samples: int, seed: Seed) -> NDArray[np.intp]:
    """The numbers of the samples in random order.

    >>> shuffle(6, 0).tolist(), shuffle(6, np.random.default_rng(0)).tolist()
    ([5, 2, 1, 3, 0, 4], [3, 2, 5, 4, 0, 1])
    """
    if isinstance(seed, np.random.Generator):
        return seed.permutation(n_samples)
    return np.random.RandomState(seed).permutation(n_samples)


def shuffled_split(
    n_samples: int, test_size: float, *, seed: Seed, test_first: bool = False
) -> Split:
    """Shuffle and cut: the last `test_size` of the shuffle is tested on, or the first.

    >>> train, test = shuffled_split(10, 0.3, seed=0)
    >>> train.tolist(), test.tolist()
    ([2, 8, 4, 9, 1, 6, 7], [3, 0, 5])
    """
    if not 0 < test_size < 1:
        raise ParameterError(f"test_size is {test_size!r}; it must be between 0 and 1.")
    order = shuffle(n_samples, seed)
    n_test = round(test_size * n_samples)
    if test_first:
        return order[n_test:], order[:n_test]
    return order[: n_samples - n_test], order[n_samples - n_test :]


def holdout(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    test_size: float = 0.3,
    seed: Seed,
    test_first: bool = False,
) -> ProtocolResult:
    """Training and test error of every candidate on one split (report 002).

    The split is that of `shuffled_split`.

    >>> from mercer import KernelPerceptron, load_dataset
    >>> iris = load_dataset("iris")
    >>> grid = {"variant": ["last", "averaged"]}
    >>> result = holdout(KernelPerceptron(random_state=0), grid, iris.X, iris.y, seed=0)
    >>> [(row["variant"], round(row["test_error"], 3)) for row in result.rows]
    [('last', 0.067), ('averaged', 0.067)]
    """
    split = shuffled_split(len(y), test_size, seed=seed, test_first=test_first)
    return evaluate_splits(estimator, param_grid, X, y, [split])
