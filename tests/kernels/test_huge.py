"""Very many samples of whole numbers: laid out when they are multiplied, if ever."""

import numpy as np
import pytest

from mercer import KernelSVC
from mercer.estimators import kernel_source
from mercer.kernels import Gaussian, GramPart, _quantized, _stored

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 9, (900, 160)) * (RANDOM.random((900, 160)) < 0.1) / 8.0
Y = np.arange(900) % 3


@pytest.fixture
def huge(monkeypatch):
    """Where 700 samples are few, and 900 are not."""
    size = _quantized.FOUR if _quantized.MULTIPLIES_BYTES else _quantized.PAIR
    monkeypatch.setattr(_quantized, "_MOST_BYTES", 700 * 160 // size * 4)


@pytest.fixture
def laid_out(monkeypatch):
    """How many samples were laid out, each time."""
    sizes, real = [], _quantized._GroupLists.tiles

    def counting(self):
        sizes.append(len(self.starts) - 1)
        return real(self)

    monkeypatch.setattr(_quantized._GroupLists, "tiles", counting)
    return sizes


@pytest.mark.usefixtures("huge")
def test_values_are_the_same(laid_out):
    kernel, order = Gaussian(0.1), RANDOM.permutation(900)
    part = GramPart.prepare(kernel, X, order)
    assert isinstance(part._stored, _stored.StoredQuantized)
    assert part.take(np.arange(900))._stored is part._stored
    assert laid_out == []
    expected = kernel(X[order])
    some = np.arange(100, 400)
    block = part.take(some).block(np.arange(5), slice(0, 300))
    np.testing.assert_allclose(block, expected[100:105, 100:400], rtol=1e-12)
    turned = part.take(np.arange(900)[::-1])
    block = turned.block(np.arange(5), slice(0, 900))
    np.testing.assert_allclose(block, expected[::-1, ::-1][:5], rtol=1e-12)
    block = part.block(np.arange(5), slice(0, 900))
    np.testing.assert_allclose(block, expected[:5], rtol=1e-12)
    assert laid_out == [300, 900, 900]


def rows_alone(monkeypatch):
    for name in ("_ASKING", "_NOT_MANY"):
        monkeypatch.setattr(kernel_source, name, 0)
    monkeypatch.setattr(kernel_source, "_MOST_ROWS", np.inf)


@pytest.mark.usefixtures("huge")
def test_of_several_classes_only_pairs_are_laid_out(laid_out, monkeypatch):
    rows_alone(monkeypatch)
    model = KernelSVC(C=10, gamma=0.1).fit(X, Y)
    assert 0 < max(laid_out) <= 600
    monkeypatch.undo()
    rows_alone(monkeypatch)
    usual = KernelSVC(C=10, gamma=0.1).fit(X, Y)
    assert model.certificate_.dual == pytest.approx(usual.certificate_.dual, rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), usual.predict(X))
