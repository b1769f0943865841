"""A first look at a data set: every learner once, on one split, with sensible settings.

No search and no repeats: it answers within seconds how hard the data are and how the
learners compare.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split

from mercer.datasets import Dataset
from mercer.estimators import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC


@dataclass(frozen=True)
class Row:
    """What one learner did."""

    name: str
    settings: str
    test_error: float
    n_wrong: int
    n_test: int
    support_vectors: int | None
    fit_seconds: float
    predict_seconds: float
    certificate: str
    predictions: NDArray


def learners(seed: int) -> dict[str, tuple[str, Any]]:
    """The contestants, the linear baseline first."""
    online: dict[str, Any] = {"random_state": seed}
    return {
        "linear baseline": ("scikit-learn's RidgeClassifier", RidgeClassifier()),
        "perceptron, last": ("Gaussian", KernelPerceptron(**online)),
        "perceptron, averaged": (
            "Gaussian",
            KernelPerceptron(variant="averaged", **online),
        ),
        "perceptron, best": ("Gaussian", KernelPerceptron(variant="best", **online)),
        "Pegasos": ("Gaussian, λ = 1e-5", KernelPegasos(lam=1e-5, **online)),
        "nearest neighbour": ("cosine", KernelKNN()),
        "SVM": ("Gaussian, C = 10", KernelSVC(C=10)),
    }


def split(data: Dataset, seed: int) -> tuple[NDArray, NDArray]:
    """The official split, or a fifth of each class for testing."""
    if data.train is not None and data.test is not None:
        return data.train, data.test
    rows = np.arange(data.n_samples)
    train, test = train_test_split(
        rows, test_size=0.2, stratify=data.y, random_state=seed
    )
    return np.sort(train), np.sort(test)


def first_look(data: Dataset, seed: int = 0) -> Iterator[Row]:
    """Fit and test each learner, one row at a time."""
    train, test = split(data, seed)
    for name, (settings, model) in learners(seed).items():
        start = time.perf_counter()
        model.fit(data.X[train], data.y[train])
        fitted = time.perf_counter()
        predictions = model.predict(data.X[test])
        end = time.perf_counter()
        wrong = int((predictions != data.y[test]).sum())
        support = getattr(model, "support_", None)
        yield Row(
            name=name,
            settings=settings,
            test_error=wrong / len(test),
            n_wrong=wrong,
            n_test=len(test),
            support_vectors=None if support is None else len(support),
            fit_seconds=fitted - start,
            predict_seconds=end - fitted,
            certificate=str(getattr(model, "certificate_", "")),
            predictions=predictions,
        )
