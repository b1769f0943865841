"""Compiled passes over tiles: from a base matrix to kernel values, in place.

The exponential splits x into k·ln 2 + r with |r| ≤ ln(2)/2, evaluates a polynomial in r
and adds k to the exponent bits: plain arithmetic, which the compiler vectorises where a
call to ``exp`` would not be. Adding 1.5·2^(mantissa bits) rounds to a whole number and
leaves it in the low bits. Largest relative error: 2.4e-7 (float32), 1.5e-16 (float64).
"""

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
    shifted = max(x, _FLOOR_32) * _LOG2E_32 + _MAGIC_32
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
    return scaled if x > _FLOOR_32 else _F(0.0)


@compiled_contracting
def _exp_64(x: Any) -> Any:
    shifted = max(x, _FLOOR_64) * _LOG2E_64 + _MAGIC_64
    k = shifted - _MAGIC_64
    r = (x - k * _LN2_HIGH_64) - k * _LN2_LOW_64
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
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
    # a factor of minus infinity would turn t = 0 into NaN
    factor = max(factor, float(np.finfo(tile.dtype).min))
    if tile.dtype == np.float32:
        _exp_scaled_32(tile, _F(factor))
    else:
        _exp_scaled_64(tile, factor)


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


@compiled
def transpose(tile: NDArray, first: int, out: NDArray) -> None:
    """Write columns of the tile, from the first, as rows.

    In squares: lines of memory that are read and written stay in a cache until all of
    their values were used, which NumPy's own copy does not see to.
    """
    for left in range(first, tile.shape[1], _SQUARE):
        for top in range(0, tile.shape[0], _SQUARE):
            for j in range(left, min(left + _SQUARE, tile.shape[1])):
                row = out[j - first]
                for i in range(top, min(top + _SQUARE, tile.shape[0])):
                    row[i] = tile[i, j]


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
