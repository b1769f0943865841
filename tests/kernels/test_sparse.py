"""Sparse samples in any layout: the values of the dense ones, however multiplied."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

from mercer import KernelSVC
from mercer.estimators import kernel_source
from mercer.kernels import Cosine, Gaussian, GramPart, Linear, _stream, kernel_product
from mercer.kernels import _sparse as module
from mercer.kernels._sparse import dense_if_faster

KERNELS = [Linear(), Gaussian(0.1), Cosine(), Gaussian(0.1) + Linear()]
layouts = st.sets(st.sampled_from(["unsorted", "duplicated", "zeros", "int64"]))


@pytest.fixture(params=["sparse", "dense"])
def multiplied_as(request, monkeypatch):
    cost = np.inf if request.param == "sparse" else 0.0
    monkeypatch.setattr(module, "_DENSE_COST", cost)
    monkeypatch.setattr(module, "_WHOLE_COST", np.inf)


def flags(n, d, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return (rng.random((n, d)) < 0.15).astype(dtype) * rng.integers(1, 4, (n, d))


def laid_out(X, how, kind=sparse.csr_array):
    """CSR with the same values, stored in another way."""
    X = sparse.coo_array(X)
    row, column, data = X.row, X.col, X.data
    if "duplicated" in how:
        row, column = np.tile(row, 2), np.tile(column, 2)
        data = np.concatenate([data - 1, np.ones_like(data)])
    if "zeros" in how:
        row, column = np.append(row, [0, 1]), np.append(column, [0, 0])
        data = np.append(data, data.dtype.type([0, 0]))
    shuffle = np.random.default_rng(0).permutation(len(row))
    order = shuffle if "unsorted" in how else np.lexsort((column, row))
    order = order[np.argsort(row[order], kind="stable")]
    starts = np.append(0, np.cumsum(np.bincount(row, minlength=X.shape[0])))
    index = np.int64 if "int64" in how else np.int32
    parts = data[order], column[order].astype(index), starts.astype(index)
    return kind(parts, shape=X.shape)


@pytest.mark.usefixtures("multiplied_as")
@given(
    how=layouts,
    kind=st.sampled_from([sparse.csr_array, sparse.csr_matrix]),
    kernel=st.sampled_from(KERNELS),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 99),
)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_values_are_those_of_arrays(how, kind, kernel, dtype, seed):
    X, new = flags(30, 12, seed).astype(dtype), flags(9, 12, seed + 1).astype(dtype)
    expected, Z = kernel(X.astype(float)), laid_out(X, how, kind)
    before = Z.data.copy()
    np.testing.assert_allclose(kernel(Z), expected, atol=1e-4)
    part = GramPart.prepare(kernel, Z, np.arange(30)[::-1]).take(slice(5, 30))
    rows, own = np.array([7, 3, 20]), np.arange(30)[::-1][5:]
    block = part.block(rows, slice(2, 25))
    np.testing.assert_allclose(block, expected[np.ix_(own[rows], own[2:])], atol=1e-4)
    block = part.block(rows, rows)
    np.testing.assert_allclose(block, expected[np.ix_(own[rows], own[rows])], atol=1e-4)
    found = np.full((3, 25), np.nan)

    def note(at, first, values):
        found[at, first : first + values.shape[1]] = values

    part.visit(rows, note)
    np.testing.assert_allclose(found, expected[np.ix_(own[rows], own)], atol=1e-4)
    scores = kernel_product(kernel, laid_out(new, how, kind), Z, np.ones((30, 1)))
    dense = kernel(new.astype(float), X.astype(float)).sum(axis=1)
    np.testing.assert_allclose(scores[:, 0], dense, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(Z.data, before)  # the caller's matrix is its own


def test_dense_only_where_it_is_faster_and_fits(monkeypatch):
    narrow = sparse.csr_array(flags(200, 40))
    wide = sparse.csr_array(np.pad(flags(200, 3) * 0.3, ((0, 0), (0, 8997))))
    assert isinstance(dense_if_faster(narrow), np.ndarray)
    assert sparse.issparse(dense_if_faster(wide))
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "50KB")
    assert sparse.issparse(dense_if_faster(narrow))


def test_flags_are_whole_numbers_also_if_they_are_few():
    one_of_many = np.zeros((1000, 900), np.float32)
    one_of_many[np.arange(1000), np.arange(1000) % 3] = 1
    Z = sparse.csr_array(one_of_many)
    assert isinstance(dense_if_faster(Z), np.ndarray)
    Z.data *= np.random.default_rng(0).random(len(Z.data), np.float32)
    assert sparse.issparse(dense_if_faster(Z))


def test_many_sparse_samples_are_never_an_array_at_once(monkeypatch):
    X, Y = flags(1300, 20), flags(40, 20, 1)
    expected = Linear()(X, Y).sum(axis=1)
    heights, real = [], _stream._evaluate.prepare

    def prepare(kernel, X, *other):
        heights.append(X.shape[0])
        return real(kernel, X, *other)

    monkeypatch.setattr(_stream, "_DENSE", 512 * 20)
    monkeypatch.setattr(_stream._evaluate, "prepare", prepare)
    scores = kernel_product(
        Linear(), sparse.csr_array(X), sparse.csr_array(Y), np.ones((40, 1))
    )
    np.testing.assert_allclose(scores[:, 0], expected, rtol=1e-6)
    assert heights == [40, 512, 512, 276]


def test_frequent_features_change_no_bit(monkeypatch):
    X = flags(400, 50, 5) * np.random.default_rng(6).random((400, 50))
    X[:, ::7] = np.random.default_rng(7).random((400, 8))
    Z = sparse.csr_array(X.astype(np.float32))
    monkeypatch.setattr(module, "_DENSE_COST", np.inf)
    part, rows = GramPart.prepare(Gaussian(0.1), Z), np.arange(0, 400, 9)
    assert len(part._stored._by_feature.arrays) >= 8
    block = part.block(rows, slice(100, 400))
    lists = module.Lists.of(Z)
    rare = module.ByFeature(
        *(sparse.csr_array(Z.T).indptr.astype(np.int64), sparse.csr_array(Z.T).indices),
        *(sparse.csr_array(Z.T).data, np.full(50, -1, np.int32)),
        np.empty((0, 400), np.float32),
    )
    few, all_ = (np.empty((400, 300), np.float32) for _ in range(2))
    rare.multiply(lists, 0, (100, 400), few)
    lists.by_feature(50).multiply(lists, 0, (100, 400), all_)
    np.testing.assert_array_equal(few, all_)
    np.testing.assert_allclose(block, Gaussian(0.1)(X[rows], X[100:]), rtol=1e-5)


@pytest.mark.usefixtures("multiplied_as")
def test_threads_do_not_change_a_bit(monkeypatch):
    X, rng = flags(900, 40), np.random.default_rng(2)
    y = (X[:, 0] + rng.normal(size=900) > 0.5) + (X[:, 1] > 0).astype(int)
    monkeypatch.setattr(kernel_source, "_ASKING", 0)
    models = []
    for threads in "123":
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        models.append(KernelSVC(gamma=0.1).fit(sparse.csr_array(X), y))
    for model in models[1:]:
        assert (model.dual_coef_ != models[0].dual_coef_).nnz == 0
        np.testing.assert_array_equal(model.intercept_, models[0].intercept_)


@pytest.mark.usefixtures("multiplied_as")
def test_the_objective_is_that_of_scikit_learn():
    X, rng = flags(600, 40, dtype=np.float64), np.random.default_rng(3)
    y = X[:, 0] + rng.normal(size=600) > 0.5
    ours = KernelSVC(gamma=0.1, tol=1e-5).fit(sparse.csr_array(X), y)
    theirs = SVC(gamma=0.1, tol=1e-5).fit(X, y)
    (coef,) = theirs.dual_coef_
    quadratic = coef @ Gaussian(0.1)(theirs.support_vectors_) @ coef
    dual = np.abs(coef).sum() - quadratic / 2
    assert ours.certificate_.dual == pytest.approx(dual, rel=1e-6)
