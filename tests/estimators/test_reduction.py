"""Reductions against their definition, and of many classes without a table."""

from itertools import combinations

import numpy as np
import pytest

from mercer.estimators import Reduction

pytestmark = pytest.mark.uncompiled


def naive_codes(kind, n):
    if n == 2:
        return [[-1, 1]]
    if kind == "ovr":
        return [[1 if c == p else -1 for c in range(n)] for p in range(n)]
    pairs = combinations(range(n), 2)
    return [[(c == i) - (c == j) for c in range(n)] for i, j in pairs]


@pytest.mark.parametrize("kind", ["ovr", "ovo"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 9, 16])
def test_codes(kind, n):
    reduction, expected = Reduction.make(kind, n), np.array(naive_codes(kind, n))
    assert reduction.n_problems == len(expected)
    np.testing.assert_array_equal(reduction.codes, expected)
    sizes = np.arange(n) ** 2 + 1
    np.testing.assert_array_equal(reduction.sums(sizes), abs(expected) @ sizes)


def test_pairs_of_many_classes():
    n = 40_000  # of which a table would take 256 TB
    reduction = Reduction.make("ovo", n)
    assert reduction.n_problems == n * (n - 1) // 2
    for p, (i, j) in {
        0: (0, 1),
        n - 2: (0, n - 1),
        n - 1: (1, 2),
        reduction.n_problems - 1: (n - 2, n - 1),
    }.items():
        code = reduction.code(p)
        assert code.nonzero()[0].tolist() == [i, j]
        assert (code[i], code[j]) == (1, -1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [3, 7])
def test_votes(n, dtype):
    rng, reduction = np.random.default_rng(n), Reduction.make("ovo", n)
    scores = rng.integers(-2, 3, (50, reduction.n_problems)).astype(dtype)
    codes = reduction.codes
    votes = np.array(
        [[(np.where(s > 0, 1, -1) == c).sum() for c in codes.T] for s in scores]
    )
    confidence = scores @ codes
    expected = votes + confidence / (3 * (np.abs(confidence) + 1))
    for given in (scores, np.asfortranarray(scores)):
        np.testing.assert_allclose(
            reduction.decision(given, "ovr"), expected, rtol=1e-6
        )
        assert (reduction.decide(given) == votes.argmax(axis=1)).all()
        assert (reduction.decide(given, True) == expected.argmax(axis=1)).all()
