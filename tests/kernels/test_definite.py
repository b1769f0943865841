"""Whether a matrix is positive semidefinite, and whether a look at a part tells."""

import numpy as np
import pytest

from mercer.kernels import Gaussian, Gram, Linear, is_semidefinite

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("scale", [1e-300, 1e-42, 1e-20, 1.0, 1e20, 1e35, 1e300])
@pytest.mark.parametrize("sums_to_zero", [False, True])
def test_matrices_of_any_size_are_semidefinite_or_not(scale, sums_to_zero):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    if sums_to_zero:  # what belongs to constants does not count
        Q[:, 0] = 1
        Q = np.linalg.qr(Q)[0]
    values = rng.random(40)
    values[0] = -1.0 if sums_to_zero else 1.0
    largest = np.abs(np.diagonal(Q * values @ Q.T)).max()
    for least, expected in ((0.0, True), (-0.5, True), (-2.0, False), (-1e5, False)):
        values[-1] = least * 1e-6 * np.sqrt(40) * largest
        K = Q * values @ Q.T * scale
        assert is_semidefinite((K + K.T) / 2, sums_to_zero) == expected


def test_a_matrix_with_values_that_overflow_in_float32_is_not_semidefinite():
    K = np.eye(700)
    K[600, 5] = K[5, 600] = 1e39
    assert not is_semidefinite(K)
    assert is_semidefinite(np.eye(700))
    assert is_semidefinite(np.zeros((3, 3)))


@pytest.mark.parametrize("sums_to_zero", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_among_some_samples_is_as_of_their_own_matrix(sums_to_zero, dtype):
    verdicts = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((60, 3))
        K = (Gaussian(0.3)(X) - rng.choice([0.0, 0.02]) * np.abs(X @ X.T)).astype(dtype)
        among = rng.permutation(60)[: rng.integers(1, 60)]
        found = is_semidefinite(K, sums_to_zero, among)
        eigenvalues = np.linalg.eigvalsh(
            _centred(K[np.ix_(among, among)], sums_to_zero)
        )
        assert found == (eigenvalues.min() > -1e-4)
        verdicts.add(found)
    assert verdicts == {False, True}


def _centred(K, sums_to_zero):
    P = np.eye(len(K)) - (1 / len(K) if sums_to_zero else 0)
    return P @ K.astype(float) @ P


def _look(K, members, sums_to_zero=True):
    members = np.asarray(members, np.intp)
    return Gram.from_matrix(K).looks_semidefinite(members, sums_to_zero)


@pytest.mark.parametrize("sums_to_zero", [False, True])
def test_a_small_matrix_is_looked_at_as_a_whole(sums_to_zero):
    X = RNG.standard_normal((200, 4))
    K = Gaussian(0.2)(X)
    assert _look(K, [], sums_to_zero)
    K[3, 150] = K[150, 3] = 0.99
    assert not _look(K, [], sums_to_zero)


@pytest.mark.parametrize("kernel", [Gaussian(0.2), Linear()], ids=str)
@pytest.mark.parametrize("n", [257, 1000, 4500])
def test_what_is_semidefinite_looks_so(kernel, n):
    K = kernel(RNG.standard_normal((n, 4)).astype(np.float32))
    for members in ([], range(n), range(5, n, 7)):
        assert _look(K, members)
        assert _look(K, members, sums_to_zero=False)


def test_negative_distances_look_semidefinite_where_sums_are_zero():
    X = RNG.standard_normal((900, 3))
    K = -np.linalg.norm(X[:, None] - X, axis=2)
    assert _look(K, range(100))
    assert not _look(K, range(100), sums_to_zero=False)


def test_members_are_looked_at():
    K = Gaussian(0.2)(RNG.standard_normal((1000, 4)))
    K[301, 777] = K[777, 301] = 0.9  # no more than k(x, x)
    assert _look(K, np.setdiff1d(np.arange(1000), [777]))  # the best that is left
    assert not _look(K, [301, 777, *range(0, 1000, 2)])


def test_values_that_no_kernel_has_are_found_among_any_samples():
    base = Gaussian(0.2)(RNG.standard_normal((3001, 4)))
    for i, j in ((1, 3000), (2, 1503)):
        K = base.copy()
        K[i, j] = K[j, i] = 1.5
        assert not _look(K, [])
    K = base.copy()
    K[1501, 1501] = 0.1
    assert not _look(K, [])
    K = base.copy()
    K[1501, 1501] = -1.0
    assert not _look(K, [])
