"""Kernel values of foreign rows against columns that stay."""

import numpy as np
import pytest
from scipy import sparse

from mercer.kernels import Constant, Gaussian, KernelColumns, Linear, Polynomial

KERNELS = [Gaussian(0.1), Polynomial(2, 1.0), Linear() * Gaussian(0.2) + Constant(2.0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_values_are_those_of_the_kernel(kernel, store):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 5)), rng.normal(size=(9, 5))
    columns = KernelColumns(kernel, store(X))
    rows = columns.prepare_rows(store(Y))
    some = np.array([7, 0, 3])
    values = columns.values(rows, some, slice(4, 20))
    np.testing.assert_allclose(values, kernel(Y[some], X[4:20]), rtol=1e-12)
    out = np.empty((3, 16))
    assert columns.values(rows, some, slice(4, 20), out=out) is out
    np.testing.assert_array_equal(out, values)


@pytest.mark.parametrize("whole", [False, True])
def test_the_bound_holds_for_rows_larger_than_the_columns(whole):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(400, 400)), 30 * rng.normal(size=(5, 400))
    if whole:
        X, Y = np.rint(9 * X), np.rint(Y)
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    columns = KernelColumns(Linear(), X)
    rows = columns.prepare_rows(Y)
    values = columns.values(rows, slice(0, 5), slice(0, 400))
    exact = Y.astype(np.float64) @ X.astype(np.float64).T
    size, error = columns.bound_rounding()
    assert (np.abs(values - exact) <= error).all()
    assert (np.abs(exact) <= size * (1 + 1e-6)).all()
