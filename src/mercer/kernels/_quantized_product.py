"""Products of whole numbers: lists of groups with tiles of samples.

Features that lie side by side make a group of 32 bits: a pair of numbers of 16 bits or,
where all are from 0 to 255 and the processor can multiply them, four of 8 bits. One row
at a time is multiplied with a tile of samples that lie side by side, group by group of
its list, so that what is zero in the row costs nothing. The sums stay in registers and
the tile in the cache, from one row to the next.

Processors multiply numbers without a sign by numbers with one: a tile of bytes has
y − 128 in place of y, and sums begin at 128·Σx.
"""

import ctypes
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from mercer._numba import compiled, cpu_has, intrinsic

PAIR, FOUR = 2, 4  # numbers in a group
# samples side by side in a tile: with fours there are half as many groups in a cache
WIDTH, WIDTH_OF_FOURS = 32, 64
# pairs at a time, of which lists have a multiple; with fours a row is wide enough
UNROLLED = 2
BYTE = 255  # the largest of four
LANES = 8  # of 32 bits, in a vector
_LINE = 64  # bytes that a cache fetches at a time
MIDDLE = 128  # of the numbers of 8 bits,
FLIPPED = np.int32(-0x7F7F7F80)  # which is subtracted from each by turning these bits
MULTIPLIES_BYTES = cpu_has("avx512vnni", "avx512vl") or cpu_has("avxvnni")


@compiled
def width_of(size: int) -> int:
    """Samples side by side in a tile with groups of this size."""
    return WIDTH_OF_FOURS if size == FOUR else WIDTH


