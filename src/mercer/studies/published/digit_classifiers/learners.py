"""The five configurations: estimators of the library, each with its grid."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from mercer.estimators import KernelKNN, KernelPerceptron, KernelSVC
from mercer.kernels import Gaussian, Polynomial
from mercer.studies import Context
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
    return KernelPerceptron(epochs=EPOCHS, mistake="sign", shuffle=False, **params)


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


def _enough(k: int) -> int:
    """Among so many neighbours, k are in every training set: at least 64 % of all."""
    return 3 * k + 50


def list_neighbours(X: NDArray, y: NDArray[np.integer], k: int) -> NDArray[np.int32]:
    """For each sample its nearest by cosine, the nearest first."""
    count = min(len(X), _enough(k))
    _, near = KernelKNN(count, "cosine").fit(X, y).kneighbors(X)
    return near.astype(np.int32)


class KnownNeighbours(ClassifierMixin, BaseEstimator):
    """k nearest neighbours of samples that are given by their numbers.

    Those of every split come from one list of neighbours among all samples: the first
    of a sample's that are in the training set. A training sample is its own neighbour,
    as in the report. The most frequent class wins, of equally frequent ones the first.

    >>> near = np.array([[0, 1, 2], [1, 2, 0], [2, 1, 0]])
    >>> KnownNeighbours(near).fit([[0], [2]], [5, 6]).predict([[1]])
    array([6])
    """

    def __init__(self, near: NDArray[np.integer], n_neighbors: int = 1) -> None:
        self.near = near
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> Self:
        """Take in the numbers of the training samples and their classes."""
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self._class_of = np.full(len(self.near), -1, np.int32)
        self._class_of[np.ravel(X)] = numbers
        return self

    def predict(self, X: Any) -> NDArray:
        """The class of most of the first k neighbours that are trained on."""
        k = self.n_neighbors
        classes = self._class_of[self.near[np.ravel(X), : _enough(k)]]
        trained = classes >= 0
        counted = trained & (trained.cumsum(axis=1, dtype=np.int32) <= k)
        place = np.nonzero(counted)[0] * len(self.classes_) + classes[counted]
        votes = np.bincount(place, minlength=len(classes) * len(self.classes_))
        return self.classes_[votes.reshape(len(classes), -1).argmax(axis=1)]
