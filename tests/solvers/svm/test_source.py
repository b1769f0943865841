"""Kernel values on demand are those of the Gram."""

import numpy as np
import pytest
from scipy import sparse

from mercer.kernels import (
    Constant,
    Cosine,
    Gaussian,
    Gram,
    GramPart,
    Linear,
    Polynomial,
)
from mercer.solvers.svm import BinaryProblem, _row_store, solve_smo

RNG = np.random.default_rng(0)
X = RNG.standard_normal((5000, 6))
KERNELS = [
    Gaussian(0.2),
    Polynomial(3, offset=1.0),
    Cosine(),
    Linear() + Constant(2.0),
    Gaussian(0.2) * Linear(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_blocks_are_those_of_the_kernel(kernel, make):
    samples = make(X[:300])
    expected = kernel(X[:300])
    rows, columns = np.array([5, 3, 299]), np.arange(20, 120)
    for part in (
        GramPart.prepare(kernel, samples),
        Gram(kernel, samples, budget=1).take(slice(0, 300)),
        GramPart.prepare(kernel, samples, np.arange(300)[::-1]).take(
            np.arange(300)[::-1]
        ),
    ):
        assert not part.in_memory
        out = np.empty((3, 300))
        assert part.block(rows, slice(0, 300), out=out) is out
        np.testing.assert_allclose(out, expected[rows], rtol=1e-9, atol=1e-12)
        block = part.block(rows, columns)
        np.testing.assert_allclose(block, expected[np.ix_(rows, columns)], atol=1e-9)
        square = part.take(columns).block(rows % 100, rows % 100)
        at = columns[rows % 100]
        np.testing.assert_allclose(square, expected[np.ix_(at, at)], atol=1e-9)
        np.testing.assert_allclose(part.diagonal, np.diagonal(expected), atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_wide_blocks_on_threads(kernel):
    rows = np.arange(0, 5000, 150)
    part = GramPart.prepare(kernel, X.astype(np.float32))
    block = part.block(rows, slice(0, 5000))
    np.testing.assert_allclose(block, kernel(X[rows], X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["floats", "few floats", "whole numbers", "csr"])
def test_large_squares_on_threads(kind):
    few = RNG.standard_normal((3000, 5 if kind == "few floats" else 40))
    if kind in ("whole numbers", "csr"):
        few = np.rint(few) * (np.abs(few) > 1)
    few = few.astype(np.float32)
    members = np.sort(RNG.choice(3000, 1100, replace=False))
    kernel = Gaussian(0.02)
    expected = kernel(few[members].astype(np.float64))
    for samples in (few, sparse.csr_array(few)) if kind == "csr" else (few,):
        part = GramPart.prepare(kernel, samples)
        out = np.full((1101, 1101), -1, np.float32)
        found = part.block(members, members, out[:1100, :1100])
        for values in (found, out[:1100, :1100], part.block(members, members)):
            np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)
            assert (np.diagonal(values) == 1).all()
        assert (out[1100] == -1).all()
        assert (out[:, 1100] == -1).all()


@pytest.mark.parametrize("bias", ["free", "regularized"])
def test_a_large_store_computes_blocks_anew(bias, monkeypatch):
    """Where values take few products they are not gathered, and are the same."""
    z = np.where(X[:, 0] * X[:, 1] + RNG.standard_normal(len(X)) > 0, 1.0, -1.0)
    problem = BinaryProblem(np.arange(len(X)), z, 1.0)
    source = GramPart.prepare(Gaussian(0.2), X)
    assert source.is_cheap
    assert not GramPart.prepare(Gaussian(0.2), RNG.standard_normal((9, 99))).is_cheap
    assert not GramPart.prepare(Gaussian(0.2), sparse.random_array((99, 9999))).is_cheap

    anew = solve_smo(source, problem, bias=bias)  # of 5000 samples rows take 200 MB

    def none(*args):
        raise AssertionError("values were gathered")

    with monkeypatch.context() as patched:
        patched.setattr(_row_store, "_gather", none)
        solve_smo(source, problem, bias=bias)
    monkeypatch.setattr(GramPart, "is_cheap", False)
    gathered = solve_smo(source, problem, bias=bias)
    for solution in (anew, gathered):
        assert solution.certificate.converged
    stated = anew.certificate.dual, gathered.certificate.dual
    assert stated[0] == pytest.approx(stated[1], rel=1e-5)


def test_preparing_leaves_the_samples_alone():
    samples = X[:50].copy()
    GramPart.prepare(Gaussian(1.0), samples)
    GramPart.prepare(Gaussian(1.0), samples, np.arange(50))
    np.testing.assert_array_equal(samples, X[:50])


def test_sparse_samples_are_solved_as_dense_ones():
    z = np.where(X[:300, 0] + 0.5 * RNG.standard_normal(300) > 0, 1.0, -1.0)
    problem = BinaryProblem(np.arange(300), z, 3.0)
    dense = solve_smo(GramPart.prepare(Gaussian(0.2), X[:300]), problem)
    part = GramPart.prepare(Gaussian(0.2), sparse.csr_array(X[:300]))
    dual = solve_smo(part, problem).certificate.dual
    assert dual == pytest.approx(dense.certificate.dual, rel=1e-5)
