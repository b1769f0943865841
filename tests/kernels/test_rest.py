"""Values in float64 as two of float32: together they are what they were."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from fuzz.certificates import check, check_case, make_case
from mercer import KernelSVC
from mercer.estimators import kernel_source
from mercer.kernels import Exponential, Gaussian, Gram, Linear, Polynomial
from mercer.solvers.svm import BinaryProblem, BinaryProblems

KERNELS = [Gaussian(0.5), Exponential(0.3), Linear(), Polynomial(3, 1.0, 0.1)]


def texts(n, d=400, density=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=density, rng=rng, format="csr")
    return X.astype(np.float32)


@pytest.fixture
def rounded(monkeypatch):
    """As if caches were tiny."""
    monkeypatch.setattr(kernel_source, "_CACHE", 0)
    monkeypatch.setattr(kernel_source, "_FEW", 0)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("n", [1, 2, 127, 300])
def test_what_a_matrix_lacks(kernel, n):
    rng, X = np.random.default_rng(n), texts(n + 5)
    rows = rng.permutation(n + 5)[:n]
    gram, fine = (
        make(kernel, X, rows) for make in (Gram.rounded_of_rows, Gram.of_rows)
    )
    K = fine.matrix
    assert gram.dtype == gram.matrix.dtype == gram.diagonal.dtype == np.float32
    np.testing.assert_array_equal(gram.matrix, K.astype(np.float32))
    np.testing.assert_array_equal(gram.matrix.diagonal(), gram.diagonal)
    assert (np.abs(gram.matrix - K) <= gram.bound_rounding().error[:, None]).all()
    v = rng.normal(size=n)
    off = np.abs(gram.matrix @ v + gram.rest.sums(np.arange(n), v) - K @ v)
    completed = gram.rest.bound_completed(fine.bound_rounding())
    assert (off <= np.abs(v).sum() * completed.error + 1e-14 * np.abs(K) @ abs(v)).all()


@pytest.mark.parametrize("size", [1, 2, 60, 200])
def test_sums_of_some_samples_in_any_order(size):
    gram = Gram.rounded_of_rows(Gaussian(0.5), texts(200), np.arange(200))
    fine = Gram.of_rows(Gaussian(0.5), texts(200), np.arange(200))
    rng = np.random.default_rng(size)
    for rows in (
        rng.permutation(200)[:size],
        np.arange(size),
        np.r_[np.arange(200 - size // 2, 200), np.arange(size - size // 2)],
    ):
        v = rng.normal(size=size)
        lost = (fine.matrix - gram.matrix)[np.ix_(rows, rows)]
        np.testing.assert_allclose(gram.rest.sums(rows, v), lost @ v, atol=1e-14)


def test_threads_do_not_change_a_bit(monkeypatch):
    found = []
    for threads in "123":
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        gram = Gram.rounded_of_rows(Gaussian(0.5), texts(700), np.arange(700))
        sums = gram.rest.sums(np.arange(700), np.ones(700))
        found.append((gram.matrix.copy(), sums))
    for values, sums in found[1:]:
        np.testing.assert_array_equal(values, found[0][0])
        np.testing.assert_array_equal(sums, found[0][1])


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("n", [90, 530])  # solved in one call, and in rounds
def test_certificates_are_those_of_float64(rounded, kernel, bias, n):
    X, y = texts(n, 50, 0.2), np.arange(n) % 2
    known = {"kernel": kernel, "bias": bias, "gamma": 0.5}
    model = KernelSVC(C=10, **known)
    check(model, X, y)
    assert model.certificate_.total.rounding < 0.1 * model.certificate_.gap
    finer = KernelSVC(C=10, **known).fit(X.astype(float), y)
    gap = model.certificate_.gap + finer.certificate_.gap
    assert abs(model.certificate_.primal - finer.certificate_.primal) <= gap
    assert model.support_vectors_.dtype == np.float32


def test_several_classes(rounded):
    X, y = texts(600), np.arange(600) % 4
    for multiclass in ("ovo", "ovr"):
        model, finer = (
            KernelSVC(C=10, gamma=0.5, multiclass=multiclass).fit(samples, y)
            for samples in (X, X.astype(float))
        )
        gap = model.certificate_.gap + finer.certificate_.gap
        assert abs(model.certificate_.dual - finer.certificate_.dual) <= gap


def test_what_rounded_values_cannot_carry(rounded):
    X, y = load_iris(return_X_y=True)
    X = sparse.csr_array((X[y > 0] + 1000).astype(np.float32))
    model = KernelSVC(C=10, kernel="linear")
    primal, _ = check(model, X, y[y > 0])
    assert model.certificate_.converged
    assert primal == pytest.approx(89.8, rel=1e-3)
    assert model.support_vectors_.dtype == np.float64


def test_random_fits(rounded):
    cases = [make_case(np.random.default_rng([3, k])) for k in range(60)]
    for case in cases:
        check_case(**{**case, "kind": sparse.csr_array})


def six_problems(size):
    return BinaryProblems.of([BinaryProblem(np.arange(size), np.ones(size), 1.0)] * 6)


def test_few_samples_and_float64_are_not_rounded():
    for X in (texts(1000), texts(1600).astype(float)):
        n = X.shape[0]
        known = Gaussian(0.5), X, np.arange(n), six_problems(n // 2)
        gram = kernel_source.kernel_source(*known, one_vs_rest=False, budget=None)
        assert gram.rest is None
        assert gram.matrix.dtype == np.float64
    X = texts(1600)
    known = Gaussian(0.5), X, np.arange(1600), six_problems(800)
    gram = kernel_source.kernel_source(*known, one_vs_rest=False, budget=None)
    assert gram.rest is not None
