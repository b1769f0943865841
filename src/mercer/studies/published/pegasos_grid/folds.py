"""Folds by rotation of one shuffle."""

from __future__ import annotations

import numpy as np

from mercer.studies.one_vs_rest import Split


def rotate(n_samples: int, n_folds: int, random: np.random.Generator) -> list[Split]:
    """Shuffle once; the first part is for testing, then the one that rotates there.

    >>> splits = rotate(5, 5, np.random.default_rng(0))
    >>> sorted(int(test[0]) for _, test in splits)
    [0, 1, 2, 3, 4]
    """
    parts = np.array_split(random.permutation(n_samples), n_folds)
    return [
        (np.concatenate(parts[:k] + parts[k + 1 :]), parts[k]) for k in range(n_folds)
    ]
