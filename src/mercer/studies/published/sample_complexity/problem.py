"""The problem "just a little bit": x uniform in {-1, 1}^n, and y = x₁."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The error that is to be reached.
ERROR = 0.1
TRIALS, TEST_POINTS = 10, 10_000


def draw_points(n: int, count: int, random: np.random.Generator) -> NDArray[np.float32]:
    """So many points; the label of each is its first coordinate.

    >>> draw_points(3, 2, np.random.default_rng(0)).shape
    (2, 3)
    """
    bits = np.frombuffer(random.bytes(-(-count * n // 8)), np.uint8)
    signs = np.unpackbits(bits, count=count * n).astype(np.float32)
    signs *= 2
    signs -= 1
    return signs.reshape(count, n)


def draw_codes(n: int, count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """The same points as numbers of n bits; the label is the lowest bit."""
    return random.integers(0, 1 << n, count)
