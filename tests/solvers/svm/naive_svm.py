"""The dual SVM by exact ascent over all pairs (or all single samples), in turn."""

import numpy as np
import pytest


def solve(K, z, upper, xi=0.0, free_bias=True, sweeps=300):
    """The α that no step in two (or one) coordinates can make better."""
    n = len(z)
    H = np.outer(z, z) * (K + xi)
    alpha = np.zeros(n)
    for _ in range(sweeps):
        before = alpha.copy()
        for i in range(n):
            if not free_bias:
                _step(alpha, H, upper, i, [(i, 1.0)])
            for j in range(i):
                _step(alpha, H, upper, i, [(i, 1.0), (j, -z[i] * z[j])])
        if np.abs(alpha - before).max() <= 1e-14 * max(1.0, alpha.max()):
            break
    return alpha


def _step(alpha, H, upper, i, direction):
    """Go as far along the direction as the dual rises and the bounds allow."""
    d = np.zeros(len(alpha))
    for k, by in direction:
        d[k] = by
    slope, curvature = d @ (1 - H @ alpha), d @ H @ d
    low, high = -np.inf, np.inf
    for k, by in direction:
        ends = sorted([-alpha[k] / by, (upper[k] - alpha[k]) / by])
        low, high = max(low, ends[0]), min(high, ends[1])
    t = slope / max(curvature, 1e-14)
    t = min(max(t, low), high)
    for k, by in direction:
        alpha[k] = min(max(alpha[k] + t * by, 0.0), upper[k])


def dual(K, z, alpha, xi=0.0):
    v = alpha * z
    return alpha.sum() - v @ (K + xi) @ v / 2


def primal(K, z, upper, alpha, bias, xi=0.0):
    """½‖w‖² + Σ C·hinge; `bias` is the free one."""
    v = alpha * z
    scores = (K + xi) @ v + bias
    return v @ (K + xi) @ v / 2 + upper @ np.maximum(0, 1 - z * scores)


def check(solution, problem, K, bias, xi=0.0, rel=1e-6):
    """What must hold for every solution, against sums written out."""
    z, upper, alpha = problem.signs, problem.upper, solution.alpha
    certificate = solution.certificate
    assert (alpha >= 0).all()
    assert (alpha <= upper).all()
    if bias == "free":
        assert abs(solution.coef.sum()) <= 1e-9 * max(1.0, alpha.sum())
    assert certificate.gap >= -1e-9 * max(1.0, abs(certificate.primal))
    xi = xi if bias == "regularized" else 0.0
    free = solution.bias if bias == "free" else 0.0
    low = dual(K, z, alpha, xi)
    high = primal(K, z, upper, alpha, free, xi)
    size = max(1.0, abs(high))
    assert certificate.dual == pytest.approx(low, rel=rel, abs=rel * size)
    assert certificate.primal == pytest.approx(high, rel=rel, abs=rel)
    assert certificate.gap == pytest.approx(high - low, abs=2 * rel * size)
    if bias != "free":
        assert solution.bias == pytest.approx(xi * solution.coef.sum())
