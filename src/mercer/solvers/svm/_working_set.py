"""The choice of a working set: free samples, and the worst violators among others.

A state is as in `_steps`, whose words are used here.
"""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_comparing, compiled_inside
from mercer.solvers.svm._maxima import count_above, largest

HUGE = 1e300  # stands for infinity
FREE, UP, LOW = 0, 1, 2  # in both I_up and I_low, in I_up only, in I_low only


@compiled_comparing
def extreme_gradients(state: NDArray, free_bias: bool) -> tuple[float, float]:
    """m(α) and M(α); their difference is the violation.

    Without an equality constraint both are measured against zero.
    """
    gradient, v, lo, hi = state[0], state[1], state[2], state[3]
    m, M = (-HUGE, HUGE) if free_bias else (0.0, 0.0)
    for i in range(len(v)):
        m = max(m, gradient[i] if v[i] < hi[i] else -HUGE)
        M = min(M, gradient[i] if v[i] > lo[i] else HUGE)
    return m, M


@compiled_inside
def count_free(state: NDArray) -> int:
    """How many samples are at no bound."""
    v, lo, hi, count = state[1], state[2], state[3], 0
    for i in range(len(v)):
        count += (lo[i] < v[i]) and (v[i] < hi[i])
    return count


@compiled_comparing
def mark_worst(marks: NDArray, members: NDArray, score: NDArray, count: int) -> None:
    """Mark the `count` members of the largest score; among near equals, spread evenly.

    Bisection finds the threshold; NumPy's partition takes Numba seconds to compile.
    """
    n = len(members)
    low, high = -HUGE, -HUGE
    if n > count:
        low, high = score[0] - 1.0, largest(score)
        for k in range(n):
            low = min(low, score[k] - 1.0)
        for _ in range(20):
            threshold = (low + high) / 2
            if count_above(score, threshold) > count:
                low = threshold
            else:
                high = threshold
    left = count - count_above(score, high)
    n_equal, seen = count_above(score, low) - count_above(score, high), 0
    for k in range(n):
        if score[k] > high:
            marks[members[k]] = True
        elif score[k] > low:
            # of the near equals, `left` are taken
            if (seen + 1) * left // n_equal > seen * left // n_equal:
                marks[members[k]] = True
            seen += 1


@compiled_comparing
def select_working_set(
    state: NDArray, free_bias: bool, tol: float, sizes: NDArray, recent: NDArray
) -> tuple[NDArray, float]:
    """The next working set and the violation of all samples.

    It holds the free samples, the worst violators among the others, and samples that
    moved in the round before; `sizes` says how many FREE, UP, LOW and recent at most.
    """
    gradient, v, lo, hi = state[0], state[1], state[2], state[3]
    m, M = extreme_gradients(state, free_bias)
    up_above, low_below = (M + tol, m - tol) if free_bias else (tol / 2, -tol / 2)
    members = np.empty((3, len(v)), np.int64)
    score = np.empty((3, len(v)))
    found = np.empty(3, np.int64)
    for kind in (FREE, UP, LOW):
        found[kind] = 0
    first, last = -1, -1
    for i in range(len(v)):
        g, in_up, in_low = gradient[i], v[i] < hi[i], v[i] > lo[i]
        first = i if in_up and g == m else first
        last = i if in_low and g == M else last
        kind, worst = -1, abs(g)
        if in_up and in_low:
            kind, worst = FREE, max(g - M, m - g) if free_bias else worst
        elif in_up and g > up_above:
            kind, worst = UP, g
        elif in_low and g < low_below:
            kind, worst = LOW, -g
        if kind >= 0:
            members[kind, found[kind]] = i
            score[kind, found[kind]] = worst
            found[kind] += 1
    marks = np.zeros(len(v), np.bool_)
    for i in (first, last):  # with the maximal violating pair in it, something moves
        if i >= 0:
            marks[i] = True
    for k in range(min(len(recent), sizes[3])):
        marks[recent[k]] = True
    for kind in (FREE, UP, LOW):
        n = found[kind]
        mark_worst(marks, members[kind, :n], score[kind, :n], sizes[kind])
    working_set, n = members[0], 0
    for i in range(len(v)):
        if marks[i]:
            working_set[n] = i
            n += 1
    return working_set[:n].copy(), m - M


@compiled_inside
def submatrix(K: NDArray, rows: NDArray, columns: NDArray, spare: int) -> NDArray:
    """The values between some samples, with as many rows and columns to spare."""
    q = len(rows)
    values = np.empty((q + spare, q + spare), K.dtype)
    for i in range(q):
        row = K[rows[i]]
        for j in range(q):
            values[i, j] = row[columns[j]]
    return values
