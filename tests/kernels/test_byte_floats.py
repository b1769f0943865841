"""Bytes that became floats: distances as exact as they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.certificates import check, true_objectives
from mercer import KernelSVC
from mercer.estimators import kernel_source
from mercer.kernels import Gaussian, KernelSums, Polynomial, _byte_floats
from mercer.kernels._byte_floats import ByteFloats

pytestmark = pytest.mark.skipif(
    not _byte_floats.MULTIPLIES_BYTES, reason="this processor multiplies no bytes"
)


def images(n, p=100, over=255.0, seed=0, idle=0.7):
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (n, p))
    pixels[rng.random((n, p)) < idle] = 0
    return (pixels / over).astype(np.float32)


def true_distances(A, B):
    A, B = A.astype(np.longdouble), B.astype(np.longdouble)
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


def distances(a, b):
    out = np.full((len(a), len(b)), np.nan)
    a.find_distances(b, out)
    return out


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.integers(1, 130),
    st.sampled_from([255.0, 256.0, 1.0, 3.7, 1e-3, 1e4]),
    st.sampled_from([1e-3, 0.02, 1.0, 50.0]),
)
@settings(deadline=None)
def test_values_are_within_their_bound(seed, n, p, over, gamma):
    rng = np.random.default_rng(seed)
    X = images(n, p, over, seed, rng.choice([0.0, 0.3, 0.9]))
    X[0, 0] = np.float32(1 / over)
    X[rng.integers(n)] = 0
    rows, gamma = rng.permutation(n), gamma / p * over**2 / 1e4
    own = ByteFloats.of(X, rows)
    if own is None:  # of few values the step cannot be guessed
        return
    some, others = rng.integers(0, n, 5), rng.integers(0, n, rng.integers(1, 80))
    found = distances(own.take(some), own.take(others))
    D = true_distances(X[rows[some]], X[rows[others]])
    off = np.abs(np.exp(-gamma * found.astype(np.longdouble)) - np.exp(-gamma * D))
    assert off.max() <= own.error(gamma) + 2.0**-52
    equal = D == 0
    assert (found[equal] == 0).all()


def test_far_closer_than_bytes_alone():
    X = images(200, 784)
    own = ByteFloats.of(X, np.arange(200))
    D = true_distances(X[:50], X)
    off = np.abs(distances(own.take(slice(0, 50)), own) - D).max()
    bytes_alone = true_distances(np.rint(X[:50] * 255), np.rint(X * 255)) / 255**2
    assert 0 < 50 * off < np.abs(bytes_alone - D).max()


def no_byte(value):
    X = images(400)
    X[3, 3] = value
    return X


@pytest.mark.parametrize(
    "X",
    [
        np.sqrt(images(400)),
        images(400).astype(np.float64),
        no_byte(256 / 255),
        no_byte(-1 / 255),
        no_byte(0.5001),
    ],
    ids=["roots", "float64", "above", "below", "between"],
)
def test_what_is_no_byte(X):
    at, v = np.arange(400), np.random.default_rng(0).normal(size=300)
    found = KernelSums.in_float64(Gaussian(0.1), X, at, 1.0)
    assert found.error == 0
    usual = KernelSums.in_float64(Gaussian(0.1), X, at)
    own, expected = (sums(at[:300], at[300:], v) for sums in (found, usual))
    np.testing.assert_array_equal(own[0], expected[0])
    np.testing.assert_array_equal(own[1], expected[1])


def test_only_what_is_tolerated():
    X, rows = images(400), np.arange(400)
    usual = [
        KernelSums.in_float64(Gaussian(0.1), X, rows),
        KernelSums.in_float64(Gaussian(0.1), X, rows, 1e-30),
        KernelSums.in_float64(Polynomial(2), X, rows, 1.0),
    ]
    assert [sums.error for sums in usual] == [0, 0, 0]
    assert 0 < KernelSums.in_float64(Gaussian(0.1), X, rows, 1e-6).error < 1e-8


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_threads_do_not_change_a_bit(monkeypatch, threads):
    X, v = images(900, 784), np.random.default_rng(0).normal(size=700)
    at = np.arange(900)
    expected = KernelSums.in_float64(Gaussian(0.02), X, at, 1.0)(at[:700], at[700:], v)
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    found = KernelSums.in_float64(Gaussian(0.02), X, at, 1.0)(at[:700], at[700:], v)
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-7])
def test_certificates_hold(monkeypatch, bias, tol):
    """On demand, as of many samples: solved in float32, and looked at once more."""
    asked, real = [], ByteFloats.of.__func__
    monkeypatch.setattr(
        ByteFloats, "of", classmethod(lambda c, *a: asked.append(1) or real(c, *a))
    )
    monkeypatch.setattr(kernel_source, "_NOT_MANY", 0)
    monkeypatch.setattr(kernel_source, "_MOST_ROWS", np.inf)
    X = images(700, 160, idle=0.5)
    y = np.random.default_rng(1).integers(0, 2, 700)
    model = KernelSVC(C=100, gamma=0.05, bias=bias, tol=tol)
    check(model, X, y)
    primal, dual = true_objectives(model, X, y)
    assert primal - dual <= model.certificate_.gap
    assert model.certificate_.converged
    assert asked
