"""Products of whole numbers of 16 bits: lists of pairs with tiles of samples.

One row at a time is multiplied with a tile of samples that lie side by side, pair by
pair of its list, so that what is zero in the row costs nothing. The sums stay in
registers and the tile in the cache, from one row to the next.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from mercer._numba import compiled, intrinsic

WIDTH = 32  # samples side by side in a tile
UNROLLED = 2  # pairs at a time; lists are filled up to a multiple of it
_LANES = 8  # of 32 bits, in a vector
_LINE = 64  # bytes that a cache fetches at a time


@compiled
def empty_tiles(n_tiles: int, n_pairs: int) -> Any:
    """Tiles of which each vector lies in one line of the cache."""
    size = n_tiles * n_pairs * WIDTH
    memory = np.zeros(size + _LINE // 4, np.int32)
    first = (_LINE - memory.ctypes.data % _LINE) // 4
    return memory[first : first + size].reshape((n_tiles, n_pairs, WIDTH))


@compiled
def lay_out(starts: Any, entries: Any, tiles: Any, first: int, stop: int) -> None:
    """Write some of the samples of these lists to the tiles, which are zero there."""
    for i in range(first, min(stop, len(starts) - 1)):
        tile, column = tiles[i // WIDTH], i % WIDTH
        for k in range(starts[i], starts[i + 1]):
            # the entries of 0 that fill a list up must not overwrite
            if entries[k, 1] != 0:
                tile[entries[k, 0], column] = entries[k, 1]


@compiled
def gather(starts: Any, entries: Any, squares: Any, rows: Any) -> Any:
    """The lists of some rows, one after the other: far apart they are slow to read."""
    bounds = np.empty(len(rows) + 1, np.int64)
    bounds[0] = 0
    for r in range(len(rows)):
        bounds[r + 1] = bounds[r] + starts[rows[r] + 1] - starts[rows[r]]
    gathered = np.empty((bounds[-1], 2), np.int32)
    own = np.empty((len(rows) + WIDTH - 1) // WIDTH * WIDTH, np.uint32)
    for r in range(len(own)):
        own[r] = squares[rows[r]] if r < len(rows) else np.uint32(0)
    for r in range(len(rows)):
        first = starts[rows[r]]
        for k in range(bounds[r], bounds[r + 1]):
            gathered[k, 0] = entries[first + k - bounds[r], 0]
            gathered[k, 1] = entries[first + k - bounds[r], 1]
    return bounds, gathered, own


@compiled
def pack(starts: Any, entries: Any, squares: Any, n_pairs: int, rows: Any) -> Any:
    """Tiles of some rows, and their ‖q‖²."""
    bounds, lists, own = gather(starts, entries, squares, rows)
    tiles = empty_tiles(len(own) // WIDTH, n_pairs)
    lay_out(bounds, lists, tiles, np.int64(0), np.int64(len(rows)))
    return tiles, own


def _at(address: int, dtype: Any, shape: tuple[int, ...]) -> Any:
    """The array at an address."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = (ctypes.c_char * n_bytes).from_address(int(address))
    return np.frombuffer(memory, dtype).reshape(shape)


def _plain_row_with_tile(distances: bool) -> Any:
    """What `_row_with_tile` has the compiler do, in plain Python."""

    def multiply(
        entries: int,
        count: int,
        tile: int,
        square: int,
        squares: int,
        scale: Any,
        out: int,
    ) -> None:
        total = np.zeros(WIDTH, np.int64)
        for place, pair in _at(entries, np.int32, (count, 2)):
            column = _at(tile + 4 * WIDTH * int(place), np.int16, (WIDTH, 2))
            total += column.astype(np.int64) @ np.array([pair]).view(np.int16)
        if distances:
            others = _at(squares, np.uint32, (WIDTH,)).astype(np.int64)
            total = (int(square) + others - 2 * total) % (1 << 32)
        _at(out, type(scale), (WIDTH,))[:] = total * scale

    return multiply


