"""Costs over a range of applications: the Bayes error curve."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.exceptions import ParameterError
from mercer.metrics._checks import check_binary
from mercer.metrics._staircase import Staircase, hull, staircase

_LARGEST = 500.0


@dataclass(frozen=True, slots=True)
class BayesErrorCurve:
    """Normalised cost against the prior log-odds.

    Attributes
    ----------
    log_odds : ndarray of shape (n_points,)
        log(π / (1 - π)); unequal costs shift it by log(C_miss / C_fa).
    actual, minimum : ndarray of shape (n_points,)
        `actual_dcf` and `min_dcf` at each of them.
    """

    log_odds: NDArray[np.float64]
    actual: NDArray[np.float64]
    minimum: NDArray[np.float64]


def bayes_error_curve(
    y_true: ArrayLike,
    scores: ArrayLike,
    log_odds: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> BayesErrorCurve:
    r"""Actual and minimum cost for every prior, all from one sort.

    An application with prior :math:`\pi` and costs decides as one with equal costs and

    .. math:: \log\frac{\tilde\pi}{1-\tilde\pi} = \log\frac{\pi\,C_{miss}}{(1-\pi)
        \,C_{fa}},

    so that one axis holds them all. The minimum is read off the convex hull of the
    operating points; together that takes :math:`O((n + points) \log n)`.

    Parameters
    ----------
    y_true, scores, pos_label
        As in `cllr`.
    log_odds : array-like of shape (n_points,), optional
        Where to compute the costs; 81 points from -4 to 4 unless given.

    Returns
    -------
    BayesErrorCurve

    Examples
    --------
    >>> from mercer.metrics import bayes_error_curve
    >>> y, llr = [0, 0, 0, 1, 1], [-3.0, -1.0, 0.5, 0.2, 2.0]
    >>> curve = bayes_error_curve(y, llr, log_odds=[-1.0, 0.0, 1.0])
    >>> curve.actual.round(4)
    array([0.5   , 0.3333, 0.3333])
    >>> curve.minimum.round(4)
    array([0.5   , 0.3333, 0.3333])
    """
    target, values = check_binary(y_true, scores, pos_label)
    points = _check_log_odds(log_odds)
    stairs = staircase(target, values)
    edge = hull(stairs)
    at = np.searchsorted(stairs.thresholds, -points, side="right") - 1
    best = np.searchsorted(edge.llr, -points, side="right")
    return BayesErrorCurve(
        points, actual=_cost(points, stairs, at), minimum=_cost(points, edge, best)
    )


def _cost(
    log_odds: NDArray[np.float64], stairs: Staircase, at: NDArray[np.intp]
) -> NDArray[np.float64]:
    # Dividing by the smaller of π and 1-π leaves a weight of 1 on one side.
    cost = stairs.miss_rate[at] * np.exp(np.maximum(log_odds, 0.0))
    cost += stairs.false_alarm_rate[at] * np.exp(np.maximum(-log_odds, 0.0))
    return np.asarray(cost)


def _check_log_odds(log_odds: ArrayLike | None) -> NDArray[np.float64]:
    if log_odds is None:
        return np.linspace(-4.0, 4.0, 81)
    points = np.atleast_1d(np.asarray(log_odds, dtype=np.float64))
    if points.ndim != 1 or not np.all(np.abs(points) <= _LARGEST):
        raise ParameterError(
            "log_odds must be a list of numbers between "
            f"{-_LARGEST:g} and {_LARGEST:g}; they are log(prior / (1 - prior))."
        )
    return points
