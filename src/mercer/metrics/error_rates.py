"""How sure an error rate is, and whether two of them differ by chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtri

from mercer._validation import check_same_length
from mercer.exceptions import ParameterError
from mercer.metrics._checks import check_labels


def wilson_interval(
    n_wrong: int, n_samples: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Bounds of the error rate of which a test set is a sample, by Wilson's score.

    Parameters
    ----------
    n_wrong, n_samples : int
        How many samples were tested, and how many of them were mistaken.
    confidence : float
        How often such an interval holds the true rate.

    Returns
    -------
    tuple of float
        The lower and the upper bound.

    Examples
    --------
    >>> from mercer.metrics import wilson_interval
    >>> low, high = wilson_interval(56, 10000)
    >>> f"{low:.2%} to {high:.2%}"
    '0.43% to 0.73%'
    """
    if not 0 <= n_wrong <= n_samples or n_samples < 1:
        raise ParameterError(
            f"{n_wrong} of {n_samples} samples cannot be wrong; give two counts, the "
            "first at most as large as the second."
        )
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence}; it must lie in 0 to 1.")
    z = float(ndtri((1 + confidence) / 2))
    rate, share = n_wrong / n_samples, z * z / n_samples
    centre = (rate + share / 2) / (1 + share)
    half = z * np.sqrt(rate * (1 - rate) / n_samples + share / n_samples / 4)
    half = float(half) / (1 + share)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class McNemarTest:
    """Two classifiers on the same samples.

    Attributes
    ----------
    only_first_wrong, only_second_wrong : int
        Samples that one of them mistook and the other did not.
    p_value : float
        How often as large a difference, in either direction, comes by chance from
        classifiers that are equally good.
    """

    only_first_wrong: int
    only_second_wrong: int
    p_value: float


def mcnemar_test(y_true: ArrayLike, first: ArrayLike, second: ArrayLike) -> McNemarTest:
    """Test whether two classifiers differ, by the samples that just one mistook.

    The exact test: each of these samples is a throw of a fair coin.

    Parameters
    ----------
    y_true : array-like
        What the samples are.
    first, second : array-like
        What the two classifiers took them for.

    Returns
    -------
    McNemarTest
        Both counts, and the p-value.

    Examples
    --------
    >>> from mercer.metrics import mcnemar_test
    >>> test = mcnemar_test([3, 5, 8, 8, 1, 7], [3, 6, 0, 9, 7, 1], [3, 5, 8, 8, 1, 1])
    >>> test.only_first_wrong, test.only_second_wrong, test.p_value
    (4, 0, 0.125)
    """
    labels = check_labels(y_true)
    answers = check_labels(first, "first"), check_labels(second, "second")
    for name, own in zip(("first", "second"), answers):
        check_same_length(labels, own, ("y_true", name))
    mistaken, other = (own != labels for own in answers)
    only_first = int(np.count_nonzero(mistaken & ~other))
    only_second = int(np.count_nonzero(other & ~mistaken))
    tail = bdtr(min(only_first, only_second), only_first + only_second, 0.5)
    return McNemarTest(only_first, only_second, min(1.0, 2 * float(tail)))
