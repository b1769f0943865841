"""Scores brought to mean 0 and standard deviation 1, whatever their size."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Scaling:
    """(scores / peak - centre) / scale, column by column."""

    peak: NDArray[np.float64]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    def apply(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((scores / self.peak - self.centre) / self.scale)


def fit_scaling(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> Scaling:
    """Measure weighted mean and deviation; constant columns keep their scale."""
    # Dividing by the greatest size first keeps squares from overflowing.
    peak = np.abs(scores).max(axis=0)
    peak = np.where(peak > np.finfo(float).tiny, peak, 1.0)
    small = scores / peak
    constant = small.max(axis=0) == small.min(axis=0)
    centre = weights @ small
    deviation = np.sqrt(weights @ (small - centre) ** 2)
    return Scaling(peak, centre, np.where(constant, 1.0, np.maximum(deviation, 1e-15)))
