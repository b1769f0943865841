"""Who is trained on, and who is tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TRAIN_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class Part:
    """Samples to learn from, in the order in which they come, and samples to decide."""

    train: NDArray[np.intp]
    at: NDArray[np.intp]


def draw_part(samples: NDArray[np.intp], seed: int) -> Part:
    """Shuffle the samples; four fifths train, the rest is tested.

    >>> part = draw_part(np.arange(10), 0)
    >>> len(part.train), len(part.at)
    (8, 2)
    """
    shuffled = np.random.default_rng(seed).permutation(samples)
    cut = int(_TRAIN_SHARE * len(shuffled))
    return Part(shuffled[:cut], shuffled[cut:])


def draw_some(n_samples: int, share: float, seed: int) -> NDArray[np.intp]:
    """A random share of all samples."""
    count = max(20, round(share * n_samples))
    shuffled = np.random.default_rng(seed).permutation(n_samples)
    return np.asarray(shuffled[:count], np.intp)


def fold_parts(train: NDArray[np.intp], folds: int) -> list[Part]:
    """Each of so many equal pieces is decided by what is learned from the others."""
    pieces = np.array_split(train, folds)
    return [
        Part(np.concatenate([*pieces[:i], *pieces[i + 1 :]]), pieces[i])
        for i in range(folds)
    ]
