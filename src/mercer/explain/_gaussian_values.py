r"""Exact Shapley values of Gaussian kernels, which are products over the features.

With the factors :math:`a_l` of a sample and :math:`b_l` of a background row,

.. math:: \varphi_j = \int_0^1 (a_j - b_j) \prod_{l \ne j} (t a_l + (1 - t) b_l)\, dt,

since the product is a mean over coalitions that take in each feature with probability
t. The integrand is a polynomial of degree d - 1: ⌈d/2⌉ nodes of Gauss and Legendre
integrate it exactly. Fewer are taken where a bound says that rounding is larger than
what they miss: n nodes err by at most :math:`\frac{32}{15} M \rho^{-2n}/(1-\rho^{-2})`,
M being the largest size of the integrand on Bernstein's ellipse of parameter ρ, where a
factor is at most :math:`(a + b)/2 + |a - b| (\rho + 1/\rho)/4`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_reordering

#: What quadrature may miss of a kernel value, which is at most one.
_TOLERANCE = 1e-15
_ELLIPSES = np.array([1.4, 2.0, 3.0, 5.0, 9.0])
_TINY = 1e-290  # added to factors, so that one can divide by those that underflow


def add_gaussian(
    X: NDArray[np.float64],
    Z: NDArray[np.float64],
    vectors: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    gamma: float,
    out: NDArray[np.float64],
) -> None:
    """Add the values of Σ coef·exp(−γ‖x' − x‖²) to (samples, features, problems)."""
    if gamma == 0:
        return
    # the others have the value zero, and one factor for all background rows
    differs = (X[:, None] != Z[None]).any(axis=1)
    counts = node_counts(-(-int(differs.sum(axis=1).max(initial=0)) // 2))
    nodes, weights = _nodes_and_weights(counts)
    rho = _ELLIPSES
    bounds = np.stack(
        [(rho + 1 / rho) / 4, 2 * np.log(rho), 32 / 15 / _TOLERANCE / (1 - rho**-2)]
    )
    ZT = np.ascontiguousarray(Z.T)
    quadrature = (counts, nodes, weights, bounds)
    _add_gaussian(X, differs, ZT, vectors, coefficients, gamma, *quadrature, out)


def node_counts(most: int) -> NDArray[np.int64]:
    """The numbers of nodes to choose from, up to those that are exact.

    >>> node_counts(30).tolist()
    [0, 2, 4, 6, 8, 12, 16, 24, 30]
    """
    counts, step = [0, 2, 4, 6, 8], 4
    while counts[-1] < most:
        counts += [counts[-1] + step, counts[-1] + 2 * step]
        step *= 2
    return np.array([count for count in counts if count < most] + [most])


def _nodes_and_weights(counts: NDArray[np.int64]) -> tuple[NDArray, NDArray]:
    """For [0, 1], a row for each number of nodes."""
    nodes, weights = np.zeros((2, len(counts), max(1, int(counts[-1]))))
    for row, count in enumerate(counts):
        if count:
            t, w = np.polynomial.legendre.leggauss(int(count))
            nodes[row, :count], weights[row, :count] = (t + 1) / 2, w / 2
    return nodes, weights


@compiled_reordering  # sums over background rows; no sign decides
def _add_gaussian(
    X: Any,
    differs: Any,
    ZT: Any,
    vectors: Any,
    coefficients: Any,
    gamma: float,
    counts: Any,
    nodes: Any,
    weights: Any,
    bounds: Any,
    out: Any,
) -> None:
    n_samples, n_features = X.shape
    n_rows, n_problems = ZT.shape[1], coefficients.shape[1]
    b, products = np.empty((n_features, n_rows)), np.empty(n_rows)
    a, phi = np.empty(n_features), np.empty(n_features)
    for s in range(vectors.shape[0]):
        for j in range(n_features):
            for r in range(n_rows):
                b[j, r] = np.exp(-gamma * (ZT[j, r] - vectors[s, j]) ** 2) + _TINY
        for i in range(n_samples):
            common = 1.0
            for j in range(n_features):
                a[j] = np.exp(-gamma * (X[i, j] - vectors[s, j]) ** 2) + _TINY
                common *= 1.0 if differs[i, j] else a[j]
            needed = _nodes_needed(a, b, differs[i], common, bounds, products)
            row = counts.shape[0] - 1
            while row > 0 and counts[row - 1] >= needed:
                row -= 1
            if counts[row] == 0:
                continue
            phi[:] = 0.0
            for q in range(counts[row]):
                weight = weights[row, q] * common
                _add_node(a, b, differs[i], nodes[row, q], weight, products, phi)
            for j in range(n_features):
                value = phi[j] / n_rows
                for p in range(n_problems):
                    out[i, j, p] += coefficients[s, p] * value


@compiled_reordering
def _nodes_needed(
    a: Any, b: Any, differs: Any, common: float, bounds: Any, products: Any
) -> float:
    """How many nodes are enough for every background row, by the best ellipse."""
    fewest = np.inf
    for e in range(bounds.shape[1]):
        reach, rate, factor = bounds[0, e], bounds[1, e], bounds[2, e]
        products[:] = common
        for j in range(a.shape[0]):
            if differs[j]:
                own = a[j]
                for r in range(products.shape[0]):
                    other = b[j, r]
                    products[r] *= 0.5 * (own + other) + reach * abs(own - other)
        bound = factor * products.max()
        needed = np.log(bound) / rate if bound > 1.0 else 0.0
        fewest = min(fewest, needed)
    return fewest


@compiled_reordering
def _add_node(
    a: Any, b: Any, differs: Any, t: float, weight: float, products: Any, phi: Any
) -> None:
    """Add the integrands of all features at t, summed over background rows."""
    products[:] = weight
    for j in range(a.shape[0]):
        if differs[j]:
            own = t * a[j]
            for r in range(products.shape[0]):
                products[r] *= own + (1.0 - t) * b[j, r]
    for j in range(a.shape[0]):
        if differs[j]:
            own, total = a[j], 0.0
            for r in range(products.shape[0]):
                other = b[j, r]
                total += (own - other) * products[r] / (t * own + (1.0 - t) * other)
            phi[j] += total
