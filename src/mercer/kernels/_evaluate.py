"""Kernel values tile by tile, on threads: base matrix, elementwise pass, mirror image.

A tile is small enough to stay in a core's cache between these steps, and the tiles do
not depend on the number of threads, so neither do the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map, single_threaded_blas
from mercer._validation import Matrix, Rows, is_sparse
from mercer.exceptions import DataError
from mercer.kernels._bases import (
    Base,
    PreparedSamples,
    are_multiplied,
    base_tile,
    dot_tile,
)
from mercer.kernels._elementwise import mirror, transpose
from mercer.kernels._rest import Rest

if TYPE_CHECKING:
    from mercer.kernels._kernel import Kernel

SamplesByBase = Mapping[Base, PreparedSamples]
_TILE = 256, 1040  # rows a power of two apart would share the same lines of a cache
_FEW = 512  # samples, of which all pairs are one tile, or so many stripes
_FEW_PRODUCTS, _SHARES = 2**26, 4  # where they take more products than this
_SPARSE_TILE = 128, 8192  # each feature of a row is looked up once for a tile


def prepare(
    kernel: Kernel,
    X: Matrix,
    like: SamplesByBase | None = None,
    order: NDArray[np.intp] | None = None,
) -> SamplesByBase:
    """X made ready for every base that the kernel needs; errors count by `order`."""
    return prepare_with_diagonal(kernel, X, like, order)[0]


def prepare_with_diagonal(
    kernel: Kernel,
    X: Matrix,
    like: SamplesByBase | None = None,
    order: NDArray[np.intp] | None = None,
) -> tuple[SamplesByBase, NDArray]:
    """The same, and k(x, x) for each sample."""
    # a kernel without a base, such as a constant, still has to know how many samples
    bases = kernel.bases or {Base.DOT}
    with np.errstate(over="ignore", invalid="ignore"):
        samples = {
            b: PreparedSamples.prepare(b, X, like[b] if like else None) for b in bases
        }
    return samples, checked_diagonal(kernel, samples, order)


def checked_diagonal(
    kernel: Kernel, samples: SamplesByBase, order: NDArray[np.intp] | None = None
) -> NDArray:
    """k(x, x) for each sample; complain where kernel values overflow, by this order.

    |k(x, y)| ≤ √(m(x, x)·m(y, y)) with the majorant m, so its finite diagonal means
    finite values. That of a distance says nothing, but ‖x − y‖² ≤ 2‖x‖² + 2‖y‖².
    """
    majorant = kernel.majorant
    with np.errstate(over="ignore", invalid="ignore"):
        own = largest = diagonal(kernel, samples)
        if majorant is not kernel:
            largest = diagonal(majorant, samples)
    good = np.isfinite(largest)
    for base, some in samples.items():
        if base is Base.SQUARED_DISTANCE:
            good &= some.norms <= np.finfo(some.dtype).max / 4
    check_good(kernel, good, _dtype(samples, samples), order)
    return own


def check_good(
    kernel: Kernel,
    good: NDArray[np.bool_],
    dtype: np.dtype,
    order: NDArray[np.intp] | None = None,
) -> None:
    """Complain about the first sample of which kernel values are not good."""
    if not good.all():
        bad = int(good.argmin())
        row = bad if order is None else int(order[bad])
        better = "" if dtype == np.float64 else ", or use float64"
        raise DataError(
            f"{kernel} overflows {dtype} at sample {row}; "
            "scale the features (divide by their largest value), or use a lower degree"
            f"{better}."
        )


def evaluate(
    kernel: Kernel,
    rows: SamplesByBase,
    columns: SamplesByBase,
    out: NDArray | None = None,
    memory: ThreadMemory | None = None,
) -> NDArray:
    """k(x, y) for all rows and columns."""
    shape = (_count(rows), _count(columns))
    K = np.empty(shape, _dtype(rows, columns)) if out is None else out
    memory = memory or ThreadMemory()

    def fill(tile: tuple[slice, slice]) -> None:
        K[tile] = tile_values(kernel, rows, columns, *tile, memory)

    tiles = stripes(*shape, tile=_tile_of(columns))
    parallel_map(fill, chain.from_iterable(tiles))
    return K


def evaluate_symmetric(
    kernel: Kernel,
    samples: SamplesByBase,
    empty: Callable[[tuple[int, int], np.dtype], NDArray] = np.empty,
    rest: Rest | None = None,
) -> NDArray:
    """k(x, y) for all pairs of one set: upper tiles computed, lower ones mirrored.

    A large matrix is made by ``empty(shape, dtype)``. With a `rest` it is one of
    float32, and the rest takes what values in float64 lose by that.
    """
    n, tile = _count(samples), _tile_of(samples)
    if n <= _FEW and rest is None:
        if n * n * _width(samples) <= _FEW_PRODUCTS:
            return _single_tile(kernel, samples, n)
        tile = n // _SHARES + 1, n
    dtype = _dtype(samples, samples) if rest is None else np.dtype(np.float32)
    K, memory = empty((n, n), dtype), ThreadMemory()

    def fill(tile: tuple[slice, slice]) -> None:
        values = tile_values(kernel, samples, samples, *tile, memory)
        if rest is not None:
            rest.round_off(*tile, values)
        put_symmetric(K, *tile, values)

    tiles = stripes(n, n, symmetric=True, tile=tile)
    parallel_map(fill, chain.from_iterable(tiles))
    return K


def put_symmetric(K: NDArray, i: slice, j: slice, values: NDArray) -> None:
    """Put a tile in its place, and where it is mirrored; the diagonal may be in it."""
    if i.start == j.start:
        mirror(values)
    K[i, j] = values
    below = slice(max(i.stop, j.start), j.stop)
    transpose(values, below.start - j.start, K, below.start, i.start)


def _single_tile(kernel: Kernel, samples: SamplesByBase, n: int) -> NDArray:
    pairs, memory = (slice(0, n), slice(0, n)), ThreadMemory()  # that is used again
    own, *others = samples.values()
    distances = own.base is Base.SQUARED_DISTANCE and not others
    with single_threaded_blas():
        if distances and are_multiplied(own, own):
            dots, norms, _ = dot_tile(own, own, *pairs, memory)
            return kernel.combine_pairs(dots, norms, diagonal(kernel, samples))
        values = tile_values(kernel, samples, samples, *pairs, memory)
    mirror(values)
    return values


def diagonal(
    kernel: Kernel, samples: SamplesByBase, some: slice = slice(None)
) -> NDArray:
    """k(x, x) for each sample, or some, as the diagonal of `evaluate_symmetric`."""
    tiles = {base: s.diagonal[None, some].copy() for base, s in samples.items()}
    values: NDArray = kernel.combine(tiles)[0]
    return values


def set_diagonal(K: NDArray, rows: Rows, columns: Rows, diagonal: NDArray) -> None:
    """Put k(x, x) where a row and a column of a block are the same sample.

    There a product would leave the rounding of ‖x‖² + ‖x‖² − 2x·x.
    """
    own = _numbers(rows, len(diagonal))
    i: NDArray[np.integer]
    j: NDArray[np.integer]
    if columns is rows:
        i = j = np.arange(len(own))
    elif isinstance(columns, slice) and columns.step in (None, 1):
        first, stop, _ = columns.indices(len(diagonal))
        i = np.flatnonzero((first <= own) & (own < stop))
        j = own[i] - first
    else:
        others = _numbers(columns, len(diagonal))
        order = np.argsort(own, kind="stable")
        begin = np.searchsorted(own[order], others, "left")
        times = np.searchsorted(own[order], others, "right") - begin
        j = np.repeat(np.arange(len(others)), times)  # a row may come twice
        skipped = begin - (np.cumsum(times) - times)
        i = order[np.arange(len(j)) + np.repeat(skipped, times)]
    K[i, j] = diagonal[own[i]]


def _numbers(rows: Rows, n: int) -> NDArray[np.integer]:
    return np.arange(n)[rows] if isinstance(rows, slice) else rows


def stripes(
    rows: int, columns: int, symmetric: bool = False, tile: tuple[int, int] = _TILE
) -> list[list[tuple[slice, slice]]]:
    """The tiles of a matrix, one list for each stripe of rows."""
    height, width = tile
    return [
        [
            (slice(i, min(i + height, rows)), slice(j, min(j + width, columns)))
            for j in range(i if symmetric else 0, columns, width)
        ]
        for i in range(0, rows, height)
    ]


def tile_values(
    kernel: Kernel,
    rows: SamplesByBase,
    columns: SamplesByBase,
    i: slice,
    j: slice,
    memory: ThreadMemory | None = None,
) -> NDArray:
    """Kernel values between rows[i] and columns[j], until that memory is used again."""
    memory = memory if len(rows) == 1 else None
    on_diagonal = rows is columns and i.start == j.start
    if rows.keys() == {Base.SQUARED_DISTANCE}:
        (a,), (b,) = rows.values(), columns.values()
        if are_multiplied(a, b):
            values = kernel.combine_products(*dot_tile(a, b, i, j, memory))
            if on_diagonal:
                np.fill_diagonal(values, diagonal(kernel, rows, i))
            return values
    tiles = {base: base_tile(rows[base], columns[base], i, j, memory) for base in rows}
    if on_diagonal:
        for base, tile in tiles.items():
            np.fill_diagonal(tile, rows[base].diagonal[i])
    return kernel.combine(tiles)


def _tile_of(columns: SamplesByBase) -> tuple[int, int]:
    """The size of tiles, before threads multiply them.

    Sparse samples are laid out by feature now: each thread would do so by itself.
    """
    some = [own for own in columns.values() if is_sparse(own.samples)]
    for own in some:
        own.by_feature()
    return _SPARSE_TILE if some else _TILE


def _count(samples: SamplesByBase) -> int:
    return len(next(iter(samples.values())))


def _width(samples: SamplesByBase) -> int:
    """Products of a value; of sparse samples there are few."""
    every = (own.samples for own in samples.values())
    return max(0 if is_sparse(own) else own.shape[1] for own in every)


def _dtype(rows: SamplesByBase, columns: SamplesByBase) -> np.dtype:
    a, b = next(iter(rows.values())), next(iter(columns.values()))
    return np.result_type(a.dtype, b.dtype)
