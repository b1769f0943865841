"""A family of kernels over one base matrix: one matrix product for a whole grid."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import VARIABLE, format_bytes, memory_budget
from mercer._threads import parallel_map
from mercer._validation import as_matrix
from mercer.exceptions import MemoryBudgetError, ParameterError
from mercer.kernels._bases import Base, PreparedSamples
from mercer.kernels._gram import Gram
from mercer.kernels._kernel import Kernel
from mercer.kernels._rounding import Products

_TILE_ROWS, _TILE_COLUMNS = 32, 4096  # which stay in a core's cache


class GramFamily:
    """The base matrices of some kernels, computed once for all of them.

    Each member then costs one elementwise pass: a grid over γ shares the squared
    distances, a grid over degrees shares the dot products.

    Parameters
    ----------
    kernel : Kernel
        Any member of the family.
    X : array or CSR matrix of shape (n_samples, n_features)
        The samples.
    Y : array or CSR matrix, optional
        Samples on the other side; default: X itself.
    budget : int, str or None
        Bytes for the base matrices and one member, as in `Gram`.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> family = GramFamily(Gaussian(), [[0.0], [1.0]])
    >>> [float(family.matrix(Gaussian(g))[0, 1].round(3)) for g in (0.5, 1.0)]
    [0.607, 0.368]
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        Y: Any = None,
        budget: int | str | float | None = None,
    ) -> None:
        X = as_matrix(X)
        Y = None if Y is None or Y is X else as_matrix(Y, "Y")
        shape = X.shape[0], (X if Y is None else Y).shape[0]
        self.bases = kernel.bases or frozenset({Base.DOT})
        self._check_budget(shape, X.dtype.itemsize, budget)
        self._X, self._budget = X if Y is None else None, memory_budget(budget)
        self._matrices = {base: _base_matrix(base, X, Y) for base in self.bases}

    def base_matrix(self, base: Base) -> NDArray:
        """One of the base matrices, to be read."""
        matrix = self._matrices[base].view()
        matrix.flags.writeable = False
        return matrix

    def matrix(self, kernel: Kernel, out: NDArray | None = None) -> NDArray:
        """The kernel values of one member of the family; `out` receives them."""
        if not kernel.bases <= self.bases:
            have = " and ".join(sorted(base.value for base in self.bases))
            raise ParameterError(
                f"{kernel} does not come from {have}, which this family holds."
            )
        first = next(iter(self._matrices.values()))
        K = np.empty_like(first) if out is None else out

        def fill(start: int) -> None:
            i = slice(start, start + _TILE_ROWS)
            for column in range(0, K.shape[1], _TILE_COLUMNS):
                at = i, slice(column, column + _TILE_COLUMNS)
                tiles = {base: B[at].copy() for base, B in self._matrices.items()}
                K[at] = kernel.combine(tiles)

        parallel_map(fill, range(0, len(K), _TILE_ROWS))
        return K

    def gram(self, kernel: Kernel, out: NDArray | None = None) -> Gram:
        """The Gram of one member of the family; `out` receives its values."""
        known = self._X, lambda: self._products, self._budget
        return Gram.of_member(kernel, self.matrix(kernel, out), *known)

    @cached_property
    def _products(self) -> Products:
        assert self._X is not None
        return Products.of(
            {base: PreparedSamples.prepare(base, self._X) for base in self.bases}
        )

    def _check_budget(
        self, shape: tuple[int, int], itemsize: int, budget: int | str | float | None
    ) -> None:
        need = shape[0] * shape[1] * itemsize * (len(self.bases) + 1)
        allowed = memory_budget(budget)
        if need > allowed:
            raise MemoryBudgetError(
                f"A family of kernels over {shape[0]} x {shape[1]} pairs needs "
                f"{format_bytes(need)} and the budget is {format_bytes(allowed)}; "
                f"raise the budget (the budget argument, or {VARIABLE}), use float32, "
                "or use fewer samples."
            )


def _base_matrix(base: Base, X: Any, Y: Any) -> NDArray:
    return _Itself(base)(X, Y)


class _Itself(Kernel):
    """The base matrix as it is."""

    def __init__(self, base: Base) -> None:
        self.bases = frozenset({base})

    def __repr__(self) -> str:
        (base,) = self.bases
        return f"The matrix of {base.value}"

    def combine(self, tiles: Any) -> NDArray:
        (tile,) = tiles.values()
        return np.asarray(tile)
