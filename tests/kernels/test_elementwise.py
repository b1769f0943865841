"""Compiled passes over tiles."""

import numpy as np
import pytest

from mercer.kernels._elementwise import transpose


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
    transpose(tile, first, around[:-1, 1:-1])
    expected = tile[:, first:].T.astype(wanted)
    np.testing.assert_array_equal(around[:-1, 1:-1], expected)
    around[:-1, 1:-1] = 9
    assert (around == 9).all()  # nothing beside it was written


def test_where_values_do_not_lie_side_by_side():
    tile = np.arange(400.0).reshape(20, 20)
    for out in (np.zeros((20, 20), order="F"), np.zeros((20, 40))[:, ::2]):
        transpose(tile, 0, out)
        np.testing.assert_array_equal(out, tile.T)
    out = np.zeros((10, 20))
    transpose(tile[:, ::2], 0, out)
    np.testing.assert_array_equal(out, tile[:, ::2].T)
