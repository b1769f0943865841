"""What report 002 varies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import Dataset
from mercer.kernels import Polynomial
from mercer.studies.row import Row, Spread, spread_of

DEGREES = (1, 2, 3, 4, 5, 6)
EPOCHS = 10
TEST_SHARE = 0.3
#: How tables name the three ways to end, and how `KernelPerceptron` does.
VARIANTS = {"vanilla": "vanilla", "erm": "ERM", "averaged": "averaged"}
ESTIMATOR_VARIANTS = {"vanilla": "last", "erm": "best", "averaged": "averaged"}
#: The c of (c + x·x')^d, which the report does not tell.
OFFSET, OTHER_OFFSET = 1.0, 0.0


def samples_of(dataset: Dataset) -> NDArray[np.intp]:
    """The report's 10,000 images are MNIST's test part; other data are taken whole."""
    if dataset.name == "mnist" and dataset.test is not None:
        return np.asarray(dataset.test)
    return np.arange(dataset.n_samples)


def features_of(dataset: Dataset) -> Any:
    """Pixels between 0 and 1."""
    X = dataset.X[samples_of(dataset)]
    return X / X.dtype.type(max(1.0, dataset.value_range[1]))


def kernel_of(degree: int, offset: float) -> Polynomial:
    """(c + x·x')^d with the constant feature 1 that is appended to x.

    >>> kernel_of(2, 1.0)
    Polynomial(degree=2, offset=2.0, scale=1.0)
    """
    return Polynomial(degree, offset + 1.0)


def over_repeats(
    rows: Sequence[Row], degree: int, measure: str, offset: float = OFFSET
) -> Spread | None:
    """A measure of one degree over the repeats, in percent."""
    return spread_of(rows, measure, 100, degree=degree, offset=offset)
