r"""Probabilities from margins that change no decision.

With the margins :math:`s_{kj} = -s_{jk}` of the binary problems of n classes, class k
has the probability

.. math:: P(k) \propto e^{a m_k}, \qquad m_k = \frac1n \sum_j s_{kj}.

There is one slope and no offset: for two classes :math:`P = 1/(1 + e^{-as})`, which is
above a half where the score is above 0. For more, votes may decide against the largest
:math:`m_k`; the other classes then are no more probable than the one decided for.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from mercer.calibration._logistic import minimise

_HAIR = 1e-9  # by which the class decided for is ahead, so that rounding makes no tie


def fit_slope(
    margins: NDArray[np.float64],
    y_encoded: NDArray[np.integer],
    weights: NDArray[np.float64],
) -> float:
    """The slope of the least log-loss on margins of samples that were held out.

    One mistake more than there were, of the average margin, bounds what few samples can
    claim (Laplace's rule of succession).

    >>> margins = np.array([[0.5, -0.5], [0.4, -0.4], [-0.5, 0.5], [-0.1, 0.1]])
    >>> round(fit_slope(margins, np.array([0, 0, 1, 1]), np.ones(4)), 2)
    1.64
    """
    rows = np.arange(len(y_encoded))
    lead = margins - margins[rows, y_encoded][:, None]
    others = lead.copy()
    others[rows, y_encoded] = -np.inf
    average = weights @ np.abs(others.max(axis=1)) / weights.sum()
    mistake = np.zeros((1, margins.shape[1]))
    mistake[0, 0] = average
    mistake[0, 2:] = -average
    lead = np.vstack([lead, mistake])
    share = np.append(weights, weights.mean())
    share /= share.sum()

    def objective(
        slope: NDArray[np.float64],
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        p = softmax(slope * lead, axis=1)
        mean = (p * lead).sum(axis=1)
        spread = (p * lead**2).sum(axis=1) - mean**2
        value = share @ logsumexp(slope * lead, axis=1)
        curvature = share @ spread + np.finfo(float).tiny
        return float(value), np.array([share @ mean]), np.array([[curvature]])

    return max(0.0, float(minimise(objective, np.zeros(1))[0][0]))


def class_probabilities(
    margins: NDArray[np.float64], slope: float, decided: NDArray[np.integer]
) -> NDArray[np.float64]:
    """The probability of each class; the one decided for has the largest.

    >>> margins = np.array([[-1.0, 1.0], [0.25, -0.25]])
    >>> class_probabilities(margins, 1.0, np.array([1, 0])).round(3)
    array([[0.119, 0.881],
           [0.622, 0.378]])
    """
    rows = np.arange(len(decided))
    logits = np.minimum(slope * margins, slope * margins[rows, decided][:, None])
    logits[rows, decided] += _HAIR
    return np.asarray(softmax(logits, axis=1))
