"""Kernel values between samples that come and go and samples that stay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._thread_memory import ThreadMemory
from mercer._validation import Rows, as_matrix
from mercer.kernels import _evaluate
from mercer.kernels._evaluate import SamplesByBase
from mercer.kernels._kernel import Kernel
from mercer.kernels._rounding import Bound, Products, bound_values


class KernelColumns:
    """Samples made ready once; the rows of kernel values are those of others.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> columns = KernelColumns(Gaussian(0.5), [[0.0], [1.0], [2.0]])
    >>> rows = columns.prepare_rows([[0.0], [9.0]])
    >>> columns.values(rows, np.array([0]), slice(1, 3)).round(3)
    array([[0.607, 0.135]])
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        samples, diagonal = _evaluate.prepare_with_diagonal(kernel, as_matrix(X))
        self._samples = {base: s.in_large_groups() for base, s in samples.items()}
        self._products = Products.of(self._samples)
        self._largest = dict.fromkeys(samples, 0.0)  # squared norm of any row
        self._slip, self._terms = self._products.slip, self._products.terms
        self._memory = ThreadMemory()
        self._bounds: dict[np.dtype, Bound] = {}
        self.diagonal = diagonal
        self.dtype = self.diagonal.dtype

    def prepare_rows(self, X: Any) -> SamplesByBase:
        """Make other samples ready."""
        rows = _evaluate.prepare(self.kernel, as_matrix(X), self._samples)
        products = Products.of(rows)
        for base, norms in products.norms.items():
            self._largest[base] = max(self._largest[base], float(norms.max(initial=0)))
        slips = self._slip, products.slip
        self._slip = None if None in slips else max(s for s in slips if s is not None)
        self._terms = max(self._terms, products.terms)
        self._bounds = {}
        return rows

    def values(
        self,
        rows: SamplesByBase,
        some: Rows,
        columns: slice,
        out: NDArray | None = None,
    ) -> NDArray:
        """The values between some of the rows and a stretch of the columns."""
        new = {base: samples.take(some) for base, samples in rows.items()}
        old = {base: samples.take(columns) for base, samples in self._samples.items()}
        return _evaluate.evaluate(self.kernel, new, old, out, self._memory)

    def bound_rounding(self, dtype: Any = None) -> Bound:
        """How far the values of each column can be off, over all rows so far."""
        dtype = np.dtype(self.dtype if dtype is None else dtype)
        if dtype not in self._bounds:
            self._bounds[dtype] = self._bound(dtype)
        return self._bounds[dtype]

    def _bound(self, dtype: np.dtype) -> Bound:
        norms = {
            base: np.append(own, own.dtype.type(self._largest[base]))
            for base, own in self._products.norms.items()
        }
        products = Products(norms, self._terms, self._slip)
        size, error = bound_values(self.kernel, products, dtype)
        return Bound(size[:-1], error[:-1])
