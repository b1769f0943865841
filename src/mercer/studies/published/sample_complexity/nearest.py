"""The nearest neighbour on the corners of a cube, two ways.

For one training set: what is nearest is passed on from corner to corner, one direction
after the other, n·2ⁿ steps however many samples there are. The last four directions
are left to the question: a point looks at the 16 corners that differ in these alone.
For a set that grows: each test point's nearest so far.
Of equally near samples the first counts.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, intrinsic

#: Corners that a question looks at: those that differ in the lowest bits.
_BITS = 4
_WIDTH = 1 << _BITS
_APART = np.array([[(i ^ j).bit_count() for j in range(_WIDTH)] for i in range(_WIDTH)])


def error_if_small(
    n: int, samples: NDArray[np.int64], points: NDArray[np.int64], small: float
) -> float:
    """The share of the points whose nearest sample has another label.

    Counting ends as soon as it is certain to be more than `small`; what was counted by
    then is more as well.

    >>> error_if_small(2, np.array([0b00, 0b11]), np.arange(4), 1.0)
    0.25
    """
    n, step = max(n, _BITS), 1 << (len(samples) - 1).bit_length()
    # narrow keys where they fit: twice as many corners are done at once
    kind = np.uint16 if (n + _BITS + 1) * step < 1 << 16 else np.uint32
    # a key is the distance times step, plus the sample's number; nothing is near yet,
    # and the steps of a question still fit
    keys = np.full(1 << n, np.iinfo(kind).max - _BITS * step, kind)
    # backwards, so that the first of equal samples stays
    keys[samples[::-1]] = np.arange(len(samples) - 1, -1, -1, dtype=kind)
    _pass_on(keys, n, kind(step))
    apart, most = (_APART * step).astype(kind), math.ceil(small * len(points))
    return float(_count_wrong(keys, apart, step, samples, points, most) / len(points))


def growing_errors(
    samples: NDArray[np.int64], points: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The share of wrong points after each sample."""
    changes = np.zeros(len(samples), np.int64)
    _follow(samples, points, changes)
    return np.cumsum(changes) / len(points)


@compiled
def _pass_on(keys: Any, n: int, step: Any) -> None:
    """Let every corner know what is nearest, one direction after the other."""
    for bit in range(_BITS, n):
        width = 1 << bit
        for start in range(0, keys.shape[0], 2 * width):
            low, high = keys[start : start + width], keys[start + width :]
            for i in range(width):
                near, far = low[i], high[i]
                # narrow sums, so that many corners are done at once
                low[i] = min(near, type(step)(far + step))
                high[i] = min(far, type(step)(near + step))


@compiled
def _count_wrong(
    keys: Any, apart: Any, step: int, samples: Any, points: Any, most: int
) -> int:
    """Count points with a nearest sample of another label, up to `most` + 1."""
    wrong = 0
    for i in range(points.shape[0]):
        inner = points[i] & (_WIDTH - 1)
        first = points[i] - inner
        near, way = keys[first : first + _WIDTH], apart[inner]
        best = near[0]
        best += way[0]
        for c in range(_WIDTH):
            key = near[c]
            key += way[c]
            best = min(best, key)
        wrong += (samples[best & (step - 1)] ^ points[i]) & 1
        if wrong > most:
            break
    return wrong


@intrinsic(lambda value: int(value).bit_count())
def _count_bits(context: Any, value: Any) -> Any:
    """The number of ones: a single instruction."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return value(value), generate


@compiled
def _follow(samples: Any, points: Any, changes: Any) -> None:
    """Count what each sample changes: points made wrong less those made right."""
    for i in range(points.shape[0]):
        point = points[i]
        nearest, was_wrong = np.int64(64), np.int64(0)
        for j in range(samples.shape[0]):
            apart = samples[j] ^ point
            distance = _count_bits(apart)
            if distance < nearest:
                nearest = distance
                wrong = apart & 1
                changes[j] += wrong - was_wrong
                was_wrong = wrong
                if distance == 0:
                    break
