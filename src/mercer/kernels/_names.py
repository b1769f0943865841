"""Kernels by scikit-learn's names and parameters."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import numpy as np

from mercer._validation import Matrix, is_sparse
from mercer.exceptions import ParameterError
from mercer.kernels._distance import Exponential, Gaussian
from mercer.kernels._dot_product import Cosine, Linear, Polynomial
from mercer.kernels._kernel import Kernel

KERNELS: dict[str, Callable[[float, int, float], Kernel]] = {
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, coef0, gamma),
    "rbf": lambda gamma, degree, coef0: Gaussian(gamma),
    "laplacian": lambda gamma, degree, coef0: Exponential(gamma),
    "cosine": lambda gamma, degree, coef0: Cosine(),
}


def make_kernel(
    kernel: str | Kernel,
    gamma: str | float = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    X: Matrix | None = None,
) -> Kernel:
    """The kernel of this name, with γ worked out from X as scikit-learn does.

    ``"laplacian"`` is exp(−γ‖x − y‖), with the Euclidean norm.

    >>> make_kernel("poly", gamma=1.0, degree=2)
    Polynomial(degree=2, offset=0.0, scale=1.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in KERNELS:
        near = get_close_matches(str(kernel), KERNELS, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            f"kernel is {kernel!r}; it must be one of {', '.join(KERNELS)}, "
            f"precomputed, or a kernel of mercer.kernels.{hint}"
        )
    needed = kernel in {"poly", "rbf", "laplacian"}
    return KERNELS[kernel](_resolve_gamma(gamma, X) if needed else 1.0, degree, coef0)


def _resolve_gamma(gamma: Any, X: Matrix | None) -> float:
    if not isinstance(gamma, str):
        return float(gamma) if isinstance(gamma, np.number) else gamma
    if gamma not in {"scale", "auto"}:
        raise ParameterError(
            f"gamma is {gamma!r}; it must be 'scale', 'auto' or a number of at least 0."
        )
    if X is None:
        return 1.0
    if gamma == "auto":
        return 1.0 / int(X.shape[1])
    variance = _variance(X)
    return 1.0 / (int(X.shape[1]) * variance) if variance > 0 else 1.0


def _variance(X: Matrix) -> float:
    if is_sparse(X):
        mean = X.mean(dtype=np.float64)
        return float(X.multiply(X).mean(dtype=np.float64) - mean**2)
    return float(X.var(dtype=np.float64))
