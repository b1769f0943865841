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
def _of_two(
    x: NDArray,
    u: NDArray,
    by_feature: NDArray,
    first: int,
    row: NDArray,
    other: NDArray,
) -> None:
    """‖x − y‖² in `row` and ‖u − y‖² in `other`, of y from `first` on."""
    d, n = len(by_feature), len(row)
    for j in range(n):
        row[j] = 0
    for j in range(n):
        other[j] = 0
    for f in range(0, d - 1, 2):
        y, z = by_feature[f, first : first + n], by_feature[f + 1, first : first + n]
        x_y, x_z, u_y, u_z = x[f], x[f + 1], u[f], u[f + 1]
        for j in range(n):
            p, q, r, s = x_y - y[j], x_z - z[j], u_y - y[j], u_z - z[j]
            row[j] = (row[j] + p * p) + q * q
            other[j] = (other[j] + r * r) + s * s
    if d % 2:
        y, x_y, u_y = by_feature[d - 1, first : first + n], x[d - 1], u[d - 1]
        for j in range(n):
            p, r = x_y - y[j], u_y - y[j]
            row[j] += p * p
            other[j] += r * r


@compiled_contracting
def squared_distances(
    samples: NDArray,
    at: NDArray,
    by_feature: NDArray,
    first: int,
    out: NDArray,
    column: int,
    n: int,
) -> None:
    """Of the samples `at` to the n from `first`, in columns of `out` from `column`."""
    idle = np.empty(_WIDTH, out.dtype)  # where the second of a last one alone goes
    for start in range(column, column + n, _WIDTH):
        stop, begin = min(start + _WIDTH, column + n), first + start - column
        for i in range(0, len(at) - 1, 2):
            x, u = samples[at[i]], samples[at[i + 1]]
            rows = out[i, start:stop], out[i + 1, start:stop]
            _of_two(x, u, by_feature, begin, rows[0], rows[1])
        if len(at) % 2:
            x, row = samples[at[-1]], out[len(at) - 1, start:stop]
            _of_two(x, x, by_feature, begin, row, idle[: stop - start])


@compiled_contracting
def rows_of_distances(
    samples: NDArray,
    at: NDArray,
    by_feature: NDArray,
    wanted: NDArray,
    runs: NDArray,
    of_problem: NDArray,
    out: NDArray,
) -> None:
    """Of each sample `at` to all of its problem, that are in (place, first, stop)."""
    start, n, width = 0, len(at), out.shape[1]
    while start < n:
        p, stop = wanted[start, 0], start + 1
        while stop < n and wanted[stop, 0] == p:
            stop += 1
        for r in range(of_problem[p], of_problem[p + 1]):
            place, first, last = runs[r, 0], runs[r, 1], runs[r, 2]
            own, rows, count = at[start:stop], out[start:stop], last - first
            squared_distances(samples, own, by_feature, first, rows, place, count)
        last_run = of_problem[p + 1] - 1
        end = runs[last_run, 0] + runs[last_run, 2] - runs[last_run, 1]
        for k in range(start, stop):
            for j in range(end, width):
                out[k, j] = 0
        start = stop
