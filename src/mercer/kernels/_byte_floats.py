r"""Bytes that became floats: their squared distances, as exact as float64 needs them.

Pixels p/255 in float32 are bytes q times a step s, but for a rounding e, which products
of bytes leave out. It is a signed byte r times a far smaller step t, but for a
remainder ρ that is some hundred times smaller than e. With x = s·q + t·r + ρ

.. math:: ‖x - y‖² = s²‖q - q'‖² + 2ts·(q - q')·(r - r') + O(‖e‖² + ‖ρ‖‖x - y‖),

and all sums are of whole numbers. A certificate needs no more: what is left out is
bounded (`error`), and three products of bytes take a fifth of one in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from mercer._numba import compiled, intrinsic
from mercer._threads import parallel_map
from mercer._validation import Rows
from mercer.kernels._quantized import StepGrid, guess_grid
from mercer.kernels._quantized_product import (
    BYTE,
    FLIPPED,
    FOUR,
    LANES,
    MIDDLE,
    MULTIPLIES_BYTES,
    WIDTH,
    array_at,
    plus_bytes,
    spread,
)

_BLOCK = 512  # samples converted at a time
_MOST_FEATURES = 8192  # whose sums 32 bits hold with ease
_HIGHEST = 127  # of the bytes with a sign
_FURTHEST = 2.0**-12  # of a step, by which a value may be off
_STEEPEST = 0.43  # of r·exp(−r²)
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class _ByteLists:
    """Groups of four features that are not all 0: (which group, its q, its r)."""

    n_groups: int
    scales: tuple[float, float]  # s² and 2ts
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    squares: NDArray[np.uint32]  # ‖q‖²
    crosses: NDArray[np.int32]  # q·r
    at_first: NDArray[np.int32]  # what sums of a row begin at


class ByteFloats:
    """Some samples, to be multiplied with others of the same set."""

    def __init__(
        self, lists: _ByteLists, at: NDArray[np.intp], remainder: float, rounding: float
    ) -> None:
        self._lists, self._at = lists, at
        self._remainder, self._rounding = remainder, rounding  # most of ‖ρ‖ and ‖e‖

    @classmethod
    def of(cls, X: NDArray, rows: NDArray[np.intp]) -> ByteFloats | None:
        """Some rows of X, in this order, or None if they are no such floats."""
        if not MULTIPLIES_BYTES or X.shape[1] > _MOST_FEATURES or len(rows) == 0:
            return None
        grid = guess_grid(X, shifted=True)
        return None if grid is None else cls._on(grid, X, rows)

    @classmethod
    def _on(
        cls, grid: StepGrid, X: NDArray, rows: NDArray[np.intp]
    ) -> ByteFloats | None:
        n, step = len(rows), grid.step
        zero = float(X.dtype.type(grid.origin * step))
        blocks = [(i, min(i + _BLOCK, n)) for i in range(0, n, _BLOCK)]
        starts = np.zeros(n + 1, np.int64)

        def measure(some: tuple[int, int]) -> float:
            found: float = _measure(X, rows, zero, step, starts, *some)
            return found

        furthest = max(parallel_map(measure, blocks))
        if not furthest <= _FURTHEST * step:
            return None
        fine = max(furthest, np.finfo(np.float64).tiny) / _HIGHEST
        np.cumsum(starts, out=starts)
        entries = np.zeros((starts[-1], 3), np.int32)
        squares, crosses = np.empty(n, np.uint32), np.empty(n, np.int32)
        at_first, lengths = np.empty(n, np.int32), np.empty((n, 3))

        def convert(some: tuple[int, int]) -> None:
            to = starts, entries, squares, crosses, at_first, lengths
            _convert(X, rows, zero, step, fine, *to, *some)

        parallel_map(convert, blocks)
        remainder, rounding, length = np.sqrt(lengths.max(axis=0)).tolist()
        # q·s, t·r and their differences are rounded themselves
        remainder = remainder * (1 + 1e-9) + 4 * _UNIT * length
        scales, n_groups = (step * step, 2 * step * fine), -(-X.shape[1] // FOUR)
        about = starts, entries, squares, crosses, at_first
        lists = _ByteLists(n_groups, scales, *about)
        return cls(lists, np.arange(n), remainder, rounding * (1 + 1e-9))

    def __len__(self) -> int:
        return len(self._at)

    def error(self, gamma: float) -> float:
        """How far exp(−γ‖x − y‖²) can be off by what is left out.

        Of D = ‖x − y‖² that is 4‖ρ‖·√D, and squares of ‖ρ‖ and ‖e‖; √D·exp(−γD) is at
        most 0.43/√γ.
        """
        rest, rounding = self._remainder, self._rounding
        squares = 4 * (rest**2 + (rounding + rest) ** 2)
        off = 4 * rest * _STEEPEST * np.sqrt(gamma) + gamma * squares
        return float(off * np.exp(min(1.0, gamma * squares + off)))

    def norms(self) -> NDArray[np.float64]:
        """‖x‖² of each sample, from the value that is zero."""
        own: NDArray = self._lists.squares[self._at] * self._lists.scales[0]
        return own

    def take(self, rows: Rows) -> ByteFloats:
        """Some of the samples."""
        known = self._remainder, self._rounding
        return ByteFloats(self._lists, self._at[rows], *known)

    def find_distances(self, others: ByteFloats, out: NDArray[np.float64]) -> None:
        """Write ‖x − y‖² between these and the others, of the same set."""
        assert self._lists is others._lists
        lists = self._lists
        about = lists.starts, lists.entries, lists.squares, lists.crosses
        known = about, lists.at_first, lists.n_groups, lists.scales
        if out.size:
            _fill(*known, self._at, others._at, out)


@compiled
def _measure(
    X: Any,
    rows: Any,
    zero: float,
    step: float,
    counts: Any,
    start: int,
    stop: int,
) -> float:
    """How far a value is from its byte at most, infinity if one has none.

    Also of each sample how many groups are not 0, to the place after its own.
    """
    n_features, furthest = X.shape[1], 0.0
    for i in range(start, stop):
        x, count = X[rows[i]], 0
        for first in range(0, n_features, FOUR):
            used = False
            for f in range(first, min(first + FOUR, n_features)):
                value = np.float64(x[f]) - zero
                if value != 0:
                    q = np.rint(value / step)
                    if not 0 <= q <= BYTE:
                        return np.inf
                    furthest = max(furthest, abs(value - q * step))
                    used = True
            count += used
        counts[i + 1] = max(1, count)  # where all is 0, one group of zeros
    return furthest


@compiled
def _convert(
    X: Any,
    rows: Any,
    zero: float,
    step: float,
    fine: float,
    starts: Any,
    entries: Any,
    squares: Any,
    crosses: Any,
    at_first: Any,
    lengths: Any,
    start: int,
    stop: int,
) -> None:
    n_features = X.shape[1]
    for i in range(start, stop):
        x, at = X[rows[i]], starts[i]
        square, cross, total = np.int64(0), np.int64(0), np.int64(0)
        remainder, rounding, length = 0.0, 0.0, 0.0
        for first in range(0, n_features, FOUR):
            group, rest, used = np.int64(0), np.int64(0), False
            for f in range(first, min(first + FOUR, n_features)):
                value = np.float64(x[f]) - zero
                if value != 0:
                    q = np.rint(value / step)
                    off = value - q * step
                    r = np.rint(off / fine)
                    left = off - r * fine
                    remainder += left * left
                    rounding += off * off
                    length += value * value
                    q, r, used = np.int64(q), np.int64(r), True
                    square += q * q
                    cross += q * r
                    total += q
                    shift = np.int64(8 * (f - first))
                    group |= q << shift
                    rest |= (r & np.int64(0xFF)) << shift
            if used:
                entries[at, 0] = first // FOUR
                entries[at, 1], entries[at, 2] = np.int32(group), np.int32(rest)
                at += 1
        squares[i], crosses[i], at_first[i] = square, cross, MIDDLE * total
        lengths[i, 0], lengths[i, 1], lengths[i, 2] = remainder, rounding, length


def _plain_distances(
    entries: int,
    count: int,
    bytes_of_tile: int,
    rests_of_tile: int,
    at_first: int,
    square: int,
    cross: int,
    squares: int,
    crosses: int,
    coarse: float,
    fine: float,
    out: int,
) -> None:
    """What `_distances` has the compiler do, in plain Python."""
    products, both = np.full(WIDTH, at_first, np.int64), np.zeros(WIDTH, np.int64)
    for place, group, rest in array_at(entries, np.int32, (count, 3)):
        q, r = (np.array([some]) for some in (group, rest))
        far_q, far_r = (
            array_at(tile + 4 * WIDTH * int(place), np.int8, (WIDTH, FOUR))
            for tile in (bytes_of_tile, rests_of_tile)
        )
        far_q, far_r = far_q.astype(np.int64), far_r.astype(np.int64)
        products += far_q @ q.view(np.uint8)
        both += far_r @ q.view(np.uint8) + (far_q + MIDDLE) @ r.view(np.int8)
    others = array_at(squares, np.uint32, (WIDTH,)).astype(np.int64)
    far = array_at(crosses, np.int32, (WIDTH,)).astype(np.int64)
    total = (int(square) + others - 2 * products) * coarse
    total = total + (int(cross) + far - both) * fine
    array_at(out, np.float64, (WIDTH,))[:] = np.maximum(total, 0.0)


@intrinsic(_plain_distances)
def _distances(
    typingctx: Any,
    entries: Any,
    count: Any,
    bytes_of_tile: Any,
    rests_of_tile: Any,
    at_first: Any,
    square: Any,
    cross: Any,
    squares: Any,
    crosses: Any,
    coarse: Any,
    fine: Any,
    out: Any,
) -> Any:
    """Squared distances of a row, with one group at least, to a tile.

    Arrays are addresses; `at_first` is what sums begin at, `square` and `cross` are
    ‖q‖² and q·r, and `coarse` and `fine` what whole numbers are multiplied by.
    """
    i32, i64, f64 = ir.IntType(32), ir.IntType(64), ir.DoubleType()
    wide, floats = ir.VectorType(i32, LANES), ir.VectorType(f64, LANES)
    vectors = range(WIDTH // LANES)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        entries, count, *tiles, at_first, square, cross = args[:7]
        squares, crosses, coarse, fine, out = args[7:]
        entries = builder.inttoptr(entries, ir.ArrayType(i32, 3).as_pointer())
        kind = ir.ArrayType(wide, len(vectors)).as_pointer()
        tiles = [builder.inttoptr(tile, kind) for tile in tiles]
        squares, crosses = (
            builder.inttoptr(some, wide.as_pointer()) for some in (squares, crosses)
        )
        out = builder.inttoptr(out, floats.as_pointer())
        at_first, square, cross = (
            spread(builder, value, wide) for value in (at_first, square, cross)
        )
        coarse, fine = (spread(builder, value, floats) for value in (coarse, fine))
        flipped = ir.Constant(wide, [int(FLIPPED)] * LANES)
        nothing = ir.Constant(wide, [0] * LANES)
        before = builder.block
        loop, after = (builder.append_basic_block(name) for name in ("loop", "after"))
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(i64)
        k.add_incoming(ir.Constant(i64, 0), before)
        so_far = [[builder.phi(wide) for _ in vectors] for _ in range(3)]
        sums: list[list[Any]] = [list(some) for some in so_far]
        entry = builder.gep(entries, [k])
        place, group, rest = (
            builder.load(builder.gep(entry, [ir.Constant(i32, 0), ir.Constant(i32, m)]))
            for m in range(3)
        )
        group, rest = (spread(builder, some, wide) for some in (group, rest))
        far = [builder.gep(tile, [builder.sext(place, i64)]) for tile in tiles]
        for v in vectors:
            at = [ir.Constant(i32, 0), ir.Constant(i32, v)]
            q, r = (builder.load(builder.gep(some, at), align=4) for some in far)
            sums[0][v] = plus_bytes(builder, sums[0][v], group, q)
            sums[1][v] = plus_bytes(builder, sums[1][v], group, r)
            unsigned = builder.xor(q, flipped)
            sums[2][v] = plus_bytes(builder, sums[2][v], unsigned, rest)
        following = builder.add(k, ir.Constant(i64, 1))
        k.add_incoming(following, loop)
        for which, (phis, totals) in enumerate(zip(so_far, sums)):
            for phi, total in zip(phis, totals):
                phi.add_incoming(nothing if which else at_first, before)
                phi.add_incoming(total, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
        builder.position_at_end(after)
        for v in vectors:
            at = [ir.Constant(i64, v)]
            products, one, two = (some[v] for some in sums)
            other, far_cross = (
                builder.load(builder.gep(some, at), align=4)
                for some in (squares, crosses)
            )
            # modulo 2³²: a sum on the way may overflow, the distance cannot
            twice = builder.add(products, products)
            whole = builder.sub(builder.add(square, other), twice)
            both = builder.sub(builder.add(cross, far_cross), builder.add(one, two))
            value = builder.fadd(
                builder.fmul(builder.uitofp(whole, floats), coarse),
                builder.fmul(builder.sitofp(both, floats), fine),
            )
            zero = ir.Constant(floats, [0.0] * LANES)
            value = builder.select(builder.fcmp_ordered(">", value, zero), value, zero)
            builder.store(value, builder.gep(out, at), align=8)
        return context.get_dummy_value()

    address, number = types.uintp, types.float64
    return types.void(
        *(address, types.intp, address, address),
        *(types.int32, types.uint32, types.int32),
        *(address, address, number, number, address),
    ), generate


@compiled
def _fill(
    about: Any,
    at_first: Any,
    n_groups: int,
    scales: tuple[float, float],
    rows: Any,
    columns: Any,
    out: Any,
) -> None:
    """Squared distances of some rows to some columns, a tile of these at a time."""
    starts, entries, squares, crosses = about
    tile_q = np.empty((n_groups, WIDTH), np.int32)
    tile_r = np.empty((n_groups, WIDTH), np.int32)
    own_squares, own_crosses = np.zeros(WIDTH, np.uint32), np.zeros(WIDTH, np.int32)
    cut, lists = np.empty(WIDTH), entries.ctypes.data
    for first in range(0, len(columns), WIDTH):
        n = min(WIDTH, len(columns) - first)
        tile_q[:] = FLIPPED
        tile_r[:] = 0
        for c in range(n):
            sample = columns[first + c]
            own_squares[c], own_crosses[c] = squares[sample], crosses[sample]
            for k in range(starts[sample], starts[sample + 1]):
                tile_q[entries[k, 0], c] = entries[k, 1] ^ FLIPPED
                tile_r[entries[k, 0], c] = entries[k, 2]
        for i in range(len(rows)):
            row = rows[i]
            where = out[i, first:].ctypes.data if n == WIDTH else cut.ctypes.data
            _distances(
                lists + 12 * starts[row],
                starts[row + 1] - starts[row],
                tile_q.ctypes.data,
                tile_r.ctypes.data,
                *(at_first[row], squares[row], crosses[row]),
                own_squares.ctypes.data,
                own_crosses.ctypes.data,
                *scales,
                where,
            )
            if n < WIDTH:
                for c in range(n):
                    out[i, first + c] = cut[c]
