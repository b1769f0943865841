"""Rows that are kept, whatever is asked for in whatever order."""

import numpy as np
import pytest

from mercer._thread_memory import ThreadMemory
from mercer.kernels import Gaussian, GramPart
from mercer.solvers.svm import _row_store
from mercer.solvers.svm._row_store import RowStore

N = 300


def source():
    X = np.random.default_rng(0).normal(size=(N, 70)).astype(np.float32)
    return GramPart.prepare(Gaussian(1 / 70), X)  # so wide that blocks are gathered


@pytest.mark.parametrize("budget", [1, 20_000, 60_000, 150_000, 300_000, 10**7])
@pytest.mark.parametrize("plenty", [0, 2**26])
def test_rows_and_blocks_are_those_of_the_matrix(monkeypatch, budget, plenty):
    monkeypatch.setattr(_row_store, "_PLENTY", plenty)
    part, rng = source(), np.random.default_rng(budget)
    K = part.block(np.arange(N), np.arange(N)).astype(np.float64)
    store = RowStore(part, budget, ThreadMemory().array)
    assert store.is_large == (store.values.nbytes > plenty)
    gradient, expected = np.zeros(N), np.zeros(N)
    for _ in range(60):
        q = rng.integers(1, len(store.values) + 1)
        members = np.sort(rng.choice(N, q, replace=False))
        change = rng.normal(size=q)
        block = store.block(members, spare=int(rng.integers(2)))[:q, :q]
        assert np.abs(block - K[np.ix_(members, members)]).max() < 1e-6
        there, free = store.has(members), rng.random(N) < 0.7
        rows = store.values[store.slots[members[there]]]
        assert np.abs(rows - K[members[there]]).max(initial=0) < 1e-6
        if store.is_large:
            store.touch(members)
            gradient -= rows.T @ change[there]
            store.follow(members[~there], change[~there], gradient, free)
        else:
            gradient -= store.values[store.fetch(members)].T @ change
        expected -= K[members].T @ change
    assert np.abs(gradient - expected).max() < 1e-3
