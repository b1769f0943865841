"""The updates of a binary problem, and how much each counts in what is read of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class UpdateSizes:
    """Updates as they come, and the predictors that were read on the way.

    An update of weight ρ counts a − b·ρ in a predictor, whichever it is: so sums over
    updates that are kept as they grow serve all predictors of a run.
    """

    def __init__(self, n_predictors: int) -> None:
        self.count = 0
        self.counts = np.zeros(n_predictors, np.int64)
        self.constants, self.slopes = np.zeros((2, n_predictors))
        self._samples: list[NDArray[np.int64]] = []
        self._weights: list[NDArray[np.float64]] = []

    def append(self, samples: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Take in updates about these samples."""
        if len(samples):
            self.count += len(samples)
            self._samples.append(samples.copy())
            self._weights.append(weights)

    def note(
        self, numbers: Sequence[int], count: int, constant: float, slope: float
    ) -> None:
        """Predictors of these numbers are `count` updates of `constant` − `slope`·ρ."""
        for number in numbers:  # mostly one, for which an array of numbers is slow
            self.counts[number] = count
            self.constants[number], self.slopes[number] = constant, slope

    @property
    def samples(self) -> NDArray[np.int64]:
        """The samples of all updates."""
        return np.concatenate([np.empty(0, np.int64), *self._samples])

    @property
    def weights(self) -> NDArray[np.float64]:
        """ρ of all updates."""
        return np.concatenate([np.empty(0), *self._weights])

    def totals(self, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ|α|·length over the updates of each predictor."""
        own = lengths[self.samples]
        plain, weighted = (
            np.concatenate([[0.0], np.cumsum(terms)])[self.counts]
            for terms in (own, own * self.weights)
        )
        totals: NDArray[np.float64] = self.constants * plain - self.slopes * weighted
        return totals
