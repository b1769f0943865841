import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from mercer.exceptions import DataError
from mercer.solvers import _sketches as module
from mercer.solvers.neighbours import nearest
from naive import nearest_of_whole_numbers

DIGITS = load_digits().data


def brute(X, Y, k, by_angle):
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    if by_angle:
        X, Y = (P / np.linalg.norm(P, axis=1, keepdims=True) for P in (X, Y))
    squares = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(squares, order, axis=1), order


def near_a_plane(n, features, seed):
    # few directions matter, so that sketches rule much out
    rng = np.random.default_rng(seed)
    plane = rng.normal(size=(n, 8)) @ rng.normal(size=(8, features))
    return plane + 0.05 * rng.normal(size=(n, features))


@pytest.fixture
def always_sketch(monkeypatch):
    monkeypatch.setattr(module, "_SMALL", 0)
    chosen = []
    choose = module.Sketch._choose

    def watch(self, *args):
        chosen.append(choose(self, *args))
        return chosen[-1]

    monkeypatch.setattr(module.Sketch, "_choose", watch)
    return chosen


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("by_angle", [False, True])
@pytest.mark.parametrize("k", [1, 10, 900])
def test_sketches_lose_no_neighbour(always_sketch, dtype, by_angle, k):
    points = near_a_plane(1500, 120, seed=1).astype(dtype)
    X, Y = points[:300], points[300:]
    squares, indices = nearest(X, Y, k, by_angle)
    expected = brute(X, Y, k, by_angle)
    assert (indices == expected[1]).all()
    np.testing.assert_allclose(squares, expected[0], rtol=1e-9, atol=1e-12)
    if k < 100:  # then they are worth having
        assert always_sketch[0] is not None


def test_points_without_structure_are_not_sketched(always_sketch):
    points = np.random.default_rng(0).normal(size=(900, 60))
    _, indices = nearest(points[:200], points[200:], 3)
    assert (indices == brute(points[:200], points[200:], 3, False)[1]).all()
    assert always_sketch == [None]


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-30, 1.0, 1e30, 1e150])
def test_any_scale(always_sketch, scale):
    points = near_a_plane(700, 80, seed=2)
    expected = nearest(points[:100], points[100:], 5)[1]
    assert (nearest(points[:100] * scale, points[100:] * scale, 5)[1] == expected).all()


def test_an_outlier_hides_nothing(always_sketch):
    points = near_a_plane(700, 80, seed=3)
    points[350] *= 1e25
    found = nearest(points[:100], points[100:], 5)[1]
    assert (found == brute(points[:100], points[100:], 5, False)[1]).all()


@pytest.mark.parametrize("by_angle", [False, True])
def test_of_equals_the_first_is_ahead(always_sketch, by_angle):
    Y = np.repeat(DIGITS[:60], 5, axis=0)[np.random.default_rng(0).permutation(300)]
    X = DIGITS[40:80]
    for dtype in (np.float32, np.float64):
        found = nearest(X.astype(dtype), Y.astype(dtype), 12, by_angle)[1]
        assert (found == nearest_of_whole_numbers(X, Y, 12, by_angle)).all()


def parallel_rows(seed):
    """Whole multiples of a few rows, and rows that are off by one."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    few = rng.integers(-9, 10, (3, d))
    Y = few[rng.integers(3, size=16)] * rng.integers(1, 60, (16, 1))
    Y[rng.integers(16, size=3), rng.integers(d, size=3)] += 1
    Y[rng.integers(16)] = 0
    return np.concatenate([rng.integers(-9, 10, (3, d)), few, 2 * few]), Y


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("exponent", [0, -1, 600, -600])
def test_parallel_rows_are_equally_near(layout, exponent):
    for seed in range(200):
        X, Y = parallel_rows(seed)
        new, train = (layout(np.ldexp(P.astype(float), exponent)) for P in (X, Y))
        squares, found = nearest(new, train, 7, by_angle=True)
        assert (found == nearest_of_whole_numbers(X, Y, 7, True)).all(), seed
        assert (np.diff(squares, axis=1) >= 0).all()


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_feature_has_two_angles(layout, dtype):
    """Products of floats round, and made the nearest of one another neighbours."""
    rng = np.random.default_rng(0)
    for k in (1, 2, 5):
        X, Y = (rng.normal(size=(n, 1)).astype(dtype) for n in (200, 40))
        found = nearest(layout(X), layout(Y), k, by_angle=True)[1]
        on_side = {sign: np.flatnonzero(np.sign(Y[:, 0]) == sign) for sign in (-1, 1)}
        for x, own in zip(X[:, 0], found):
            assert own.tolist() == on_side[np.sign(x)][:k].tolist()


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_rows_along_an_axis_are_equally_near(layout):
    rng = np.random.default_rng(0)
    axes, lengths = rng.integers(3, size=60), rng.lognormal(sigma=9, size=60)
    Y = np.eye(3)[axes] * lengths[:, None]
    for k in (1, 4):
        found = nearest(layout(Y), layout(Y), k, by_angle=True)[1]
        for axis, own in zip(axes, found):
            assert own.tolist() == np.flatnonzero(axes == axis)[:k].tolist()


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_near_rows_far_from_the_origin(layout):
    # squares would be lost in ‖x‖² + ‖y‖² − 2x·y
    Y = 1e9 + np.array([[8.0, 0.0], [4.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
    squares, found = nearest(layout(np.full((1, 2), 1e9)), layout(Y), 4)
    assert found.tolist() == [[3, 2, 1, 0]]
    assert squares.tolist() == [[1.0, 4.0, 16.0, 64.0]]


def test_distances_that_overflow_are_a_sentence():
    far = np.array([[1.0], [1e160]])
    for X, Y in ((far, far[:1]), (far[:1], far)):
        with pytest.raises(DataError, match="overflows float64 at sample 1; scale"):
            nearest(X, Y, 1)


def test_rows_of_zeros_are_at_right_angles():
    X, Y = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 0.0], [-1.0, 0.0]])
    squares, indices = nearest(X, Y, 2, by_angle=True)
    assert indices.tolist() == [[0, 1], [0, 1]]
    assert squares.tolist() == [[0.0, 1.0], [1.0, 4.0]]


def test_threads_do_not_matter(always_sketch, monkeypatch):
    points = near_a_plane(2000, 100, seed=4).astype(np.float32)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        found.append(nearest(points[:900], points[900:], 4))
    for squares, indices in found[1:]:
        assert (squares == found[0][0]).all()
        assert (indices == found[0][1]).all()
