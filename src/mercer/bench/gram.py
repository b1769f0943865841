"""The Gaussian Gram of USPS against the bare matrix product."""

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches

from mercer.bench._data import train_part
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.kernels import Gaussian, Polynomial

GAMMA = 0.02


def _prepare() -> Prepared:
    X, _ = train_part("usps")
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
    return max(
        float(np.abs(K[i] / rbf_kernel(exact[i], exact, gamma=GAMMA) - 1).max())
        for i in gen_batches(len(exact), 512)
    )


BENCHMARK = Benchmark(
    "Gaussian Gram of USPS, 7291 x 256, float32",
    _prepare,
    "at most 1.25x the product, relative error at most 1e-6",
)
