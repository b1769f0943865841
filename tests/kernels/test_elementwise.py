"""Compiled passes over tiles."""

import numpy as np
import pytest

from mercer.kernels._elementwise import (
    exp_scaled,
    gaussian_of_products,
    to_squared_distances,
    transpose,
)


@pytest.mark.uncompiled
@pytest.mark.parametrize(("given", "wanted"), ["ff", "dd", "df", "fd"])
@pytest.mark.parametrize(
    ("height", "width", "first"),
    [(1, 1, 0), (8, 8, 0), (7, 30, 3), (17, 40, 8), (9, 8, 8), (64, 25, 1)],
)
def test_transposed_as_numpy_does(given, wanted, height, width, first):
    rng = np.random.default_rng(height + width)
    tile = rng.normal(size=(height, width)).astype(given)
    around = np.full((width - first + 1, height + 2), 9, wanted)
    transpose(tile, first, around, 0, 1)
    expected = tile[:, first:].T.astype(wanted)
    np.testing.assert_array_equal(around[:-1, 1:-1], expected)
    around[:-1, 1:-1] = 9
    assert (around == 9).all()  # nothing beside it was written


def test_where_values_do_not_lie_side_by_side():
    tile = np.arange(400.0).reshape(20, 20)
    for out in (np.zeros((20, 20), order="F"), np.zeros((20, 40))[:, ::2]):
        transpose(tile, 0, out, 0, 0)
        np.testing.assert_array_equal(out, tile.T)
    out = np.zeros((10, 20))
    transpose(tile[:, ::2], 0, out, 0, 0)
    np.testing.assert_array_equal(out, tile[:, ::2].T)


@pytest.mark.parametrize(("dtype", "relative"), [("f", 2.4e-7), ("d", 1.7e-16)])
def test_exponentials_are_as_precise_as_they_say(dtype, relative):
    lowest = 86.9 if dtype == "f" else 707.0
    x = np.concatenate([np.linspace(0, lowest, 40_001), 10 ** np.linspace(-9, 1, 9999)])
    tile = x.astype(dtype)[None]
    truth = np.exp(-tile[0].astype(np.longdouble))
    exp_scaled(tile, -1.0)
    assert (np.abs(tile[0] - truth) <= relative * truth).all()
    zeros = np.zeros((1, 5), dtype)
    exp_scaled(zeros, -1.0)
    assert (zeros == 1).all()
    beyond = np.array([[0.0, 2 * lowest, 1e30, np.inf]], dtype)
    exp_scaled(beyond, -1.0)
    assert beyond.tolist() == [[1.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("gamma", [0.0, 0.02, 1e30, 1e300])
def test_one_pass_gives_what_two_give(dtype, gamma):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 30)).astype(dtype), rng.normal(size=(33, 30))
    y = np.concatenate([x, y.astype(dtype)])  # some are at no distance
    norms, dots = ((x * x).sum(axis=1), (y * y).sum(axis=1)), x @ y.T
    two = dots.copy()
    to_squared_distances(two, *norms)
    exp_scaled(two, -gamma)
    gaussian_of_products(dots, *norms, -gamma)
    np.testing.assert_array_equal(dots, two)
