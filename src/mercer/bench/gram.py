"""The Gaussian Gram of USPS against the bare matrix product."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.bench._harness import Benchmark, Contestant
from mercer.datasets import load_dataset
from mercer.kernels import Gaussian, Polynomial

GAMMA = 0.02


def _prepare() -> tuple[Sequence[Contestant], list[str]]:
    data = load_dataset("usps")
    X = np.ascontiguousarray(data.X[data.train], dtype=np.float32)
    gaussian, polynomial = Gaussian(GAMMA), Polynomial(5)
    contestants = [
        Contestant("X @ X.T", lambda: X @ X.T),
        Contestant("Gaussian Gram", lambda: gaussian(X)),
        Contestant("polynomial Gram, degree 5", lambda: polynomial(X)),
    ]
    error = _largest_relative_error(gaussian(X), X)
    return contestants, [f"largest relative error of the Gaussian Gram: {error:.2g}"]


def _largest_relative_error(K: NDArray, X: NDArray) -> float:
    exact = X.astype(np.float64)
    norms = np.einsum("ij,ij->i", exact, exact)
    worst = 0.0
    for start in range(0, len(exact), 512):
        i = slice(start, start + 512)
        squares = norms[i, None] + norms - 2 * exact[i] @ exact.T
        truth = np.exp(-GAMMA * np.maximum(squares, 0))
        worst = max(worst, float(np.max(np.abs(K[i] / truth - 1))))
    return worst


BENCHMARK = Benchmark(
    "Gaussian Gram of USPS, 7291 x 256, float32",
    _prepare,
    "at most 1.25x the product, relative error at most 1e-6",
)
