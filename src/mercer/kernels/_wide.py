"""The whole matrix of samples with many features: some of these at a time.

Copied in one go, centred and in float64, wide samples would take more memory than their
matrix, and most of the time would go into getting it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mercer._pages import reusable_array
from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map
from mercer._validation import Matrix, is_sparse
from mercer.kernels._bases import Base, PreparedSamples, features_in_use
from mercer.kernels._evaluate import (
    SamplesByBase,
    diagonal,
    put_symmetric,
    stripes,
)
from mercer.kernels._kernel import Kernel
from mercer.kernels._panels import (
    SAMPLES,
    fill_panels,
    has_wide_registers,
    multiply_panels,
    shape_of_panels,
)
from mercer.kernels._stored import centre_amid, copy_centred, is_probably_whole

_WIDE = 512  # features, from which on it pays,
_WIDE_IN_PANELS = 64  # also from so many on, where these are at hand
_WIDTH = 2048  # of them at a time
_HEIGHT = 256  # rows of a tile, or fewer where these are few
_BLOCK, _PANELS = 64, 2  # rows that a thread copies, or panels of them
_STRIPES = 8  # of panels at least, so that threads share the work evenly
_FEW = 512  # samples, of which a thread takes features, and so many at a time:
_NARROWEST, _WIDTH_OF_FEW, _GROUPS = 128, 1024, 8  # from, to, in so many groups,
_FAR_WIDER = 6  # where features are so many times as many as samples


def is_wide(kernel: Kernel, X: Matrix, are_floats: bool = False) -> bool:
    """Whether `evaluate_wide` can do it, and would be faster.

    Of samples that are known to be no whole numbers, or may be.
    """
    simple = kernel.bases in ({Base.DOT}, {Base.SQUARED_DISTANCE})
    least = _WIDE_IN_PANELS if has_wide_registers() else _WIDE
    if not simple or is_sparse(X) or X.shape[1] < least:
        return False
    return are_floats or not is_probably_whole(X)


def evaluate_wide(
    kernel: Kernel,
    X: NDArray,
    rows: NDArray[np.intp],
    empty: Callable[[tuple[int, int], np.dtype], NDArray],
) -> tuple[NDArray, SamplesByBase]:
    """k(x, y) in float64 for all pairs of some rows of X, and what is known of these.

    The matrix is made by ``empty(shape, dtype)``.
    """
    (base,), n = kernel.bases, len(rows)
    centre = np.zeros(X.shape[1])
    if base is Base.SQUARED_DISTANCE:
        centre = centre_amid(X).astype(np.float64)
    used = features_in_use(X, centre)
    used = np.arange(X.shape[1]) if used is None else used
    if len(used) == 0:  # all samples are the same: one feature tells as much
        used = np.arange(1)
    K, norms = empty((n, n), np.dtype(np.float64)), np.zeros(n)
    own = np.zeros(n) if base is Base.SQUARED_DISTANCE else norms
    known = {base: PreparedSamples(base, X[:0], own, norms, centre)}

    def finish(i: slice, tile: NDArray) -> None:
        to_right = slice(i.start, n)
        if base is Base.SQUARED_DISTANCE:
            values = kernel.combine_products(tile, norms[i], norms[to_right])
        else:
            values = kernel.combine({base: tile})
        np.fill_diagonal(values, diagonal(kernel, known, i))
        put_symmetric(K, i, to_right, values)

    samples = X, rows, centre, used
    if has_wide_registers():
        _multiply_panels(*samples, norms, K, finish)
    else:
        height = max(1, min(_HEIGHT, -(-n // 4)))
        tiles = [some[0][0] for some in stripes(n, n, symmetric=True, tile=(height, n))]
        if n <= _FEW and len(used) >= _FAR_WIDER * n:
            _multiply_few(*samples, norms, K)
            parallel_map(lambda i: finish(i, K[i, i.start :].copy()), tiles)
        else:
            _multiply_tiles(*samples, norms, K, tiles, finish)
    return K, known


def _multiply_few(
    X: NDArray,
    rows: NDArray[np.intp],
    centre: NDArray[np.float64],
    used: NDArray[np.intp],
    norms: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """x·y of all pairs: a thread takes some features of all samples.

    Tiles of few samples would be so small that products take twice as long.
    """
    n, memory = len(rows), ThreadMemory()
    width = max(_NARROWEST, min(_WIDTH_OF_FEW, len(used) // _GROUPS))
    groups = [used[first : first + width] for first in range(0, len(used), width)]
    products = reusable_array((min(_GROUPS, len(groups)), n, n), np.dtype(np.float64))
    own = np.empty((len(products), n))
    out[:] = 0

    def multiply(k: int) -> None:
        group = groups[first + k]
        part = memory.array((n, len(group)), products.dtype)
        copy_centred(X, rows, centre, group, part, own[k], 0, n)
        with np.errstate(over="ignore", invalid="ignore"):  # the diagonal tells
            # of a product with itself NumPy computes one half
            np.matmul(part, part.T, out=products[k])

    for first in range(0, len(groups), len(products)):
        some = range(min(len(products), len(groups) - first))
        parallel_map(multiply, some)
        for k in some:
            out += products[k]
            norms += own[k]


def _multiply_tiles(
    X: NDArray,
    rows: NDArray[np.intp],
    centre: NDArray[np.float64],
    used: NDArray[np.intp],
    norms: NDArray[np.float64],
    out: NDArray[np.float64],
    tiles: list[slice],
    finish: Callable[[slice, NDArray], None],
) -> None:
    """x·y of all pairs, to the right of the diagonal: a thread takes some samples.

    The last product of each tile goes to ``finish(its rows, values)``.
    """
    n, memory = len(rows), ThreadMemory()
    copied = reusable_array((n * min(_WIDTH, len(used)),), np.dtype(np.float64))
    own = np.empty(n)

    def copy(start: int) -> None:
        copy_centred(X, rows, centre, group, part, own, start, min(start + _BLOCK, n))

    def add(i: slice) -> None:
        to_right, height = slice(i.start, n), i.stop - i.start
        tile = memory.array((height, n - i.start), out.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # the diagonal tells
            # of a product with itself NumPy computes one half
            np.matmul(part[i], part[i].T, out=tile[:, :height])
            np.matmul(part[i], part[i.stop :].T, out=tile[:, height:])
        if first:
            tile += out[i, to_right]
        if first + _WIDTH < len(used):
            out[i, to_right] = tile
        else:
            finish(i, tile)

    for first in range(0, len(used), _WIDTH):
        group = used[first : first + _WIDTH]
        part = copied[: n * len(group)].reshape(n, len(group))
        parallel_map(copy, range(0, n, _BLOCK))
        norms += own
        parallel_map(add, tiles)


def _multiply_panels(
    X: NDArray,
    rows: NDArray[np.intp],
    centre: NDArray[np.float64],
    used: NDArray[np.intp],
    norms: NDArray[np.float64],
    out: NDArray[np.float64],
    finish: Callable[[slice, NDArray], None],
) -> None:
    """The same by panels of samples, where registers are wide."""
    n, memory = len(rows), ThreadMemory()
    n_panels = shape_of_panels(n, 1)[1]
    height = max(1, min(_HEIGHT // SAMPLES, n_panels // _STRIPES))
    copied = reusable_array(shape_of_panels(n, min(_WIDTH, len(used))), out.dtype)
    own = np.empty(n)

    def copy(start: int) -> None:
        stop = min(start + _PANELS, n_panels)
        fill_panels(X, rows, centre, group, panels, own, start, stop)

    def add(start: int) -> None:
        stop = min(start + height, n_panels)
        i = slice(start * SAMPLES, min(stop * SAMPLES, n))
        tile = memory.array((i.stop - i.start, n - i.start), out.dtype)
        multiply_panels(panels, len(group), start, stop, tile)
        if first:
            tile += out[i, i.start :]
        if first + _WIDTH < len(used):
            out[i, i.start :] = tile
        else:
            finish(i, tile)

    for first in range(0, len(used), _WIDTH):
        group = used[first : first + _WIDTH]
        panels = copied[: shape_of_panels(n, len(group))[0]]
        parallel_map(copy, range(0, n_panels, _PANELS))
        norms += own
        parallel_map(add, range(0, n_panels, height))
