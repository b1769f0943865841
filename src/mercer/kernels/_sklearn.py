"""A kernel as scikit-learn's kernel objects are: called with whole matrices.

A plain function would be called once for each pair of samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Kernel as SklearnKernel

from mercer.exceptions import ParameterError

if TYPE_CHECKING:
    from mercer.kernels._kernel import Kernel


class ForSklearn(SklearnKernel):
    """What `Kernel.to_sklearn` returns; it has nothing to be tuned."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> NDArray:
        """Kernel values between all rows of X and all rows of Y (default: of X)."""
        if eval_gradient:
            raise ParameterError(
                f"{self.kernel} has no gradient in its parameters; use optimizer=None."
            )
        return self.kernel(X, Y)

    def diag(self, X: Any) -> NDArray:
        """k(x, x) of each row."""
        return np.asarray(self.kernel.diag(X))

    def is_stationary(self) -> bool:
        """Not known to depend on differences only."""
        return False

    def __repr__(self) -> str:
        return f"{self.kernel}.to_sklearn()"
