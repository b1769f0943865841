r"""Detection cost: what decisions cost for a prior and two costs.

The positive class is decided when the score is greater than the threshold ("greater",
not "greater or equal": a score at the threshold itself is decided negative). The
expected cost of deciding at threshold :math:`t` is

.. math::

    \mathrm{DCF}(t) = \pi\,C_{miss}\,P_{miss}(t) + (1-\pi)\,C_{fa}\,P_{fa}(t),

with :math:`P_{miss}` the part of the positives with :math:`s \le t`, and
:math:`P_{fa}` the part of the others with :math:`s > t`. Divided by
:math:`\min(\pi C_{miss}, (1-\pi) C_{fa})`, the cost of the better of the two systems
that ignore the scores, it is *normalised*: 1 is worth nothing, 0 is perfect.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._validation import check_prior
from mercer.exceptions import ParameterError
from mercer.metrics._checks import check_binary, check_costs
from mercer.metrics._staircase import Staircase, staircase


def bayes_threshold(
    prior: float = 0.5, cost_miss: float = 1.0, cost_false_alarm: float = 1.0
) -> float:
    r"""Threshold on log-likelihood ratios that makes the expected cost smallest.

    .. math:: t = -\log\frac{\pi\,C_{miss}}{(1-\pi)\,C_{fa}}

    Parameters
    ----------
    prior : float
        Probability of the positive class, inside (0, 1).
    cost_miss, cost_false_alarm : float
        What a positive taken for negative costs, and the reverse.

    Returns
    -------
    float
        The threshold; infinite where one of the costs is 0.

    Examples
    --------
    >>> from mercer.metrics import bayes_threshold
    >>> round(bayes_threshold(prior=0.1), 4)
    2.1972
    """
    miss, false_alarm = _weights(prior, cost_miss, cost_false_alarm)
    with np.errstate(divide="ignore", over="ignore"):
        return -float(np.log(np.float64(miss) / np.float64(false_alarm)))


def actual_dcf(
    y_true: ArrayLike,
    scores: ArrayLike,
    prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    *,
    normalize: bool = True,
    threshold: float | None = None,
    pos_label: Any = None,
) -> float:
    r"""Cost of the decisions that take the scores for log-likelihood ratios.

    .. math:: \mathrm{DCF}\left(-\log\frac{\pi\,C_{miss}}{(1-\pi)\,C_{fa}}\right)

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    scores : array-like of shape (n_samples,)
        The greater, the more the sample looks positive.
    prior, cost_miss, cost_false_alarm
        As in `bayes_threshold`.
    normalize : bool
        Divide by the cost of the better system that ignores the scores.
    threshold : float, optional
        Decide there instead, for example at a threshold picked on other data
        (`best_threshold`), or at 0 if the scores contain the prior already.
    pos_label : label, optional
        The positive class; the second of the sorted classes unless given.

    Returns
    -------
    float
        The cost. It can exceed 1: bad decisions are worse than none.

    Examples
    --------
    >>> from mercer.metrics import actual_dcf
    >>> y, llr = [0, 0, 0, 1, 1], [-3.0, -1.0, 0.5, 0.2, 2.0]
    >>> round(actual_dcf(y, llr), 4)
    0.3333
    >>> actual_dcf(y, llr, prior=0.1)
    1.0
    """
    target, values = check_binary(y_true, scores, pos_label)
    weights = _weights(prior, cost_miss, cost_false_alarm)
    if threshold is None:
        threshold = bayes_threshold(prior, cost_miss, cost_false_alarm)
    elif np.isnan(threshold):
        raise ParameterError("threshold is NaN; give a number, or None for Bayes'.")
    accepted = values > threshold
    miss = np.count_nonzero(target & ~accepted) / np.count_nonzero(target)
    false_alarm = np.count_nonzero(accepted & ~target) / np.count_nonzero(~target)
    cost = weights[0] * miss + weights[1] * false_alarm
    return float(cost / _trivial(weights) if normalize else cost)


def min_dcf(
    y_true: ArrayLike,
    scores: ArrayLike,
    prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    *,
    normalize: bool = True,
    pos_label: Any = None,
) -> float:
    r"""Cost at the best of all thresholds, from :math:`-\infty` to :math:`\infty`.

    .. math:: \min_t\ \mathrm{DCF}(t)

    One sort finds it, in :math:`O(n \log n)`; tied scores are never separated. The
    parameters are those of `actual_dcf`.

    Returns
    -------
    float
        The cost, at most `actual_dcf`, and at most 1 if normalised.

    Examples
    --------
    >>> from mercer.metrics import min_dcf
    >>> y, llr = [0, 0, 0, 1, 1], [-3.0, -1.0, 0.5, 0.2, 2.0]
    >>> min_dcf(y, llr, prior=0.1)
    0.5
    """
    stairs = staircase(*check_binary(y_true, scores, pos_label))
    weights = _weights(prior, cost_miss, cost_false_alarm)
    cost = _costs(stairs, weights).min()
    return float(cost / _trivial(weights) if normalize else cost)


def best_threshold(
    y_true: ArrayLike,
    scores: ArrayLike,
    prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    *,
    pos_label: Any = None,
) -> float:
    """Threshold at which `min_dcf` is reached; the lowest of several.

    The parameters are those of `actual_dcf`.

    Returns
    -------
    float
        Half-way between the two neighbouring scores, or infinite where deciding the
        same class for every sample is best.

    Examples
    --------
    >>> from mercer.metrics import actual_dcf, best_threshold
    >>> y, llr = [0, 0, 0, 1, 1], [-3.0, -1.0, 0.5, 0.2, 2.0]
    >>> best_threshold(y, llr, prior=0.1)
    1.25
    >>> actual_dcf(y, llr, prior=0.1, threshold=1.25)
    0.5
    """
    stairs = staircase(*check_binary(y_true, scores, pos_label))
    costs = _costs(stairs, _weights(prior, cost_miss, cost_false_alarm))
    best = int(np.argmin(costs))
    if best in (0, len(costs) - 1):
        return -np.inf if best == 0 else np.inf
    low, high = map(float, stairs.thresholds[best : best + 2])
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def _costs(stairs: Staircase, weights: tuple[float, float]) -> NDArray[np.float64]:
    return weights[0] * stairs.miss_rate + weights[1] * stairs.false_alarm_rate


def _weights(
    prior: float, cost_miss: float, cost_false_alarm: float
) -> tuple[float, float]:
    prior = check_prior(prior)
    cost_miss, cost_false_alarm = check_costs(cost_miss, cost_false_alarm)
    return prior * cost_miss, (1.0 - prior) * cost_false_alarm


def _trivial(weights: tuple[float, float]) -> float:
    if min(weights) == 0.0:
        raise ParameterError(
            "With a cost of 0 one decision is always free and there is nothing to "
            "normalise by; give positive costs, or normalize=False."
        )
    return min(weights)
