"""Newton steps on the free samples, where steps in two coordinates get nowhere.

Features of very different sizes make the dual ill-conditioned: SMO zigzags, while one
system of equations leads to the top over all free samples, or to the next bound. A
sample at a bound leaves the system, and the Cholesky factor is brought up to date.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky

from mercer._numba import compiled

_MOST_WORK = 300_000_000  # multiplications, apart from the first factor's
_TOPS = 2  # the second step to the top corrects the rounding of the first


def climb(
    K: NDArray, state: NDArray, free_bias: bool, tol: float, max_steps: int
) -> tuple[NDArray[np.float64], int, bool]:
    """Climb the dual of free samples to its top, or until many are at a bound.

    K has their kernel values, ξ included; the rows of a state are as in `_steps`.
    Returns the new v, the number of steps, and whether the top was reached.
    """
    gradient, v, lo, hi = state.copy()
    free = np.arange(len(K))
    if len(free) <= free_bias:
        return v, 0, True
    # what is the same for all samples does not count where Σv is kept
    g = gradient - gradient.mean() if free_bias else gradient
    precision = float(np.finfo(K.dtype).eps)
    K = _centred(K) if free_bias else K.astype(np.float64)
    factor = _factor(K, precision, free_bias)
    tops, steps = 0, 0
    most = min(max_steps, 2 + _MOST_WORK // (5 * len(K) ** 2))
    while steps < most and tops < _TOPS and len(free) > free_bias:
        spread = np.ptp(g[free]) if free_bias else 2 * np.abs(g[free]).max()
        step = _newton_step(factor, g[free], free_bias)
        along = np.zeros(len(K))
        along[free] = step  # K is not copied
        slope, product = step @ g[free], K @ along
        if spread <= tol / 2 or not slope > 0:
            break
        curvature = step @ product[free]
        top = slope / curvature if curvature > 0 else np.inf
        bound = np.where(step > 0, hi[free], lo[free])
        room = np.full(len(free), np.inf)
        np.divide(bound - v[free], step, out=room, where=step != 0)
        first = int(room.argmin())
        length = min(top, room[first])
        g -= length * product
        v[free] = np.clip(v[free] + length * step, lo[free], hi[free])
        steps += 1
        if room[first] <= top:
            v[free[first]] = bound[first]
            factor, free = _without(factor, first), np.delete(free, first)
        else:
            tops += 1
    return v, steps, steps < most or tops > 0


def _centred(K: NDArray) -> NDArray[np.float64]:
    means = K.mean(axis=0, dtype=np.float64)
    centred: NDArray = K - means - means[:, None] + means.mean()
    return centred


def _factor(K: NDArray, precision: float, free_bias: bool) -> NDArray[np.float64]:
    """The Cholesky factor of K with as much added as makes it positive definite."""
    size, n = float(np.abs(np.diagonal(K)).sum()), len(K)
    # along (1, …, 1), where K has no curvature once it is centred, nothing moves
    A = K + size / n**2 if free_bias else K.copy()
    more = precision * size or 1.0
    while True:
        A[np.diag_indices(n)] += more
        try:
            factor: NDArray = cholesky(A, lower=True, check_finite=False)
            return factor
        except LinAlgError:
            more *= 10


def _newton_step(
    factor: NDArray, gradient: NDArray, free_bias: bool
) -> NDArray[np.float64]:
    sides = np.column_stack([gradient, np.ones(len(gradient))])
    x, y = cho_solve((factor, True), sides, check_finite=False).T
    if not free_bias:
        return np.asarray(x)
    step = x - y * (x.sum() / y.sum())
    return np.asarray(step - step.mean())


@compiled
def _without(factor: NDArray, row: int) -> NDArray:
    """The Cholesky factor without a row and a column, by Givens rotations."""
    n = len(factor) - 1
    kept = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            kept[i, j] = factor[i + (i >= row), j + (j >= row)]
    column = factor[row + 1 :, row].copy()
    for k in range(row, n):
        a, b = kept[k, k], column[k - row]
        length = np.hypot(a, b)
        for i in range(k, n):
            one, two = kept[i, k], column[i - row]
            kept[i, k] = (a * one + b * two) / length
            column[i - row] = (a * two - b * one) / length
    return kept
