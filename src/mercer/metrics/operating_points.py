"""ROC and DET: the two error rates at every threshold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.metrics._checks import check_binary
from mercer.metrics._staircase import staircase


@dataclass(frozen=True, slots=True)
class RocPoints:
    """Points of the receiver operating characteristic, from (0, 0) to (1, 1).

    Attributes
    ----------
    false_alarm_rate, hit_rate : ndarray of shape (n_points,)
        Part of the negatives and of the positives with a score above the threshold.
    thresholds : ndarray of shape (n_points,)
        Descending; the last is -inf.
    """

    false_alarm_rate: NDArray[np.float64]
    hit_rate: NDArray[np.float64]
    thresholds: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DetPoints:
    """Points of the detection error trade-off, from (0, 1) to (1, 0).

    Attributes
    ----------
    false_alarm_rate, miss_rate : ndarray of shape (n_points,)
        Part of the negatives with a score above the threshold, and of the positives
        with one at or below it.
    thresholds : ndarray of shape (n_points,)
        Descending; the last is -inf.
    """

    false_alarm_rate: NDArray[np.float64]
    miss_rate: NDArray[np.float64]
    thresholds: NDArray[np.float64]


def roc_points(
    y_true: ArrayLike, scores: ArrayLike, *, pos_label: Any = None
) -> RocPoints:
    r"""Hit rate against false-alarm rate, one point per distinct score and one more.

    .. math:: \left(P_{fa}(t),\ 1 - P_{miss}(t)\right)

    The parameters are those of `cllr`.

    Examples
    --------
    >>> from mercer.metrics import roc_points
    >>> roc = roc_points([0, 0, 1, 1], [-1.0, 0.5, 0.5, 2.0])
    >>> roc.false_alarm_rate, roc.hit_rate
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """
    det = det_points(y_true, scores, pos_label=pos_label)
    return RocPoints(det.false_alarm_rate, 1.0 - det.miss_rate, det.thresholds)


def det_points(
    y_true: ArrayLike, scores: ArrayLike, *, pos_label: Any = None
) -> DetPoints:
    r"""Miss rate against false-alarm rate, one point per distinct score and one more.

    .. math:: \left(P_{fa}(t),\ P_{miss}(t)\right)

    A DET plot draws both on a probit axis, on which two Gaussian score distributions
    give a straight line. The parameters are those of `cllr`.

    Examples
    --------
    >>> from mercer.metrics import det_points
    >>> det = det_points([0, 0, 1, 1], [-1.0, 0.5, 0.5, 2.0])
    >>> det.false_alarm_rate, det.miss_rate
    (array([0. , 0. , 0.5, 1. ]), array([1. , 0.5, 0. , 0. ]))
    """
    stairs = staircase(*check_binary(y_true, scores, pos_label))
    return DetPoints(
        stairs.false_alarm_rate[::-1], stairs.miss_rate[::-1], stairs.thresholds[::-1]
    )
