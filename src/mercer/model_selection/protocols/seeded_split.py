"""The seeded 2:1 split of report 004 (`svm-decisions`)."""

from __future__ import annotations

import numpy as np

from mercer.model_selection.protocols.errors_on_splits import Split


def two_to_one_split(n_samples: int, *, seed: int = 0) -> Split:
    """Seed NumPy, permute, and train on the first two thirds.

    The same rows as ``numpy.random.seed(seed); numpy.random.permutation(n_samples)``
    gives, without touching NumPy's global state.

    >>> train, test = two_to_one_split(100)
    >>> len(train), len(test), train[:5].tolist()
    (66, 34, [26, 86, 2, 55, 75])
    """
    order = np.random.RandomState(seed).permutation(n_samples)
    cut = int(n_samples * 2.0 / 3.0)
    return order[:cut], order[cut:]
