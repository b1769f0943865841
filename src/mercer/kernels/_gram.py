"""The Gram matrix as one object: in memory when it fits, blocks on demand when not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import VARIABLE, fits_in_memory, format_bytes, memory_budget
from mercer._pages import reusable_array
from mercer._validation import Matrix, Rows, as_matrix, check_finite
from mercer.exceptions import DataError, MemoryBudgetError
from mercer.kernels import _evaluate
from mercer.kernels._definite import looks_semidefinite
from mercer.kernels._evaluate import SamplesByBase
from mercer.kernels._kernel import Kernel, check_same_features
from mercer.kernels._magnitudes import row_magnitudes
from mercer.kernels._part import GramPart, Visit
from mercer.kernels._rest import Rest
from mercer.kernels._rounding import (
    Bound,
    MostOf,
    Products,
    bound_most,
    bound_sums,
    bound_values,
)
from mercer.kernels._stored import prepare_in_float64
from mercer.kernels._wide import evaluate_wide, is_wide

_FEW, _FEW_PRODUCTS = 512, 2**26  # samples, and of so many products of features


class Gram:
    """Kernel values between all pairs of samples.

    The whole matrix is computed once and kept when it fits the budget. Otherwise blocks
    are computed when they are asked for, and not kept. Threads share one Gram; what it
    hands out of a matrix in memory is read-only, and a view wherever possible.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array or CSR matrix of shape (n_samples, n_features)
        The samples.
    budget : int, str or None
        Bytes that the Gram may take, such as ``"2GB"``. Default: the environment
        variable ``MERCER_MEMORY_BUDGET``, else half of the memory that is free.
    order : array of int, optional
        Which samples, in which order; errors name them by their place in X.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> gram = Gram(Gaussian(0.5), [[0.0], [1.0], [2.0]])
    >>> gram.in_memory, gram.matrix[0].round(3)
    (True, array([1.   , 0.607, 0.135]))
    """

    rest: Rest | None = None  # what values in float64 have beyond the matrix

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        budget: int | str | float | None = None,
        order: NDArray[np.intp] | None = None,
    ) -> None:
        X = as_matrix(X)
        X = X if order is None else X[order]
        known = _evaluate.prepare_with_diagonal(kernel, X, order=order)
        self._fill(kernel, X, *known, budget)

    @classmethod
    def of_rows(
        cls,
        kernel: Kernel,
        X: Matrix,
        rows: NDArray[np.intp],
        budget: int | str | float | None = None,
        are_floats: bool = False,
    ) -> Gram:
        """The Gram in float64 of some rows of X, in this order; it keeps no samples.

        Who knows that these are no whole numbers spares a look at them.
        """
        gram, n_bytes = cls.__new__(cls), 8 * len(rows) ** 2
        many = len(rows) > _FEW or len(rows) ** 2 * X.shape[1] > _FEW_PRODUCTS
        wide = many and is_wide(kernel, X, are_floats)
        if not wide or not fits_in_memory(n_bytes, budget):
            known = prepare_in_float64(kernel, X, rows, are_floats)
            gram._fill(kernel, None, *known, budget)
            return gram
        K, samples = evaluate_wide(kernel, X, rows, reusable_array)
        diagonal = _evaluate.checked_diagonal(kernel, samples, rows)
        gram._fill(kernel, None, samples, diagonal, budget, K)
        return gram

    @classmethod
    def rounded_of_rows(
        cls,
        kernel: Kernel,
        X: Matrix,
        rows: NDArray[np.intp],
        budget: int | str | float | None = None,
    ) -> Gram:
        """The same, rounded to float32, and the `rest` that this takes from values."""
        gram = cls.__new__(cls)
        samples, diagonal = prepare_in_float64(kernel, X, rows)
        rest = Rest(len(rows), reusable_array)
        K = _evaluate.evaluate_symmetric(kernel, samples, reusable_array, rest)
        gram._fill(kernel, None, samples, diagonal.astype(K.dtype), budget, K)
        gram.rest = rest
        return gram

    def _fill(
        self,
        kernel: Kernel,
        X: Matrix | None,
        samples: SamplesByBase,
        diagonal: NDArray,
        budget: int | str | float | None,
        K: NDArray | None = None,
    ) -> None:
        self.kernel: Kernel | None = kernel
        self.X: Matrix | None = X
        self._budget, self._samples = budget, samples
        # not of itself: a cycle would hold the matrix until garbage is collected
        self._products: Callable[[], Products] = cache(
            partial(Products.of, self._samples)
        )
        self._matrix: NDArray | None = None
        self.diagonal = _read_only(diagonal)
        self.n_samples, self.dtype = len(self.diagonal), self.diagonal.dtype
        if K is None and fits_in_memory(self.nbytes, budget):
            K = _evaluate.evaluate_symmetric(kernel, self._samples, reusable_array)
        if K is not None:
            self._matrix = _read_only(K)

    @classmethod
    def from_matrix(cls, K: Any, name: str = "K") -> Gram:
        """A Gram around a matrix that is there already; it is not copied."""
        gram = cls._around(as_matrix(K, name, look=False))
        check_finite(gram.matrix, gram.magnitudes, name)
        return gram

    @classmethod
    def of_member(
        cls,
        kernel: Kernel,
        K: NDArray,
        X: Matrix | None = None,
        products: Callable[[], Products] | None = None,
        budget: int = 0,
    ) -> Gram:
        """A Gram around the values of a kernel; overflow is found by the diagonal.

        With their samples, and how these were multiplied, it knows about rounding.
        """
        finite = np.isfinite(np.diagonal(K))
        if not kernel.is_semidefinite:  # then the diagonal says nothing
            finite = np.isfinite(K).all(axis=1)
        _evaluate.check_good(kernel, finite, K.dtype)
        gram = cls._around(K)
        if X is not None and products is not None:
            gram.kernel, gram.X, gram._products = kernel, X, products
            gram._budget = budget
        return gram

    @classmethod
    def _around(cls, K: Any) -> Gram:
        if not isinstance(K, np.ndarray) or K.shape[0] != K.shape[1]:
            raise DataError(
                f"A precomputed kernel must be a dense square matrix, got {K.shape}."
            )
        gram = cls.__new__(cls)
        gram.kernel, gram.X, gram._budget, gram._samples = None, None, K.nbytes, {}
        gram._matrix, gram.diagonal = _read_only(K), _read_only(np.diagonal(K))
        gram.n_samples, gram.dtype = len(K), K.dtype
        return gram

    def __len__(self) -> int:
        return self.n_samples

    @cached_property
    def magnitudes(self) -> NDArray[np.float64]:
        """The largest absolute value of each row of the matrix."""
        return row_magnitudes(self.matrix)

    def looks_semidefinite(
        self, members: NDArray[np.integer], sums_to_zero: bool = False
    ) -> bool:
        """Whether the matrix is, as far as these samples and some others can tell."""
        return looks_semidefinite(self.matrix, members, self.magnitudes, sums_to_zero)

    @property
    def budget(self) -> int:
        """Bytes that the Gram may take."""
        return memory_budget(self._budget)

    @property
    def nbytes(self) -> int:
        """What the whole matrix takes, whether it is there or not."""
        return self.n_samples**2 * self.dtype.itemsize

    @property
    def in_memory(self) -> bool:
        """Whether the whole matrix has been computed."""
        return self._matrix is not None

    def bound_rounding(self, dtype: Any = None) -> Bound:
        """How far the values of each row can be off, if computed in this type.

        >>> from mercer.kernels import Linear
        >>> bound = Gram(Linear(), [[3.1], [4.1]]).bound_rounding("float32")
        >>> bound.size.round(2).tolist(), float(bound.error.max().round(8))
        ([12.71, 16.81], 3.01e-06)
        """
        kernel = self._need_kernel()
        if dtype is None and self.rest is not None:
            fine = bound_values(kernel, self._products(), np.float64)
            return self.rest.bound_rounded(fine)
        dtype = self.dtype if dtype is None else dtype
        return bound_values(kernel, self._products(), dtype)

    def bound_sums(
        self, rows: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """The same for sums over samples, where more is known of these."""
        if self.rest is not None:
            return None
        known = self._need_kernel(), self._products(), self.dtype
        return bound_sums(*known, rows, weights)

    def bound_most(self, dtype: Any = None) -> MostOf | None:
        """At least the largest of `bound_rounding`, at once, where that is known."""
        if dtype is None and self.rest is not None:
            return None
        dtype = self.dtype if dtype is None else dtype
        return bound_most(self._need_kernel(), self._products(), dtype)

    def in_float64(self) -> Gram:
        """The same, of samples in float64."""
        X = self._need_samples().astype(np.float64)
        return Gram(self._need_kernel(), X, budget=self.budget)

    @property
    def matrix(self) -> NDArray:
        """The whole matrix; an error when it is over budget."""
        if self._matrix is None:
            raise MemoryBudgetError(
                f"The Gram of {self.n_samples} samples needs "
                f"{format_bytes(self.nbytes)} and the budget is "
                f"{format_bytes(self.budget)}; raise the budget (the budget argument, "
                f"or {VARIABLE}), use float32, use fewer samples, or ask for blocks."
            )
        return self._matrix

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The kernel values between some rows and some columns; `out` receives them."""
        if self._matrix is None:
            samples = self._take(rows), self._take(columns)
            values = _evaluate.evaluate(self._need_kernel(), *samples, out=out)
            _evaluate.set_diagonal(values, rows, columns, self.diagonal)
            return values
        if isinstance(rows, slice) or isinstance(columns, slice):
            values = self._matrix[rows][:, columns]
        else:
            values = self._matrix[np.ix_(rows, columns)]
        if out is None:
            return values
        out[:] = values
        return out

    def visit(self, rows: NDArray[np.intp], visit: Visit, first: int = 0) -> None:
        """Call ``visit(which rows, first column, values)``, as `GramPart` does."""
        columns = slice(first, self.n_samples)
        visit(slice(0, len(rows)), first, self.block(rows, columns))

    def take(self, rows: Rows) -> Gram | GramPart:
        """The values between some of the samples: in memory if these are, else not."""
        if self._matrix is not None:
            return Gram.from_matrix(self.block(rows, rows))
        return GramPart(self._need_kernel(), self._take(rows), self.diagonal[rows])

    @property
    def is_semidefinite(self) -> bool:
        """Whether the kernel is known to be."""
        return self.kernel is not None and self.kernel.is_semidefinite

    @property
    def is_cheap(self) -> bool:
        """Not with all that a Gram sees to; `GramPart` is."""
        return False

    @property
    def fills_rows(self) -> bool:
        """Never: `GramPart` does, for many problems at once."""
        return False

    def filler(self, rows: NDArray[np.intp], bounds: NDArray[np.int64]) -> None:
        """None."""

    def cross(self, X: Any) -> NDArray:
        """Kernel values between new samples (rows) and those of the Gram (columns)."""
        kernel, known, X = self._need_kernel(), self._need_samples(), as_matrix(X)
        check_same_features(X.shape[1], known.shape[1])
        own = self._samples or _evaluate.prepare(kernel, known)
        return _evaluate.evaluate(kernel, _evaluate.prepare(kernel, X, own), own)

    def _need_kernel(self) -> Kernel:
        if self.kernel is None:
            raise DataError("A Gram made from a matrix knows no kernel and no samples.")
        return self.kernel

    def _need_samples(self) -> Matrix:
        self._need_kernel()
        if self.X is None:
            raise DataError("This Gram keeps no samples; make it of these: Gram(…, X).")
        return self.X

    def _take(self, rows: Rows) -> SamplesByBase:
        return {base: samples.take(rows) for base, samples in self._samples.items()}


def _read_only(array: NDArray) -> NDArray:
    view = array.view()
    view.flags.writeable = False
    return view
