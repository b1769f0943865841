"""Compiled passes over tiles: from a base matrix to kernel values, in place.

The exponential splits x into k·ln 2 + r with |r| ≤ ln(2)/2, evaluates a polynomial in r
and adds k to the exponent bits: plain arithmetic, which the compiler vectorises where a
call to ``exp`` would not be. Adding 1.5·2^(mantissa bits) rounds to a whole number and
leaves it in the low bits. Largest relative error: 2.4e-7 (float32), 1.7e-16 (float64).
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_contracting, intrinsic

_F = np.float32
_LOG2E_32, _MAGIC_32 = _F(1.4426950408889634), _F(12582912.0)
_LN2_HIGH_32, _LN2_LOW_32 = _F(0.693359375), _F(-2.12194440e-4)
_FLOOR_32 = _F(-87.0)  # below it the result would be subnormal: flushed to zero
_LOG2E_64, _MAGIC_64 = 1.4426950408889634, 6755399441055744.0
_LN2_HIGH_64, _LN2_LOW_64 = 0.6931471803691238, 1.9082149292705877e-10
_FLOOR_64 = -708.0
_SQUARE = 8  # rows and columns that are transposed together


def _view(value: Any, kind: str) -> Any:
    number = np.asarray(value)
    return number.view(f"{kind}{number.itemsize}")[()]


@intrinsic(lambda value: _view(value, "i"))
def _bits(typingctx: Any, value: Any) -> Any:
    """The bits of a float as a signed integer of the same width."""
    width = value.bitwidth
    integer = types.int32 if width == 32 else types.int64

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(width))

    return integer(value), generate


@intrinsic(lambda value: _view(value, "f"))
def _from_bits(typingctx: Any, value: Any) -> Any:
    """The float that has these bits."""
    number = types.float32 if value.bitwidth == 32 else types.float64
    kind = ir.FloatType() if value.bitwidth == 32 else ir.DoubleType()

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], kind)

    return number(value), generate


@compiled_contracting
def _exp_32(x: Any) -> Any:
    shifted = x * _LOG2E_32 + _MAGIC_32
    k = shifted - _MAGIC_32
    r = (x - k * _LN2_HIGH_32) - k * _LN2_LOW_32
    p = _F(1.3981999e-3)
    p = p * r + _F(8.3334519e-3)
    p = p * r + _F(4.1665796e-2)
    p = p * r + _F(1.6666666e-1)
    p = p * r + _F(0.5)
    p = p * r + _F(1.0)
    p = p * r + _F(1.0)
    scaled = _from_bits(np.int32(_bits(p) + np.int32(_bits(shifted) << np.int32(23))))
    return scaled if x > _FLOOR_32 else _F(0.0)  # and what is no number there is gone


@compiled_contracting
def _exp_64(x: Any) -> Any:
    shifted = x * _LOG2E_64 + _MAGIC_64
    k = shifted - _MAGIC_64
    r = (x - k * _LN2_HIGH_64) - k * _LN2_LOW_64
    # by interpolation between |r| ≤ ln(2)/2: Taylor's would take two terms more
    p = 2.510038549551032e-08
    p = p * r + 2.7620088445409746e-07
    p = p * r + 2.7557268459997064e-06
    p = p * r + 2.4801521295954376e-05
    p = p * r + 0.00019841269863053618
    p = p * r + 0.0013888888917213717
    p = p * r + 0.008333333333330062
    p = p * r + 0.04166666666662413
    p = p * r + 0.16666666666666669
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    scaled = _from_bits(_bits(p) + (_bits(shifted) << np.int64(52)))
    return scaled if x > _FLOOR_64 else 0.0


@compiled_contracting
def _exp_scaled_32(tile: NDArray, factor: Any) -> None:
    for i in range(tile.shape[0]):
        row = tile[i]
        for j in range(row.shape[0]):
            row[j] = _exp_32(row[j] * factor)


@compiled_contracting
def _exp_scaled_64(tile: NDArray, factor: Any) -> None:
    for i in range(tile.shape[0]):
        row = tile[i]
        for j in range(row.shape[0]):
            row[j] = _exp_64(row[j] * factor)


def exp_scaled(tile: NDArray, factor: float) -> None:
    """Replace t ≥ 0 by exp(factor·t), factor ≤ 0."""
    if len(tile) == 1 and not tile.any():  # a diagonal, for which nothing is compiled
        tile[:] = 1
        return
    # a factor of minus infinity would turn t = 0 into NaN
    factor = max(factor, float(np.finfo(tile.dtype).min))
    if tile.dtype == np.float32:
        _exp_scaled_32(tile, _F(factor))
    else:
        _exp_scaled_64(tile, factor)


@compiled_contracting
def _gaussian_32(
    dots: NDArray, norms_rows: NDArray, norms_columns: NDArray, factor: Any
) -> None:
    for i in range(dots.shape[0]):
        row, norm = dots[i], norms_rows[i]
        for j in range(row.shape[0]):
            distance = max((norm + norms_columns[j]) - _F(2.0) * row[j], _F(0.0))
            row[j] = _exp_32(distance * factor)


@compiled_contracting
def _gaussian_64(
    dots: NDArray, norms_rows: NDArray, norms_columns: NDArray, factor: Any
) -> None:
    for i in range(dots.shape[0]):
        row, norm = dots[i], norms_rows[i]
        for j in range(row.shape[0]):
            distance = max((norm + norms_columns[j]) - 2.0 * row[j], 0.0)
            row[j] = _exp_64(distance * factor)


def gaussian_of_products(
    dots: NDArray, norms_rows: NDArray, norms_columns: NDArray, factor: float
) -> None:
    """`to_squared_distances` and `exp_scaled` in one pass."""
    factor = max(factor, float(np.finfo(dots.dtype).min))
    if dots.dtype == np.float32:
        _gaussian_32(dots, norms_rows, norms_columns, _F(factor))
    else:
        _gaussian_64(dots, norms_rows, norms_columns, factor)


@compiled_contracting
def _gaussian_of_pairs(
    dots: NDArray, norms: NDArray, factor: float, diagonal: NDArray
) -> None:
    for i in range(len(dots)):
        right, others, norm = dots[i, i + 1 :], norms[i + 1 :], norms[i]
        for j in range(len(right)):
            distance = max((norm + others[j]) - 2.0 * right[j], 0.0)
            right[j] = _exp_64(distance * factor)
    for i in range(len(dots)):
        dots[i, i] = diagonal[i]
        for j in range(i):
            dots[i, j] = dots[j, i]


def gaussian_of_pairs(
    dots: NDArray, norms: NDArray, factor: float, diagonal: NDArray
) -> None:
    """The same for all pairs of a few samples, in float64, with this diagonal."""
    factor = max(factor, float(np.finfo(dots.dtype).min))
    _gaussian_of_pairs(dots, norms, factor, diagonal)


@compiled
def to_squared_distances(
    dots: NDArray, norms_rows: NDArray, norms_columns: NDArray
) -> None:
    """Replace x·y by ‖x‖² + ‖y‖² − 2x·y, never below zero."""
    zero, two = dots.dtype.type(0), dots.dtype.type(2)
    for i in range(dots.shape[0]):
        row = dots[i]
        norm = norms_rows[i]
        for j in range(row.shape[0]):
            row[j] = max((norm + norms_columns[j]) - two * row[j], zero)


@compiled
def mirror(tile: NDArray) -> None:
    """Make the square at the left symmetric, by what is above its diagonal."""
    for i in range(1, tile.shape[0]):
        for j in range(i):
            tile[i, j] = tile[j, i]


@compiled
def put_diagonal(tile: NDArray, rows: NDArray, first: int, diagonal: NDArray) -> None:
    """Put k(x, x) where a row is the sample of a column; these count from the first."""
    for i in range(len(rows)):
        j = rows[i] - first
        if 0 <= j < tile.shape[1]:
            tile[i, j] = diagonal[rows[i]]


def _plain_turn(
    source: int, row_bytes: int, out: int, out_bytes: int, given: Any, wanted: Any
) -> None:
    """What `_turn` has the compiler do, in plain Python."""

    def number(address: int, value: Any) -> Any:
        kind = ctypes.c_float if value.itemsize == 4 else ctypes.c_double
        return kind.from_address(int(address))

    for i in range(_SQUARE):
        for j in range(_SQUARE):
            value = number(source + i * row_bytes + j * given.itemsize, given)
            place = number(out + j * out_bytes + i * wanted.itemsize, wanted)
            place.value = value.value


@intrinsic(_plain_turn)
def _turn(
    typingctx: Any,
    source: Any,
    row_bytes: Any,
    out: Any,
    out_bytes: Any,
    given: Any,
    wanted: Any,
) -> Any:
    """Write a square's columns as rows; `given` and `wanted` tell the types.

    Row by row its values are in registers, and two by two these exchange a half, then
    quarters, then eighths of theirs.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, row_bytes, out, out_bytes, _, _ = args
        kinds = [context.get_value_type(kind) for kind in (given, wanted)]
        vectors = [ir.VectorType(kind, _SQUARE) for kind in kinds]
        places, i64 = range(_SQUARE), ir.IntType(64)

        def row(start: Any, n_bytes: Any, k: int, vector: Any) -> Any:
            at = builder.add(start, builder.mul(n_bytes, ir.Constant(i64, k)))
            return builder.inttoptr(at, vector.as_pointer())

        def mixed(a: Any, b: Any, chosen: list[int]) -> Any:
            mask = ir.Constant(ir.VectorType(ir.IntType(32), _SQUARE), chosen)
            return builder.shuffle_vector(a, b, mask)

        rows = [
            builder.load(row(source, row_bytes, k, vectors[0]), align=given_bytes)
            for k in places
        ]
        if given_bytes > wanted_bytes:
            rows = [builder.fptrunc(one, vectors[1]) for one in rows]
        elif given_bytes < wanted_bytes:
            rows = [builder.fpext(one, vectors[1]) for one in rows]
        far = _SQUARE // 2
        while far:
            for i in (k for k in places if not k & far):
                a, b = rows[i], rows[i + far]
                low = [k if not k & far else k - far + _SQUARE for k in places]
                high = [k + far if not k & far else k + _SQUARE for k in places]
                rows[i], rows[i + far] = mixed(a, b, low), mixed(a, b, high)
            far //= 2
        for k in places:
            to = row(out, out_bytes, k, vectors[1])
            builder.store(rows[k], to, align=wanted_bytes)
        return context.get_dummy_value()

    given_bytes, wanted_bytes = given.bitwidth // 8, wanted.bitwidth // 8
    address, distance = types.uintp, types.intp
    return types.void(address, distance, address, distance, given, wanted), generate


