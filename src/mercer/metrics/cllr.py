"""Cost of log-likelihood ratios, averaged over all applications."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from mercer.metrics._checks import check_binary
from mercer.metrics._staircase import hull, staircase


def cllr(y_true: ArrayLike, scores: ArrayLike, *, pos_label: Any = None) -> float:
    r"""Logarithmic cost of scores read as natural log-likelihood ratios, in bits.

    .. math::

        C_{llr} = \frac{1}{2 \log 2}\left(
            \frac{1}{n_T}\sum_{i \in T}\log(1 + e^{-s_i}) +
            \frac{1}{n_N}\sum_{i \in N}\log(1 + e^{s_i})\right)

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    scores : array-like of shape (n_samples,)
        Log-likelihood ratios, or scores taken for such.
    pos_label : label, optional
        The positive class; the second of the sorted classes unless given.

    Returns
    -------
    float
        0 for perfect scores, 1 for scores that are always 0, more for misleading ones.

    Examples
    --------
    >>> from mercer.metrics import cllr
    >>> round(cllr([0, 0, 1, 1], [-2.0, -1.0, 0.5, 3.0]), 4)
    0.3473
    >>> cllr([0, 0, 1, 1], [0.0, 0.0, 0.0, 0.0])
    1.0
    """
    target, values = check_binary(y_true, scores, pos_label)
    missed = np.logaddexp(0.0, -values[target]).mean()
    alarmed = np.logaddexp(0.0, values[~target]).mean()
    return float((missed + alarmed) / (2.0 * np.log(2.0)))


def min_cllr(y_true: ArrayLike, scores: ArrayLike, *, pos_label: Any = None) -> float:
    r"""`cllr` after the best rising transformation of the scores.

    Pool-adjacent-violators finds it: in a block with :math:`t_b` positives and
    :math:`f_b` others every score becomes :math:`\log\frac{t_b/n_T}{f_b/n_N}`, infinite
    at pure ends, which cost nothing. What `cllr` is above it, calibration can mend.
    The parameters are those of `cllr`.

    Returns
    -------
    float
        Between 0, where a threshold separates the classes, and 1.

    Examples
    --------
    >>> from mercer.metrics import min_cllr
    >>> min_cllr([0, 0, 1, 1], [-2.0, -1.0, 0.5, 3.0])
    0.0
    >>> min_cllr([0, 1, 0, 1], [-2.0, -1.0, 0.5, 3.0])
    0.5
    """
    edge = hull(staircase(*check_binary(y_true, scores, pos_label)))
    hits = np.diff(edge.misses) / edge.misses[-1]
    alarms = -np.diff(edge.false_alarms) / edge.false_alarms[0]
    both = hits + alarms
    bits = xlogy(hits, hits / both) + xlogy(alarms, alarms / both)
    return float(abs(bits.sum()) / (2.0 * np.log(2.0)))
