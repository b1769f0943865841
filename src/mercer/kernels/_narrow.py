"""Squared distances of samples with few features, from their differences.

A product of matrices would be as fast, but ‖x‖² + ‖y‖² − 2x·y cancels: differences
round ten times less where samples are near each other, as those are that a Gaussian
does not take for strangers. Sums are in the order of the features, whatever the block.
"""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_contracting

MOST_FEATURES = 16  # above which a product is clearly faster
_WIDTH = 640  # columns, whose values stay in a core's cache


@compiled_contracting
def squared_distances(
    samples: NDArray,
    at: NDArray,
    by_feature: NDArray,
    pieces: NDArray,
    out: NDArray,
) -> None:
    """‖x − y‖² of samples `at` places to stretches of others.

    Each of the `pieces` is: rows of `out` from and to, others from and to, and in which
    column of `out` these begin.
    """
    d, idle = len(by_feature), np.empty(_WIDTH, out.dtype)
    for k in range(len(pieces)):
        top, bottom, first, stop = (
            pieces[k, 0],
            pieces[k, 1],
            pieces[k, 2],
            pieces[k, 3],
        )
        for start in range(first, stop, _WIDTH):
            n, column = min(_WIDTH, stop - start), pieces[k, 4] + start - first
            for i in range(top, bottom, 2):  # two at a time keep the memory less busy
                x, row = samples[at[i]], out[i, column : column + n]
                u, other = x, idle[:n]  # where the second of a last one alone goes
                if i + 1 < bottom:
                    u, other = samples[at[i + 1]], out[i + 1, column : column + n]
                for j in range(n):
                    row[j] = 0
                for j in range(n):
                    other[j] = 0
                for f in range(0, d - 1, 2):
                    y = by_feature[f, start : start + n]
                    z = by_feature[f + 1, start : start + n]
                    x_y, x_z, u_y, u_z = x[f], x[f + 1], u[f], u[f + 1]
                    for j in range(n):
                        p, q, r, s = x_y - y[j], x_z - z[j], u_y - y[j], u_z - z[j]
                        row[j] = (row[j] + p * p) + q * q
                        other[j] = (other[j] + r * r) + s * s
                if d % 2:
                    y = by_feature[d - 1, start : start + n]
                    x_y, u_y = x[d - 1], u[d - 1]
                    for j in range(n):
                        p, r = x_y - y[j], u_y - y[j]
                        row[j] += p * p
                        other[j] += r * r