@compiled
def transpose(tile: NDArray, first: int, out: NDArray, row: int, column: int) -> None:
    """Write columns of the tile, from the first, as rows: from this place in `out` on.

    In squares: lines of memory that are read and written stay in a cache until all of
    their values were used, which NumPy's own copy does not see to.
    """
    height, width = tile.shape[0], tile.shape[1] - first
    side_by_side = tile.strides[1] == tile.itemsize and out.strides[1] == out.itemsize
    whole_rows = height - height % _SQUARE if side_by_side else 0
    whole_columns = width - width % _SQUARE
    given, wanted = tile.dtype.type(0), out.dtype.type(0)
    size, out_size = tile.itemsize, out.itemsize
    source = tile.ctypes.data + first * size
    target = out.ctypes.data + row * out.strides[0] + column * out_size
    for left in range(0, whole_columns, _SQUARE):
        for top in range(0, whole_rows, _SQUARE):
            _turn(
                source + top * tile.strides[0] + left * size,
                tile.strides[0],
                target + left * out.strides[0] + top * out_size,
                out.strides[0],
                given,
                wanted,
            )
    for j in range(width):
        for i in range(whole_rows if j < whole_columns else 0, height):
            out[row + j, column + i] = tile[i, first + j]


@compiled
def _affine_power(tile: NDArray, scale: Any, offset: Any, degree: int) -> None:
    # by repeated squaring along each row, so that the inner loops vectorise
    width = tile.shape[1]
    square = np.empty(width, tile.dtype)
    for i in range(tile.shape[0]):
        row = tile[i]
        for j in range(width):
            square[j] = scale * row[j] + offset
            row[j] = tile.dtype.type(1)
        left = degree
        while left > 0:
            if left & 1:
                for j in range(width):
                    row[j] *= square[j]
            left >>= 1
            if left > 0:
                for j in range(width):
                    square[j] *= square[j]


def affine_power(tile: NDArray, scale: float, offset: float, degree: int) -> None:
    """Replace t by (scale·t + offset)^degree."""
    number = tile.dtype.type
    _affine_power(tile, number(scale), number(offset), degree)
