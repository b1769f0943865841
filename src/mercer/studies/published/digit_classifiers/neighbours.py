"""Nearest neighbours of every split from one list of neighbours among all samples.

Its k nearest in a training set are the first k of a sample's neighbours that are in it,
whatever the split or fold. A training sample is its own neighbour, as in the report.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from mercer.estimators import KernelKNN


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

    The most frequent class wins, of equally frequent ones the first.

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
