"""How many samples 1-NN needs, exactly: nothing is drawn.

No coordinate is preferred, so the nearest sample of a point differs from it in the
first coordinate as often as in any other: the expected error is the expected distance
to the nearest sample, divided by n. That distance is at most n/10 once the balls of
radius n/10 around m samples cover the cube, which takes about 2ⁿ/C(n, n/10) samples:
1-NN needs m ~ √n·bⁿ with b = 2^(1 − H(1/10)) = 1.445, H being the entropy in bits.
"""

from math import log2

import numpy as np
from scipy.special import bdtr, bdtrc


def expected_error(n: int, m: float) -> float:
    """The mean error of 1-NN over all training sets of m samples.

    >>> expected_error(1, 1), round(expected_error(10, 100), 4)
    (0.5, 0.125)
    """
    # the chance that no sample is within t, summed over t, is the mean distance
    t = np.arange(n)
    beyond = np.where(2 * t < n, np.log1p(-bdtr(t, n, 0.5)), np.log(bdtrc(t, n, 0.5)))
    return float(np.exp(m * beyond).sum() / n)


def samples_needed(n: int, error: float = 0.1) -> int:
    """The least m whose expected error is small enough.

    >>> [samples_needed(n) for n in (1, 2, 10, 17)]
    [4, 6, 173, 2779]
    """
    high = 1
    while expected_error(n, high) > error:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if expected_error(n, middle) > error:
            low = middle
        else:
            high = middle
    return high


def growth_base(error: float = 0.1) -> float:
    """What m is multiplied by for one more coordinate, when there are many.

    >>> round(growth_base(), 3)
    1.445
    """
    entropy = -error * log2(error) - (1 - error) * log2(1 - error)
    return float(2 ** (1 - entropy))
