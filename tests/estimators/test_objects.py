"""Samples that are taken out of many."""

import numpy as np
import pytest

from mercer.estimators import _objects


@pytest.mark.parametrize("threads", ["1", "2", "3"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_many_samples_are_taken_as_few_are(dtype, threads, monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    monkeypatch.setattr(_objects, "_MANY_BYTES", 1)
    monkeypatch.setattr(_objects, "_BYTES_AT_ONCE", 100)
    rng = np.random.default_rng(0)
    X = (100 * rng.random((50, 7))).astype(dtype)
    for rows in (
        np.arange(50),
        rng.permutation(50)[:31],
        np.array([3, 3, 49], np.int32),
    ):
        for own in (X, np.asfortranarray(X), X[:, ::2]):
            found = _objects.take(own, rows)
            assert found.dtype == dtype
            assert (found == own[rows]).all()
            assert not np.shares_memory(found, own)
    assert _objects.take(X, np.empty(0, np.intp)).shape == (0, 7)
