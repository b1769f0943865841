"""Two ways to estimate how many samples are enough, and one that is not biased.

The problem is "just a little bit": x is uniform in {-1, 1}^n, and y = x₁.

*Lucky*: each trial takes the first m whose error is small enough; the mean over trials
is reported. One lucky m ends a trial, so it is too low, the more so when each m has a
training set of its own (as published) than when one set grows.

*Unbiased*: the error of each m is averaged over many trials first; the smallest m whose
mean error is small enough is reported.
"""

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.studies.plain import derive_seed
from mercer.studies.published.sample_complexity.linear import (
    LINEAR,
    errors,
    errors_if_small,
)
from mercer.studies.published.sample_complexity.nearest import (
    error_if_small,
    growing_errors,
)

#: The error that is to be reached.
ERROR = 0.1
TRIALS, TEST_POINTS = 10, 10_000
NEAREST = "1-NN"
_MANY_TRIALS, _SHARED_POINTS = 100, 2000
_NEAREST_TRIALS, _FEW_POINTS = 50, 1000
_AT_ONCE = 16


def draw_points(n: int, m: int, random: np.random.Generator) -> NDArray[np.float32]:
    """M points; the label of each is its first coordinate.

    >>> draw_points(3, 2, np.random.default_rng(0)).shape
    (2, 3)
    """
    bits = np.frombuffer(random.bytes(-(-m * n // 8)), np.uint8)
    signs = np.unpackbits(bits, count=m * n).astype(np.float32)
    signs *= 2
    signs -= 1
    return signs.reshape(m, n)


def draw_codes(n: int, m: int, random: np.random.Generator) -> NDArray[np.int64]:
    """The same points as numbers of n bits; the label is the lowest bit."""
    return random.integers(0, 1 << n, m)


def lucky(learner: str, n: int, seed: int, fresh: bool) -> list[int]:
    """The first m that is good enough, for each trial."""

    def trial(number: int) -> int:
        random = np.random.default_rng(derive_seed(seed, n, number, fresh))
        if learner != NEAREST:
            found = _linear_errors(learner, n, random, fresh)
        else:
            found = (_nearest_fresh if fresh else _nearest_growing)(n, random)
        return next(m for m, error in enumerate(found, 1) if error <= ERROR)

    return parallel_map(trial, range(TRIALS))


def _linear_errors(
    learner: str, n: int, random: np.random.Generator, fresh: bool
) -> Iterator[float]:
    """Errors of m = 1, 2, …; several at a time go through one product."""
    points = draw_points(n, TEST_POINTS, random)
    train = LINEAR[learner]
    grown = np.empty((0, n), np.float32)
    for first in count(1, _AT_ONCE):
        sizes = range(first, first + _AT_ONCE)
        if fresh:
            sets = [draw_points(n, m, random) for m in sizes]
        else:
            grown = np.concatenate([grown, draw_points(n, _AT_ONCE, random)])
            sets = [grown[:m] for m in sizes]
        yield from errors_if_small([train(X) for X in sets], points).tolist()


def _nearest_fresh(n: int, random: np.random.Generator) -> Iterator[float]:
    points = draw_codes(n, TEST_POINTS, random)
    for m in count(1):
        yield error_if_small(n, draw_codes(n, m, random), points, ERROR)


def _nearest_growing(n: int, random: np.random.Generator) -> Iterator[float]:
    """Errors of m = 1, 2, … until one is small enough."""
    points = draw_codes(n, TEST_POINTS, random)
    samples = draw_codes(n, _expected(n), random)
    while True:
        found = growing_errors(samples, points)
        if found.min() <= ERROR:
            return iter(found.tolist())
        samples = np.append(samples, draw_codes(n, 1 + len(samples) // 4, random))


def _expected(n: int) -> int:
    """About how many samples 1-NN needs, so that few are drawn in vain."""
    return 16 + int(4.3 * 1.471**n)


def unbiased(learner: str, n: int, seed: int) -> int:
    """The smallest m whose mean error over many trials is good enough."""
    random = np.random.default_rng(derive_seed(seed, n, "unbiased"))
    if learner == NEAREST:
        return _unbiased_nearest(n, random)
    points = draw_points(n, _SHARED_POINTS, random)

    def good_enough(m: int) -> bool:
        sets = draw_points(n, _MANY_TRIALS * m, random).reshape(_MANY_TRIALS, m, n)
        weights = [LINEAR[learner](X) for X in sets]
        return float(errors(weights, points).mean()) <= ERROR

    high = 1
    while not good_enough(high):
        high *= 2
    low = high // 2
    # the mean error falls with m, so halving finds where it passes
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good_enough(middle) else (middle, high)
    return high


def _unbiased_nearest(n: int, random: np.random.Generator) -> int:
    """All m at once: each trial's set grows, and its errors are those on the way."""
    points = draw_codes(n, _FEW_POINTS, random)
    length = _expected(n)
    while True:
        sets = draw_codes(n, _NEAREST_TRIALS * length, random)
        found = parallel_map(
            lambda samples: growing_errors(samples, points),
            sets.reshape(_NEAREST_TRIALS, length),
        )
        small = np.mean(found, axis=0) <= ERROR
        if small.any():
            return int(np.argmax(small)) + 1
        length += 1 + length // 4