def _row_with_tile(distances: bool) -> Any:
    """A function for the products, or squared distances, of a row with a tile.

    Vectors are spelled out since the compiler would keep the sums in memory. A product
    of pairs is written so that it becomes the instruction that processors have for it.
    """
    i16, i32, i64 = (ir.IntType(bits) for bits in (16, 32, 64))
    wide, halves = ir.VectorType(i32, _LANES), ir.VectorType(i16, 2 * _LANES)
    products = ir.VectorType(i32, 2 * _LANES)
    vectors = range(WIDTH // _LANES)

    def spread(builder: Any, value: Any, kind: Any) -> Any:
        nothing = ir.Constant(kind, ir.Undefined)
        one = builder.insert_element(nothing, value, ir.Constant(i32, 0))
        return builder.shuffle_vector(one, nothing, ir.Constant(wide, [0] * _LANES))

    def times(builder: Any, a: Any, b: Any) -> Any:
        both = builder.mul(builder.sext(a, products), builder.sext(b, products))
        nothing = ir.Constant(products, ir.Undefined)
        low, high = (
            builder.shuffle_vector(
                both, nothing, ir.Constant(wide, [2 * k + side for k in range(_LANES)])
            )
            for side in (0, 1)
        )
        return builder.add(low, high)

    def sums(builder: Any, entries: Any, count: Any, tile: Any) -> list[Any]:
        before = builder.block
        loop, after = (builder.append_basic_block(name) for name in ("loop", "after"))
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(i64)
        k.add_incoming(ir.Constant(i64, 0), before)
        so_far = [builder.phi(wide) for _ in vectors]
        totals: list[Any] = list(so_far)
        for step in range(UNROLLED):
            entry = builder.gep(entries, [builder.add(k, ir.Constant(i64, step))])
            place, pair = (
                builder.load(builder.gep(entry, [ir.Constant(i32, 0), number]))
                for number in (ir.Constant(i32, 0), ir.Constant(i32, 1))
            )
            pairs = builder.bitcast(spread(builder, pair, wide), halves)
            columns = builder.gep(tile, [builder.sext(place, i64)])
            for v in vectors:
                at = [ir.Constant(i32, 0), ir.Constant(i32, v)]
                column = builder.load(builder.gep(columns, at), align=4)
                product = times(builder, pairs, builder.bitcast(column, halves))
                totals[v] = builder.add(totals[v], product)
        following = builder.add(k, ir.Constant(i64, UNROLLED))
        k.add_incoming(following, loop)
        for phi, total in zip(so_far, totals):
            phi.add_incoming(ir.Constant(wide, [0] * _LANES), before)
            phi.add_incoming(total, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
        builder.position_at_end(after)
        return totals

    @intrinsic(_plain_row_with_tile(distances))
    def multiply(
        typingctx: Any,
        entries: Any,
        count: Any,
        tile: Any,
        square: Any,
        squares: Any,
        scale: Any,
        out: Any,
    ) -> Any:
        """Arguments but `count`, `square` and `scale` are addresses."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            entries, count, tile, square, squares, scale, out = args
            entries = builder.inttoptr(entries, ir.ArrayType(i32, 2).as_pointer())
            tile = builder.inttoptr(tile, ir.ArrayType(wide, len(vectors)).as_pointer())
            squares = builder.inttoptr(squares, wide.as_pointer())
            floats = ir.VectorType(scale.type, _LANES)
            out = builder.inttoptr(out, floats.as_pointer())
            square = spread(builder, square, wide)
            scale = spread(builder, scale, floats)
            for v, total in enumerate(sums(builder, entries, count, tile)):
                at = [ir.Constant(i64, v)]
                if distances:
                    # modulo 2³²: a sum on the way may overflow, the distance cannot
                    other = builder.load(builder.gep(squares, at), align=4)
                    twice = builder.add(total, total)
                    total = builder.sub(builder.add(square, other), twice)
                    value = builder.uitofp(total, floats)
                else:
                    value = builder.sitofp(total, floats)
                value = builder.fmul(value, scale)
                builder.store(value, builder.gep(out, at), align=scale_bytes)
            return context.get_dummy_value()

        scale_bytes = scale.bitwidth // 8
        address = types.uintp
        signature = types.void(
            *(address, types.intp, address, types.uint32),
            *(address, scale, address),
        )
        return signature, generate

    return multiply


_products_with_tile = _row_with_tile(distances=False)
_distances_to_tile = _row_with_tile(distances=True)


@intrinsic(lambda address: None)
def _prefetch(typingctx: Any, address: Any) -> Any:
    """Have the line of the cache at an address fetched, without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i8, i32 = ir.IntType(8), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [i8.as_pointer(), i32, i32, i32])
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", (i8.as_pointer(),), kind
        )
        reading, second_level, data = (ir.Constant(i32, k) for k in (0, 2, 1))
        where = builder.inttoptr(args[0], i8.as_pointer())
        builder.call(fetch, [where, reading, second_level, data])
        return context.get_dummy_value()

    return types.void(types.uintp), generate


