"""Kernels by the names and parameters that estimators take, mostly scikit-learn's."""

from difflib import get_close_matches
from typing import Any

import numpy as np

from mercer._validation import Matrix, is_sparse
from mercer.exceptions import DataError, ParameterError
from mercer.kernels._kernel import NAMED, Kernel


def make_kernel(
    kernel: str | Kernel,
    gamma: str | float = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    X: Matrix | None = None,
) -> Kernel:
    """The kernel of this name, with γ worked out from X as scikit-learn does.

    >>> make_kernel("poly", gamma=1.0, degree=2)
    Polynomial(degree=2, offset=0.0, scale=1.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in NAMED:
        raise ParameterError(_describe_unknown(kernel))
    given: dict[str, Any] = {"gamma": gamma, "degree": degree, "coef0": coef0}
    cls, fields = NAMED[kernel]
    if "gamma" in fields:
        given["gamma"] = _resolve_gamma(gamma, X)
    try:
        return cls(**{field: given[parameter] for parameter, field in fields.items()})
    except ParameterError as error:
        raise ParameterError(_as_given(str(error), fields)) from None


def uses_gamma(name: str) -> bool:
    """Whether the kernel of this name depends on the estimators' gamma.

    >>> uses_gamma("rbf"), uses_gamma("linear")
    (True, False)
    """
    return name in NAMED and "gamma" in NAMED[name][1]


def _as_given(complaint: str, fields: dict[str, str]) -> str:
    """Name the estimators' parameter where a kernel complains about its field."""
    given = {field: parameter for parameter, field in fields.items()}
    field, _, rest = complaint.partition(" ")
    return f"{given.get(field, field)} {rest}"


def _describe_unknown(kernel: Any) -> str:
    if isinstance(kernel, str) and kernel == "laplacian":
        return (
            "kernel is 'laplacian', which in scikit-learn is exp(-gamma ‖x - y‖₁), the "
            "sum of absolute differences; Mercer does not have it. Its exp(-gamma "
            "‖x - y‖), of the Euclidean distance, is kernel='exponential', or "
            "mercer.kernels.Exponential(gamma)."
        )
    near = get_close_matches(str(kernel), NAMED, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return (
        f"kernel is {kernel!r}; it must be one of {', '.join(sorted(NAMED))}, "
        f"precomputed, or a kernel of mercer.kernels.{hint}"
    )


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
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X)
    return scale_gamma(int(X.shape[1]), variance)


def scale_gamma(n_features: int, variance: float) -> float:
    """What gamma="scale" is for samples whose values have this variance.

    >>> scale_gamma(4, 0.5)
    0.5
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = 1.0 / np.float64(n_features * variance) if variance > 0 else 1.0
    if not (np.isfinite(variance) and np.isfinite(scale)):
        raise DataError(
            "gamma='scale' overflows float64: the variance of X is "
            f"{variance:g}; scale the features."
        )
    return float(scale)


def _variance(X: Matrix) -> float:
    if is_sparse(X):
        if not X.has_canonical_format:  # a value in parts
            X = X.copy()
            X.sum_duplicates()
        n, data = X.shape[0] * X.shape[1], X.data.astype(np.float64)
        mean = data.sum() / n
        zeros = (n - data.size) * mean**2
        variance = float((((data - mean) ** 2).sum() + zeros) / n)
    else:
        variance = float(X.var(dtype=np.float64))
    if variance == 0.0 and X.min() < X.max():
        return float(np.nextafter(0, 1))  # less than float64 holds, but not none
    return variance
