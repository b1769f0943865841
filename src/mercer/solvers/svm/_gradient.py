"""The gradient, brought up to date with rows of kernel values."""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_comparing, compiled_inside


@compiled_comparing
def update_gradient(
    gradient: NDArray,
    K: NDArray,
    rows: NDArray,
    change: NDArray,
    run: tuple[int, int, int],
) -> None:
    """Take Kᵀ·change, summed in float64, from a stretch of the gradient.

    `run` is (first, stop, column): where in the gradient, and K's column for `first`.
    """
    first, stop, column = run
    width = 2048
    total = np.empty(width)
    for start in range(first, stop, width):
        n, at = min(width, stop - start), column + start - first
        for j in range(n):
            total[j] = 0.0
        for r in range(1, len(rows), 2):  # two at a time keep the memory busier
            one, two = K[rows[r - 1], at : at + n], K[rows[r], at : at + n]
            by, and_by = change[r - 1], change[r]
            for j in range(n):
                total[j] += by * np.float64(one[j]) + and_by * np.float64(two[j])
        if len(rows) % 2 == 1:
            one, by = K[rows[-1], at : at + n], change[-1]
            for j in range(n):
                total[j] += by * np.float64(one[j])
        part = gradient[start : start + n]
        for j in range(n):
            part[j] -= total[j]


@compiled_comparing
def follow(gradient: NDArray, change: NDArray, start: int, values: NDArray) -> None:
    """The same for rows of values that begin at some column of the gradient."""
    rows = np.empty(len(values), np.int64)
    for r in range(len(rows)):
        rows[r] = r
    # a plain 0 is a type of its own, for which this would be compiled again
    run = (start, start + values.shape[1], np.int64(0))
    update_gradient(gradient, values, rows, change, run)


@compiled_comparing
def follow_and_keep(
    gradient: NDArray,
    change: NDArray,
    start: int,
    values: NDArray,
    kept: NDArray,
    places: NDArray,
) -> None:
    """And put rows into their places among those that are kept, or nowhere."""
    follow(gradient, change, start, values)
    keep_rows(start, values, kept, places)


@compiled_comparing
def keep_rows(start: int, values: NDArray, kept: NDArray, places: NDArray) -> None:
    """Rows of values into their places, from a column on; those without one nowhere."""
    for r in range(len(values)):
        if places[r] >= 0:
            row, out = values[r], kept[places[r], start : start + values.shape[1]]
            for j in range(len(row)):
                out[j] = row[j]


@compiled_inside
def update_scattered(
    gradient: NDArray, K: NDArray, rows: NDArray, change: NDArray, columns: NDArray
) -> None:
    """The same for columns in any order."""
    for r in range(len(rows)):
        row, by = K[rows[r]], change[r]
        for j in range(len(gradient)):
            gradient[j] -= by * np.float64(row[columns[j]])


@compiled_inside
def shift_gradient(gradient: NDArray, xi: float, change: NDArray) -> None:
    """Bring the gradient of all samples up to date with ξ, which is in every value."""
    shift = 0.0
    for k in range(len(change)):
        shift += xi * change[k]
    for k in range(len(gradient)):
        gradient[k] -= shift
