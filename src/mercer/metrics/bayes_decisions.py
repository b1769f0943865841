"""Decisions that make the expected cost smallest, and what decisions have cost."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from mercer.exceptions import DataError, ParameterError
from mercer.metrics._checks import costs_or_equal, priors_or_equal
from mercer.metrics.confusion import confusion

Array = NDArray[np.float64]


def bayes_decisions(
    log_likelihoods: ArrayLike,
    cost_matrix: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    *,
    posteriors: bool = False,
    classes: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Decide for each sample the class with the smallest expected cost.

    .. math:: \arg\min_j \sum_i C_{ij}\,P(i \mid x), \qquad
        P(i \mid x) \propto \pi_i\,e^{\ell_i(x)}

    Parameters
    ----------
    log_likelihoods : array-like of shape (n_samples, n_classes)
        :math:`\ell_i(x)`, up to a constant per row. -inf is allowed: the class is
        impossible.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        :math:`C_{ij}`: cost of deciding `j` when `i` is true. Every mistake costs 1
        unless given.
    priors : array-like of shape (n_classes,), optional
        Equal unless given.
    posteriors : bool
        The rows are probabilities that sum to 1, which contain their priors already.
    classes : array-like of shape (n_classes,), optional
        Return these labels instead of column numbers.

    Returns
    -------
    ndarray of shape (n_samples,)
        Decisions; between equal expected costs the first column wins.

    Examples
    --------
    >>> from mercer.metrics import bayes_decisions
    >>> probabilities = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]
    >>> bayes_decisions(probabilities, posteriors=True)
    array([0, 1])
    >>> never_miss_2 = [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    >>> bayes_decisions(probabilities, never_miss_2, posteriors=True)
    array([2, 2])
    """
    values = np.asarray(log_likelihoods, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2:
        raise DataError(
            f"log_likelihoods has the shape {values.shape}; give one row per sample "
            "and one column per class, at least two."
        )
    probabilities = (_check_posteriors if posteriors else _posteriors)(values, priors)
    costs = costs_or_equal(cost_matrix, values.shape[1])
    decisions = np.argmin(probabilities @ costs, axis=1)
    return np.asarray(decisions if classes is None else np.asarray(classes)[decisions])


def bayes_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cost_matrix: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
) -> float:
    r"""Expected cost of decisions for given priors.

    .. math:: \sum_i \pi_i \sum_j C_{ij}\,R_{ij}

    with :math:`R_{ij}` the part of class `i` that was decided to be `j`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        The truth and the decisions.
    cost_matrix, priors
        As in `bayes_decisions`, in the order of `labels`.
    labels : array-like, optional
        The classes; all that occur, sorted, unless given.

    Returns
    -------
    float
        The cost of one decision on average.

    Examples
    --------
    >>> from mercer.metrics import bayes_cost
    >>> round(bayes_cost([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]), 4)
    0.3333
    """
    return _cost_and_trivial(y_true, y_pred, cost_matrix, priors, labels)[0]


def normalized_bayes_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cost_matrix: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
) -> float:
    r"""`bayes_cost` divided by that of the best system which sees only the priors.

    .. math:: \frac{\sum_i \pi_i \sum_j C_{ij}\,R_{ij}}{\min_j \sum_i \pi_i\,C_{ij}}

    For two classes and ``[[0, cost_false_alarm], [cost_miss, 0]]`` this is
    `actual_dcf`. The parameters are those of `bayes_cost`.

    Returns
    -------
    float
        0 is perfect, 1 is worth nothing, more is harmful.

    Examples
    --------
    >>> from mercer.metrics import normalized_bayes_cost
    >>> round(normalized_bayes_cost([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]), 4)
    0.5
    """
    cost, trivial = _cost_and_trivial(y_true, y_pred, cost_matrix, priors, labels)
    if trivial == 0.0:
        raise ParameterError(
            "cost_matrix has a decision that is always free, so that there is nothing "
            "to normalise by; use bayes_cost, or make every column cost something."
        )
    return cost / trivial


def _cost_and_trivial(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cost_matrix: ArrayLike | None,
    priors: ArrayLike | None,
    labels: ArrayLike | None,
) -> tuple[float, float]:
    counts = confusion(y_true, y_pred, labels=labels)
    totals = counts.sum(axis=1)
    if np.any(totals == 0):
        raise DataError(
            f"y_true holds no sample of class number {int(np.argmin(totals))} of "
            f"{len(totals)}; the cost needs samples of every class."
        )
    costs = costs_or_equal(cost_matrix, len(counts))
    weights = priors_or_equal(priors, len(counts))
    rates = counts / totals[:, None]
    return float(weights @ (costs * rates).sum(axis=1)), float((weights @ costs).min())


def _posteriors(values: Array, priors: ArrayLike | None) -> Array:
    bad = np.isnan(values).any(axis=1) | np.isposinf(values).any(axis=1)
    bad |= np.isneginf(values).all(axis=1)
    if np.any(bad):
        raise DataError(
            f"log_likelihoods holds NaN, inf or only -inf in row {int(np.argmax(bad))};"
            " at least one class must have a finite value."
        )
    weighted = values + np.log(priors_or_equal(priors, values.shape[1]))
    return np.asarray(np.exp(log_softmax(weighted, axis=1)))


def _check_posteriors(values: Array, priors: ArrayLike | None) -> Array:
    if priors is not None:
        raise ParameterError(
            "priors cannot be given together with posteriors=True, because posteriors "
            "contain them; give log-likelihoods, or leave priors out."
        )
    good = np.all((values >= 0.0) & (values <= 1.0), axis=1)
    good &= np.isclose(values.sum(axis=1), 1.0, atol=1e-6)
    if not np.all(good):
        raise DataError(
            f"Row {int(np.argmin(good))} is not a probability distribution; "
            "posteriors lie between 0 and 1 and sum to 1."
        )
    return values