@compiled
def empty_tiles(n_samples: int, n_groups: int, size: int) -> Any:
    """Tiles of zeros in groups of this size, each vector in one line of the cache."""
    width = width_of(size)
    n_tiles = (n_samples + width - 1) // width
    count = n_tiles * n_groups * width
    zero = FLIPPED if size == FOUR else np.int32(0)
    memory = np.full(count + _LINE // 4, zero, np.int32)
    first = (_LINE - memory.ctypes.data % _LINE) // 4
    return memory[first : first + count].reshape((n_tiles, n_groups, width))


@compiled
def lay_out(
    starts: Any, entries: Any, tiles: Any, size: int, first: int, stop: int
) -> None:
    """Write some of the samples of these lists to the tiles, which are zero there."""
    flipped = FLIPPED if size == FOUR else np.int32(0)
    width = tiles.shape[2]
    for i in range(first, min(stop, len(starts) - 1)):
        tile, column = tiles[i // width], i % width
        for k in range(starts[i], starts[i + 1]):
            # the entries of 0 that fill a list up must not overwrite
            if entries[k, 1] != 0:
                tile[entries[k, 0], column] = entries[k, 1] ^ flipped


@compiled
def gather(starts: Any, entries: Any, squares: Any, rows: Any) -> Any:
    """The lists of some rows, one after the other: far apart they are slow to read."""
    bounds = np.empty(len(rows) + 1, np.int64)
    bounds[0] = 0
    for r in range(len(rows)):
        bounds[r + 1] = bounds[r] + starts[rows[r] + 1] - starts[rows[r]]
    gathered = np.empty((bounds[-1], 2), np.int32)
    most = WIDTH_OF_FOURS  # and whole tiles of any size
    own = np.empty((len(rows) + most - 1) // most * most, np.uint32)
    for r in range(len(own)):
        own[r] = squares[rows[r]] if r < len(rows) else np.uint32(0)
    for r in range(len(rows)):
        first = starts[rows[r]]
        for k in range(bounds[r], bounds[r + 1]):
            gathered[k, 0] = entries[first + k - bounds[r], 0]
            gathered[k, 1] = entries[first + k - bounds[r], 1]
    return bounds, gathered, own


@compiled
def pack(
    starts: Any, entries: Any, squares: Any, n_groups: int, size: int, rows: Any
) -> Any:
    """Tiles of some rows, and their ‖q‖²."""
    bounds, lists, own = gather(starts, entries, squares, rows)
    tiles = empty_tiles(len(rows), n_groups, size)
    lay_out(bounds, lists, tiles, size, np.int64(0), np.int64(len(rows)))
    return tiles, own


@compiled
def _sums_at_first(starts: Any, entries: Any, size: int) -> Any:
    """What the sums of each row begin at."""
    found = np.zeros(len(starts) - 1, np.int32)
    if size == FOUR:
        for r in range(len(found)):
            total = np.int32(0)
            for k in range(starts[r], starts[r + 1]):
                group = entries[k, 1]
                for byte in range(FOUR):
                    total += (group >> np.int32(8 * byte)) & np.int32(0xFF)
            found[r] = total * np.int32(MIDDLE)
    return found


def array_at(address: int, dtype: Any, shape: tuple[int, ...]) -> Any:
    """The array at an address."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = (ctypes.c_char * n_bytes).from_address(int(address))
    return np.frombuffer(memory, dtype).reshape(shape)


def spread(builder: Any, value: Any, kind: Any) -> Any:
    """A vector of the same value."""
    nothing, i32 = ir.Constant(kind, ir.Undefined), ir.IntType(32)
    one = builder.insert_element(nothing, value, ir.Constant(i32, 0))
    first = ir.Constant(ir.VectorType(i32, LANES), [0] * LANES)
    return builder.shuffle_vector(one, nothing, first)


def plus_bytes(builder: Any, total: Any, a: Any, b: Any) -> Any:
    """To each sum four products are added, of bytes without and with a sign."""
    wide = ir.VectorType(ir.IntType(32), LANES)
    kind = ir.FunctionType(wide, [wide] * 3)
    name = "llvm.x86.avx512.vpdpbusd.256"
    return builder.call(builder.module.declare_intrinsic(name, (), kind), [total, a, b])


def _plain_row_with_tile(distances: bool, size: int) -> Any:
    """What `_row_with_tile` has the compiler do, in plain Python."""
    of_row, of_tile = (np.int16, np.int16) if size == PAIR else (np.uint8, np.int8)
    width = width_of(size)

    def multiply(
        entries: int,
        count: int,
        tile: int,
        at_first: int,
        square: int,
        squares: int,
        scale: Any,
        out: int,
    ) -> None:
        total = np.full(width, at_first, np.int64)
        for place, group in array_at(entries, np.int32, (count, 2)):
            column = array_at(tile + 4 * width * int(place), of_tile, (width, size))
            total += column.astype(np.int64) @ np.array([group]).view(of_row)
        if distances:
            others = array_at(squares, np.uint32, (width,)).astype(np.int64)
            total = (int(square) + others - 2 * total) % (1 << 32)
        array_at(out, type(scale), (width,))[:] = total * scale

    return multiply


def _row_with_tile(distances: bool, size: int) -> Any:
    """A function for the products, or squared distances, of a row with a tile.

    Vectors are spelled out since the compiler would keep the sums in memory. A product
    of pairs is written so that it becomes the instruction that processors have for it;
    that of bytes is named.
    """
    i16, i32, i64 = (ir.IntType(bits) for bits in (16, 32, 64))
    wide, halves = ir.VectorType(i32, LANES), ir.VectorType(i16, 2 * LANES)
    products = ir.VectorType(i32, 2 * LANES)
    vectors, unrolled = range(width_of(size) // LANES), UNROLLED if size == PAIR else 1

    def plus_pairs(builder: Any, total: Any, a: Any, b: Any) -> Any:
        a, b = (builder.bitcast(vector, halves) for vector in (a, b))
        both = builder.mul(builder.sext(a, products), builder.sext(b, products))
        nothing = ir.Constant(products, ir.Undefined)
        low, high = (
            builder.shuffle_vector(
                both, nothing, ir.Constant(wide, [2 * k + side for k in range(LANES)])
            )
            for side in (0, 1)
        )
        return builder.add(total, builder.add(low, high))

    plus = plus_pairs if size == PAIR else plus_bytes

    def sums(
        builder: Any, entries: Any, count: Any, tile: Any, at_first: Any
    ) -> list[Any]:
        before, at_first = builder.block, spread(builder, at_first, wide)
        loop, after = (builder.append_basic_block(name) for name in ("loop", "after"))
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(i64)
        k.add_incoming(ir.Constant(i64, 0), before)
        # a group's sums are its own: a product would wait for the one before it
        so_far = [[builder.phi(wide) for _ in vectors] for _ in range(unrolled)]
        totals: list[list[Any]] = [list(some) for some in so_far]
        for step in range(unrolled):
            entry = builder.gep(entries, [builder.add(k, ir.Constant(i64, step))])
            place, group = (
                builder.load(builder.gep(entry, [ir.Constant(i32, 0), number]))
                for number in (ir.Constant(i32, 0), ir.Constant(i32, 1))
            )
            groups = spread(builder, group, wide)
            columns = builder.gep(tile, [builder.sext(place, i64)])
            for v in vectors:
                at = [ir.Constant(i32, 0), ir.Constant(i32, v)]
                column = builder.load(builder.gep(columns, at), align=4)
                totals[step][v] = plus(builder, totals[step][v], groups, column)
        following = builder.add(k, ir.Constant(i64, unrolled))
        k.add_incoming(following, loop)
        nothing = ir.Constant(wide, [0] * LANES)
        for step in range(unrolled):
            for phi, total in zip(so_far[step], totals[step]):
                phi.add_incoming(nothing if step else at_first, before)
                phi.add_incoming(total, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
        builder.position_at_end(after)
        return [reduce(builder.add, some) for some in zip(*totals)]

    @intrinsic(_plain_row_with_tile(distances, size))
    def multiply(
        typingctx: Any,
        entries: Any,
        count: Any,
        tile: Any,
        at_first: Any,
        square: Any,
        squares: Any,
        scale: Any,
        out: Any,
    ) -> Any:
        """`entries`, `tile`, `squares` and `out` are addresses."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            entries, count, tile, at_first, square, squares, scale, out = args
            entries = builder.inttoptr(entries, ir.ArrayType(i32, 2).as_pointer())
            tile = builder.inttoptr(tile, ir.ArrayType(wide, len(vectors)).as_pointer())
            squares = builder.inttoptr(squares, wide.as_pointer())
            floats = ir.VectorType(scale.type, LANES)
            out = builder.inttoptr(out, floats.as_pointer())
            square = spread(builder, square, wide)
            scale = spread(builder, scale, floats)
            totals = sums(builder, entries, count, tile, at_first)
            for v, total in enumerate(totals):
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
            *(address, types.intp, address, types.int32, types.uint32),
            *(address, scale, address),
        )
        return signature, generate

    return multiply


_products_of_pairs = _row_with_tile(False, PAIR)
_distances_of_pairs = _row_with_tile(True, PAIR)
_products_of_bytes = _row_with_tile(False, FOUR if MULTIPLIES_BYTES else PAIR)
_distances_of_bytes = _row_with_tile(True, FOUR if MULTIPLIES_BYTES else PAIR)


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
    size: int,
) -> None:
    """Products, or squared distances, of all rows with the columns of a run.

    `run` is (first, stop, place): columns among the tiles, and where in `out`; `lower`
    leaves out tiles above the diagonal.
    """
    first, stop, place = run
    width = tiles.shape[2]
    cut = np.empty(width, out.dtype)
    n_rows, n_lines = len(starts) - 1, 4 * tiles.shape[1] * width // _LINE
    at_first = _sums_at_first(starts, entries, size)
    fetched = n_lines // max(1, n_rows) + 1  # of the next tile, with each row
    for t in range(first // width, (stop + width - 1) // width):
        start = t * width
        low, high = max(first, start), min(stop, start + width)
        whole, to = high - low == width, place + low - first
        tile, norms = tiles[t].ctypes.data, other_squares[start:].ctypes.data
        lists, target = entries.ctypes.data, out[:, to:].ctypes.data
        following = tiles[min(t + 1, len(tiles) - 1)].ctypes.data
        for r in range(start if lower else 0, n_rows):
            for line in range(r * fetched, min((r + 1) * fetched, n_lines)):
                _prefetch(following + _LINE * line)
            at, count = lists + 8 * starts[r], starts[r + 1] - starts[r]
            where = target + r * out.strides[0] if whole else cut.ctypes.data
            row = (at, count, tile, at_first[r], squares[r], norms, scale, where)
            if size == FOUR:
                if distances:
                    _distances_of_bytes(*row)
                else:
                    _products_of_bytes(*row)
            elif distances:
                _distances_of_pairs(*row)
            else:
                _products_of_pairs(*row)
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
    size: int,
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
            settings = (run, out, scale, distances, lower, size)
            _fill(bounds, lists, own, tiles, other_squares, *settings)
    if lower:
        for i in range(len(rows)):
            for j in range(i):
                out[j, i] = out[i, j]
