"""Samples that benchmarks share: float32, and a few of them to warm up with."""

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix
from mercer.datasets import Dataset, load_dataset

#: Samples that compiled code and thread pools are warmed up with.
FEW = 600

Labelled = tuple[Matrix, NDArray]


def both_parts(name: str) -> tuple[Labelled, Labelled]:
    """The official training and test samples."""
    data = load_dataset(name)
    return _rows_of(data, data.train), _rows_of(data, data.test)


def train_part(name: str) -> Labelled:
    """The official training samples."""
    return both_parts(name)[0]


def random_part(name: str, n_rows: int) -> Labelled:
    """So many samples, the same in every run."""
    data = load_dataset(name)
    return _rows_of(data, _random_rows(data.n_samples, n_rows))


def few_of(X: Matrix, y: NDArray) -> Labelled:
    """A few of the samples, in their order."""
    few = np.sort(_random_rows(len(y), FEW))
    return X[few], y[few]


def _rows_of(data: Dataset, rows: NDArray | None) -> Labelled:
    return np.ascontiguousarray(data.X[rows], np.float32), data.y[rows]


def _random_rows(n_samples: int, n_rows: int) -> NDArray[np.intp]:
    return np.random.default_rng(0).permutation(n_samples)[:n_rows]
