"""Samples with many features: some of these at a time, to the same values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mercer import KernelSVC
from mercer.estimators import kernel_source
from mercer.exceptions import DataError
from mercer.kernels import (
    Exponential,
    Gaussian,
    Gram,
    Linear,
    Polynomial,
    Sigmoid,
    _wide,
    kernel_product,
)

RNG = np.random.default_rng(5)


@pytest.fixture(params=["panels", "tiles"], autouse=True)
def registers(request, monkeypatch):
    """Also as a processor without wide registers does it."""
    if request.param == "tiles":
        monkeypatch.setattr(_wide, "has_wide_registers", lambda: False)
    elif not _wide.has_wide_registers():
        pytest.skip("this processor has no wide registers")


def samples(n, d, dtype="float32", far=0.0):
    return (RNG.normal(size=(n, d)) + far).astype(dtype)


@pytest.mark.parametrize(
    "kernel",
    [
        Gaussian(1e-3),
        Exponential(1e-2),
        Linear(),
        Polynomial(3, 1.0, 1e-3),
        Sigmoid(1.0, 1e-3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n", [1, 2, 7, 129, 300, 513, 700])
def test_values_are_those_of_float64(kernel, n):
    X, rows = samples(n + 3, 5000, far=3), RNG.permutation(n + 3)[:n]
    assert _wide.is_wide(kernel, X)
    gram, known = Gram.of_rows(kernel, X, rows), Gram(kernel, X[rows].astype(float))
    np.testing.assert_allclose(gram.matrix, known.matrix, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(gram.matrix, gram.matrix.T)
    np.testing.assert_allclose(gram.diagonal, known.diagonal)
    np.testing.assert_array_equal(gram.matrix.diagonal(), gram.diagonal)
    error = gram.bound_rounding().error + known.bound_rounding().error
    assert (np.abs(gram.matrix - known.matrix) <= error[:, None]).all()


@pytest.mark.parametrize("n", [40, 512, 600])
def test_features_that_are_not_in_use(n):
    X = samples(n, 2000)
    X[:, ::3] = 0.25
    X[:, 1500:1600] = 7.0
    for kernel in (Gaussian(1e-3), Linear()):
        found = Gram.of_rows(kernel, X, np.arange(n)).matrix
        np.testing.assert_allclose(found, kernel(X.astype(float)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [40, 600])
@pytest.mark.parametrize("value", [0.0, 0.5])
def test_samples_that_are_all_the_same(n, value):
    X = np.full((n, 2000), value, np.float32)
    for kernel in (Gaussian(1e-3), Linear()):
        found = Gram.of_rows(kernel, X, np.arange(n)).matrix
        np.testing.assert_array_equal(found, kernel(X.astype(float)))
    model = KernelSVC(gamma=1.0).fit(X, np.arange(n) % 2)
    assert model.certificate_.converged


@pytest.mark.parametrize(("n", "d"), [(200, 3000), (512, 20000), (600, 3000)])
def test_threads_do_not_change_a_bit(n, d, monkeypatch):
    X, found = samples(n, d), []
    for threads in "123":
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        found.append(Gram.of_rows(Gaussian(1e-3), X, np.arange(n)).matrix.copy())
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_such_a_gram_says_that_it_keeps_no_samples():
    gram = Gram.of_rows(Gaussian(1.0), samples(4, 3), np.arange(4))
    with pytest.raises(DataError, match="keeps no samples"):
        gram.cross(samples(2, 3))
    with pytest.raises(DataError, match="keeps no samples"):
        gram.in_float64()


def test_sparse_rows_in_any_layout():
    rng = np.random.default_rng(1)
    places, values = rng.integers(400, size=900), rng.normal(size=900)
    starts = np.arange(0, 901, 30)  # unsorted, with features that come twice
    X = sparse.csr_array((values.astype(np.float32), places, starts), shape=(30, 400))
    rows, dense = rng.permutation(30)[:20], X.toarray().astype(float)
    gram = Gram.of_rows(Gaussian(0.01), X, rows)
    np.testing.assert_allclose(gram.matrix, Gaussian(0.01)(dense[rows]), rtol=1e-6)
    model = KernelSVC(gamma=0.01).fit(X, np.arange(30) % 2)
    same = KernelSVC(gamma=0.01).fit(X.toarray(), np.arange(30) % 2)
    np.testing.assert_allclose(model.dual_coef_.toarray(), same.dual_coef_, atol=1e-5)


def test_idle_features_are_left_out():
    X = np.zeros((30, 4000), np.float32)
    X[:, ::7] = samples(30, len(X[0, ::7]))
    gram = Gram.of_rows(Gaussian(1e-2), X, np.arange(30))
    known = Gaussian(1e-2)(X.astype(float))
    np.testing.assert_allclose(gram.matrix, known, rtol=1e-12)


def test_what_overflows_is_told_by_its_own_row():
    X = np.ones((20, 2000))
    X[11] = 1e200
    with pytest.raises(DataError, match="overflows float64 at sample 11"):
        Gram.of_rows(Linear(), X, np.arange(20)[::-1].copy())


@given(st.integers(0, 2**31), st.sampled_from([1025, 3000, 9000]), st.floats(0, 30))
@settings(max_examples=15, deadline=None)
def test_float32_scores_are_within_their_bound(seed, d, far):
    """As a model computes them: bounds by groups hold only if sums are in groups."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(40, d)) + far).astype(np.float32)
    kernel, v = Gaussian(1 / d), rng.normal(size=(40, 1))
    gram = Gram.of_rows(kernel, X, np.arange(40))
    bound = gram.bound_rounding(np.float32)
    scores = kernel_product(kernel, X, X, v)[:, 0]
    exact = (gram.matrix @ v)[:, 0]
    slack = 40 * 2.0**-24 * np.abs(v).sum()  # of the sum itself
    assert (np.abs(scores - exact) <= bound.error * np.abs(v).sum() + slack).all()


@pytest.mark.parametrize(("n", "d"), [(100, 3000), (700, 1500)])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_fit_beside_one_in_float64(n, d, kernel):
    X, y = samples(n, d), np.arange(n) % 2
    X[y == 1] += 0.1
    model = KernelSVC(kernel=kernel, gamma=1 / d).fit(X, y)
    finer = KernelSVC(kernel=kernel, gamma=1 / d).fit(X.astype(float), y)
    assert model.support_vectors_.dtype == np.float32
    assert model.certificate_.converged
    gap = model.certificate_.gap + finer.certificate_.gap
    assert abs(model.certificate_.primal - finer.certificate_.primal) <= gap
    new = samples(50, d)
    np.testing.assert_allclose(
        model.decision_function(new),
        finer.decision_function(new.astype(float)),
        atol=5e-3,
    )


def test_whole_numbers_stay_float32():
    """Of more than a thousand samples, unless all of their rows are asked for."""
    X = RNG.integers(0, 255, size=(1100, 1200)).astype(np.float32)
    assert not kernel_source._needs_float64(X, 1100, None)
    assert kernel_source._needs_float64(X, 1100, None, all_rows=True)
    assert kernel_source._needs_float64(X[:900], 900, None)
    noisy = X + np.float32(0.1) * samples(1100, 1200)
    assert kernel_source._needs_float64(noisy, 1100, None)


def test_one_large_value_among_many_is_seen():
    X = samples(40, 60000)
    assert kernel_source._is_tame(X)
    for at, value in ((39, 2e4), (0, -2e4), (21, np.inf)):
        wild = X.copy()
        wild[at, -1] = value
        assert not kernel_source._is_tame(wild)
        assert not kernel_source._is_tame(sparse.csr_array(wild))
