"""Products of samples in panels: those of the naive sum, wherever a panel ends."""

import numpy as np
import pytest

import naive
from mercer import KernelSVC
from mercer.exceptions import DataError
from mercer.kernels import Gaussian, Gram, _panels, _wide
from mercer.kernels._panels import FEATURES, SAMPLES


def check_panels(n, d, dtype, seed=0):
    """Compare all products of some samples, in some order, to their naive sums."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n + 3, d + 2)) + 5).astype(dtype)
    rows, used = rng.permutation(n + 3)[:n], np.sort(rng.permutation(d + 2)[:d])
    centre = X.astype(float).mean(axis=0)
    panels = np.full(_panels.shape_of_panels(n, d), np.nan)
    norms, count = np.full(n, np.nan), panels.shape[1]
    _panels.fill_panels(X, rows, centre, used, panels, norms, 0, count)
    samples = (X.astype(float) - centre)[rows][:, used]
    expected = naive.gram(np.dot, samples, samples)
    np.testing.assert_allclose(norms, expected.diagonal(), rtol=1e-12)
    for first in range(count):
        stop, start = min(first + 2, count), first * SAMPLES
        out = np.full((min(stop * SAMPLES, n) - start, n - start), np.nan)
        _panels.multiply_panels(panels, d, first, stop, out)
        above = np.triu(np.ones(out.shape, bool))
        wanted = expected[start : start + len(out), start:]
        np.testing.assert_allclose(out[above], wanted[above], rtol=1e-11, atol=1e-11)
        assert np.isfinite(out).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 5, FEATURES - 1, FEATURES, FEATURES + 1, 700])
@pytest.mark.parametrize("n", [1, 7, 8, SAMPLES - 1, SAMPLES, SAMPLES + 1, 49, 97])
def test_products(n, d, dtype):
    check_panels(n, d, dtype, seed=n + d)


@pytest.mark.uncompiled
@pytest.mark.parametrize("d", [1, FEATURES, FEATURES + 44])
@pytest.mark.parametrize("n", [1, 8, SAMPLES, 53])
def test_products_uncompiled(n, d):
    check_panels(n, d, np.float32)


@pytest.mark.parametrize("d", [64, 255, 257, 2048, 2049])
@pytest.mark.parametrize("n", [23, 240, 241, 505])
def test_kernel_values_on_one_to_three_threads(n, d, monkeypatch):
    monkeypatch.setattr(_wide, "has_wide_registers", lambda: True)
    X = np.random.default_rng(n).normal(size=(n, d)).astype(np.float32)
    order, kernel = np.random.default_rng(d).permutation(n), Gaussian(1 / d)
    found = []
    for threads in "123":
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        K, _ = _wide.evaluate_wide(kernel, X, order, np.empty)
        found.append(K)
    known = kernel(X[order].astype(float))
    np.testing.assert_allclose(found[0], known, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(found[0], found[0].T)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_fits_with_and_without_wide_registers(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 700)).astype(np.float32)
    y = X[:, :30].sum(axis=1) + rng.normal(size=900) > 0
    duals, asked, real = [], [], _wide.multiply_panels
    monkeypatch.setattr(
        _wide, "multiply_panels", lambda *known: (asked.append(1), real(*known))
    )
    for wide in (True, False):
        monkeypatch.setattr(_wide, "has_wide_registers", lambda wide=wide: wide)
        model = KernelSVC(gamma=1 / 700, tol=1e-6).fit(X, y)
        assert bool(asked) == wide
        asked.clear()
        duals.append(model.certificate_.dual)
        assert model.certificate_.gap <= 1e-4 * model.certificate_.primal
    assert duals[0] == pytest.approx(duals[1], rel=1e-9)


def test_what_overflows_is_said():
    X = np.full((600, 128), 1e200)
    X[::2] *= -1
    with pytest.raises(DataError, match="overflows float64 at sample 0"):
        Gram.of_rows(Gaussian(1.0), X, np.arange(600))
