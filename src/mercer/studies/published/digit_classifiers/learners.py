"""The five configurations: estimators of the library, each with its grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelPerceptron, KernelSVC
from mercer.kernels import Gaussian, Polynomial
from mercer.studies.context import Context
from mercer.studies.published.digit_classifiers.neighbours import (
    KnownNeighbours,
    list_neighbours,
)
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS, EPOCHS


class Problem(NamedTuple):
    """What the protocols take: a learner, its values in their order, and samples."""

    estimator: Any
    param_grid: Mapping[str, list[Any]]
    X: NDArray
    y: NDArray[np.int64]


def problem_of(context: Context, name: str) -> Problem:
    """The learner of a configuration on all samples."""
    X, y = pixels(context), class_numbers(context)
    values: list[Any] = list(CONFIGURATIONS[name].values)
    if name == "knn":
        near = context.shared("neighbours", lambda: list_neighbours(X, y, max(values)))
        numbers = np.arange(len(y))[:, None]
        return Problem(KnownNeighbours(near), {"n_neighbors": values}, numbers, y)
    if name == "svm":
        svm = KernelSVC(kernel=Gaussian(1 / context.dataset.n_features))
        return Problem(svm, {"C": values}, X, y)
    kernel = Gaussian if name == "gauss-ovr" else Polynomial
    multiclass = "ovo" if name == "poly-ovo" else "ovr"
    grid = {"kernel": [kernel(value) for value in values]}
    return Problem(perceptron(multiclass=multiclass), grid, X, y)


def perceptron(**params: Any) -> KernelPerceptron:
    """The report's perceptron: the same order in every epoch, +1 for s > 0."""
    given: dict[str, Any] = {
        "epochs": EPOCHS,
        "mistake": "sign",
        "shuffle": False,
    } | params
    return KernelPerceptron(**(given | params))


def pixels(context: Context) -> NDArray:
    """All samples, their values between -1 and 1 as in zipcombo."""

    def scale() -> NDArray:
        low, high = context.dataset.value_range
        X = np.asarray(context.dataset.X, np.float32)
        return X if (low, high) == (-1, 1) else (X - low) * (2 / (high - low)) - 1

    return context.shared("pixels", scale)


def class_numbers(context: Context) -> NDArray[np.int64]:
    """The number of each sample's class."""
    return context.shared(
        "classes", lambda: np.unique(context.dataset.y, return_inverse=True)[1]
    )
