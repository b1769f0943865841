r"""Exact Shapley values of polynomial kernels, which are powers of a sum over features.

Let :math:`u_l` be the addend :math:`a_l` of a sample with probability t, else
:math:`b_l` of a background row. Then with :math:`Z = c + \sum_{l \ne j} u_l`

.. math:: \varphi_j = \int_0^1 E[(Z + a_j)^p - (Z + b_j)^p]\, dt,

a polynomial of degree p - 1 in t, which ⌈p/2⌉ nodes of Gauss and Legendre integrate
exactly. The moments of Z follow from its cumulants: those of a sum are sums, and
:math:`\kappa_c(u_l) = (a_l - b_l)^c \kappa_c(t)`, with that of a coin on the right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray
from scipy.special import comb

from mercer._numba import compiled_reordering


def add_polynomial(
    X: NDArray[np.float64],
    Z: NDArray[np.float64],
    vectors: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    degree: int,
    offset: float,
    scale: float,
    out: NDArray[np.float64],
) -> None:
    """Add the values of Σ coef·(scale·x'·x + offset)^degree to `out`."""
    if degree == 0:
        return
    if degree == 1:
        slopes = scale * (vectors.T @ coefficients)
        out += (X - Z.mean(axis=0))[:, :, None] * slopes
        return
    t, weights = np.polynomial.legendre.leggauss(-(-degree // 2))
    nodes, weights = (t + 1) / 2, weights / 2
    coins = _coin_cumulants(nodes, degree)
    binomials = comb(*np.ogrid[: degree + 1, : degree + 1])
    _add_polynomial(
        *(X, Z, scale * vectors, coefficients, degree, offset),
        *(nodes, weights, coins, binomials, out),
    )


def _coin_cumulants(t: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """κ_0 to κ_most of a coin at each t: κ_{c+1} = t (1 − t) dκ_c/dt."""
    cumulant, found = Polynomial([0.0, 1.0]), [np.zeros_like(t)]
    for _ in range(most):
        found.append(cumulant(t))
        cumulant = Polynomial([0.0, 1.0, -1.0]) * cumulant.deriv()
    return np.stack(found, axis=1)


@compiled_reordering  # sums over features; no sign decides
def _add_polynomial(
    X: Any,
    Z: Any,
    vectors: Any,
    coefficients: Any,
    degree: int,
    offset: float,
    nodes: Any,
    weights: Any,
    coins: Any,
    binomials: Any,
    out: Any,
) -> None:
    n_samples, n_features = X.shape
    phi, gaps = np.empty(n_features), np.empty(n_features)
    sums, moments = np.empty(degree + 1), np.empty(degree)
    for s in range(vectors.shape[0]):
        for i in range(n_samples):
            phi[:] = 0.0
            for r in range(Z.shape[0]):
                base = offset
                sums[:] = 0.0
                for j in range(n_features):
                    base += Z[r, j] * vectors[s, j]
                    gaps[j] = (X[i, j] - Z[r, j]) * vectors[s, j]
                    power = 1.0
                    for c in range(1, degree + 1):
                        power *= gaps[j]
                        sums[c] += power
                for j in range(n_features):
                    if gaps[j] != 0.0:
                        for q in range(nodes.shape[0]):
                            mean = base + nodes[q] * (sums[1] - gaps[j])
                            phi[j] += weights[q] * _mean_difference(
                                mean, gaps[j], sums, coins[q], binomials, moments
                            )
            for j in range(n_features):
                value = phi[j] / Z.shape[0]
                for p in range(coefficients.shape[1]):
                    out[i, j, p] += coefficients[s, p] * value


@compiled_reordering
def _mean_difference(
    low: float, gap: float, sums: Any, coin: Any, binomials: Any, moments: Any
) -> float:
    """E[(Z + gap)^p − Z^p], from the mean `low` of Z and its central moments."""
    degree = moments.shape[0]
    moments[0] = 1.0
    for k in range(1, degree):
        moments[k], power = 0.0, gap
        for c in range(2, k + 1):
            power *= gap
            cumulant = (sums[c] - power) * coin[c]
            moments[k] += binomials[k - 1, c - 1] * cumulant * moments[k - c]
    total, of_high, of_low = 0.0, 1.0, 1.0
    for k in range(degree - 1, -1, -1):
        of_high *= low + gap
        of_low *= low
        total += binomials[degree, k] * moments[k] * (of_high - of_low)
    return total