@compiled
def _fill(
    starts: Any,
    entries: Any,
    squares: Any,
    tiles: Any,
    other_squares: Any,
    run: tuple[int, int, int],
    out: Any,
    scale: Any,
    distances: bool,
    lower: bool,
) -> None:
    """Products, or squared distances, of all rows with the columns of a run.

    `run` is (first, stop, place): columns among the tiles, and where in `out`; `lower`
    leaves out tiles above the diagonal.
    """
    first, stop, place = run
    cut = np.empty(WIDTH, out.dtype)
    n_rows, n_lines = len(starts) - 1, 4 * tiles.shape[1] * WIDTH // _LINE
    fetched = n_lines // max(1, n_rows) + 1  # of the next tile, with each row
    for t in range(first // WIDTH, (stop + WIDTH - 1) // WIDTH):
        start = t * WIDTH
        low, high = max(first, start), min(stop, start + WIDTH)
        whole, to = high - low == WIDTH, place + low - first
        tile, norms = tiles[t].ctypes.data, other_squares[start:].ctypes.data
        lists, target = entries.ctypes.data, out[:, to:].ctypes.data
        following = tiles[min(t + 1, len(tiles) - 1)].ctypes.data
        for r in range(start if lower else 0, n_rows):
            for line in range(r * fetched, min((r + 1) * fetched, n_lines)):
                _prefetch(following + _LINE * line)
            at, count = lists + 8 * starts[r], starts[r + 1] - starts[r]
            where = target + r * out.strides[0] if whole else cut.ctypes.data
            if distances:
                _distances_to_tile(at, count, tile, squares[r], norms, scale, where)
            else:
                _products_with_tile(at, count, tile, squares[r], norms, scale, where)
            if not whole:
                for j in range(low, high):
                    out[r, to + j - low] = cut[j - start]


@compiled
def multiply(
    starts: Any,
    entries: Any,
    squares: Any,
    rows: Any,
    tiles: Any,
    other_squares: Any,
    runs: Any,
    columns: tuple[int, int],
    out: Any,
    scale: Any,
    distances: bool,
    lower: bool,
) -> None:
    """Products, or squared distances, of some rows with the samples of the tiles.

    `runs` are (place, first, stop): where samples first to stop of the tiles come; of
    these places those within `columns` are computed. `lower`: only below the diagonal,
    and mirrored.
    """
    begin, end = columns
    bounds, lists, own = gather(starts, entries, squares, rows)
    for k in range(len(runs)):
        place, first, stop = runs[k]
        low, high = max(first, first + begin - place), min(stop, first + end - place)
        if low < high:
            run = (low, high, max(place, begin) - begin)
            settings = (run, out, scale, distances, lower)
            _fill(bounds, lists, own, tiles, other_squares, *settings)
    if lower:
        for i in range(len(rows)):
            for j in range(i):
                out[j, i] = out[i, j]
