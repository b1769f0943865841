"""Both error counts at every threshold, from one sort.

The positive class is decided when the score is *greater* than the threshold. Equal
scores can therefore never be told apart: a threshold lies below, at or above all of
them, and the staircase has one step per distinct score.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression


@dataclass(frozen=True, slots=True)
class Staircase:
    """Misses and false alarms at each threshold, thresholds ascending from -inf."""

    thresholds: NDArray[np.float64]
    misses: NDArray[np.int64]
    false_alarms: NDArray[np.int64]

    @property
    def miss_rate(self) -> NDArray[np.float64]:
        return np.asarray(self.misses / self.misses[-1])

    @property
    def false_alarm_rate(self) -> NDArray[np.float64]:
        return np.asarray(self.false_alarms / self.false_alarms[0])


def staircase(target: NDArray[np.bool_], scores: NDArray[np.float64]) -> Staircase:
    """Count the errors at -inf and at every distinct score, in O(n log n)."""
    order = np.argsort(scores)
    ordered = scores[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    targets_below = np.cumsum(target[order], dtype=np.int64)[ends]
    misses = np.concatenate(([0], targets_below))
    rejected = np.concatenate(([0], ends + 1 - targets_below))
    return Staircase(
        np.concatenate(([-np.inf], ordered[ends])), misses, rejected[-1] - rejected
    )


@dataclass(frozen=True, slots=True)
class Hull(Staircase):
    """The lower convex hull of a staircase: the only thresholds that are ever best.

    Vertex k lies between blocks k-1 and k; block k holds the samples between two
    vertices, and `llr[k]` is the log-likelihood ratio that their counts speak for.
    """

    llr: NDArray[np.float64]


def hull(stairs: Staircase) -> Hull:
    """Pool adjacent violators: the blocks of the isotonic fit are the hull's edges."""
    targets, others = np.diff(stairs.misses), -np.diff(stairs.false_alarms)
    fit = isotonic_regression(targets / (targets + others), weights=targets + others)
    vertices = np.asarray(fit.blocks)
    misses, false_alarms = stairs.misses[vertices], stairs.false_alarms[vertices]
    with np.errstate(divide="ignore"):
        llr = np.log(np.diff(misses) / misses[-1])
        llr -= np.log(-np.diff(false_alarms) / false_alarms[0])
    llr = np.maximum.accumulate(llr)
    return Hull(stairs.thresholds[vertices], misses, false_alarms, llr)
