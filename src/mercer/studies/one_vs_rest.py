"""One problem a class, for several splits at once over one Gram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Split = tuple[NDArray[np.integer], NDArray[np.integer]]


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """The binary problems of some splits, split by split and class by class.

    Attributes
    ----------
    numbers : ndarray of shape (n_samples,)
        The class of each sample, counted from 0.
    n_classes : int
        How many there are.
    splits : sequence of (train, test)
        The samples of each split.
    signs : ndarray of shape (n_splits · n_classes, n_samples)
        +1 for the class, -1 for the rest, 0 for samples outside of training: solvers
        leave these alone, and keep their scores all the same.
    """

    numbers: NDArray[np.integer]
    n_classes: int
    splits: Sequence[Split]
    signs: NDArray[np.float64]

    @classmethod
    def of(cls, y: NDArray, splits: Sequence[Split]) -> OneVsRest:
        """The problems of the classes in `y`.

        >>> part = np.array([0, 2]), np.array([1])
        >>> OneVsRest.of(np.array([5, 6, 6]), [part]).signs.tolist()
        [[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]]
        """
        classes, numbers = np.unique(y, return_inverse=True)
        signs = np.zeros((len(splits), len(classes), len(y)))
        for place, (train, _) in enumerate(splits):
            is_class = numbers[train] == np.arange(len(classes))[:, None]
            signs[place][:, train] = np.where(is_class, 1.0, -1.0)
        flat = signs.reshape(-1, len(y))
        return cls(numbers, len(classes), splits, flat)

    def of_split(self, scores: NDArray, place: int) -> NDArray:
        """The rows of one split, a class each."""
        return scores[place * self.n_classes : (place + 1) * self.n_classes]

    def test_errors(self, scores: NDArray) -> list[float]:
        """The share of each split's test samples whose highest score is wrong."""
        return [self._error(scores, s, test) for s, (_, test) in enumerate(self.splits)]

    def train_errors(self, scores: NDArray) -> list[float]:
        """The same for the training samples."""
        return [self._error(scores, s, part) for s, (part, _) in enumerate(self.splits)]

    def _error(self, scores: NDArray, place: int, rows: NDArray[np.integer]) -> float:
        decided = self.of_split(scores, place)[:, rows].argmax(axis=0)
        return float(np.mean(decided != self.numbers[rows]))
