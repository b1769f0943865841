"""The nearest neighbour on the corners of a cube, two ways.

For one training set: every corner's nearest sample by passing (distance, number) from
corner to corner along each of the n directions in turn, n·2ⁿ steps however many
samples there are. For a set that grows: each test point's nearest so far.
Of equally near samples the first counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled

#: A key is the distance times this, plus the sample's number.
_STEP = 1 << 24


def nearest_errors(
    n: int, samples: NDArray[np.int64], points: NDArray[np.int64]
) -> float:
    """The share of the points whose nearest sample has another label."""
    return float(np.mean((samples[nearest(n, samples)[points]] ^ points) & 1))


def nearest(n: int, samples: NDArray[np.int64]) -> NDArray[np.int32]:
    """The number of each corner's nearest sample.

    >>> nearest(2, np.array([0b00, 0b11])).tolist()
    [0, 0, 0, 1]
    """
    keys = np.full(1 << n, np.iinfo(np.int32).max - _STEP, np.int32)
    # backwards, so that the first of equal samples stays
    keys[samples[::-1]] = np.arange(len(samples) - 1, -1, -1, dtype=np.int32)
    _pass_on(keys, n)
    return keys % _STEP


def growing_errors(
    samples: NDArray[np.int64], points: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The share of wrong points after each sample."""
    changes = np.zeros(len(samples), np.int64)
    _follow(samples, points, changes)
    return np.cumsum(changes) / len(points)


@compiled
def _pass_on(keys: Any, n: int) -> None:
    """Let every corner know what is nearest, one direction after the other."""
    for bit in range(n):
        width = 1 << bit
        for start in range(0, keys.shape[0], 2 * width):
            low, high = keys[start : start + width], keys[start + width :]
            for i in range(width):
                near, far = low[i], high[i]
                # narrow sums, so that eight corners are done at once
                low[i] = min(near, np.int32(far + _STEP))
                high[i] = min(far, np.int32(near + _STEP))


@compiled
def _follow(samples: Any, points: Any, changes: Any) -> None:
    """Count what each sample changes: points made wrong less those made right."""
    for i in range(points.shape[0]):
        point = np.uint32(points[i])
        nearest, was_wrong = np.uint32(64), np.int64(0)
        for j in range(samples.shape[0]):
            v = np.uint32(np.uint32(samples[j]) ^ point)
            wrong = np.int64(v & np.uint32(1))
            v = v - ((v >> np.uint32(1)) & np.uint32(0x55555555))
            v = (v & np.uint32(0x33333333)) + (
                (v >> np.uint32(2)) & np.uint32(0x33333333)
            )
            v = (v + (v >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
            distance = np.uint32(np.uint32(v * np.uint32(0x01010101)) >> np.uint32(24))
            if distance < nearest:
                nearest = distance
                changes[j] += wrong - was_wrong
                was_wrong = wrong
                if distance == 0:
                    break
