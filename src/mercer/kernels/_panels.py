"""x·y of all pairs of samples in float64, summed in the widest registers there are.

What NumPy multiplies with knows processors by their names: it may be older than the
processor, or told to take another for it, and then has half of their speed. Here sums
stay in registers. Samples lie in panels of 24, feature by feature, so that those of
either side are read one after the other, and each is copied once for all others.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.lib.stride_tricks import as_strided

from mercer._numba import compiled, cpu_has, intrinsic
from mercer.kernels._quantized_product import array_at, spread
from mercer.kernels._stored import copy_centred

LANES, VECTORS, HEIGHT = 8, 3, 8  # numbers in a register, and sums: 8 rows by 3 vectors
SAMPLES = LANES * VECTORS  # of a panel
FEATURES = 256  # of a panel at a time, which a core's cache holds
_SPARE = 8  # numbers: rows a power of two apart would share the same lines of a cache

_BYTES = 8  # of a number
_BLOCK = FEATURES * SAMPLES * _BYTES  # bytes of a panel


@cache  # to ask LLVM takes as long as a tenth of a small fit
def has_wide_registers() -> bool:
    """Whether the processor adds eight products at a time."""
    return cpu_has("avx512f")


def shape_of_panels(n_samples: int, n_features: int) -> tuple[int, int, int, int]:
    """Features at a time, panels of samples, and the features and samples of each."""
    return -(-n_features // FEATURES), -(-n_samples // SAMPLES), FEATURES, SAMPLES


@compiled
def fill_panels(
    X: Any,
    rows: Any,
    centre: Any,
    used: Any,
    panels: Any,
    norms: Any,
    first: int,
    stop: int,
) -> None:
    """Copy the samples of these panels, some features only, without the centre.

    Beyond the last sample there are zeros. `norms` receives squared norms.
    """
    near, own = np.empty((SAMPLES, FEATURES + _SPARE)), np.empty(SAMPLES)
    for panel in range(first, stop):
        start = panel * SAMPLES
        count = min(SAMPLES, len(rows) - start)
        norms[start : start + count] = 0.0
        for block in range(len(panels)):
            some = used[block * FEATURES : (block + 1) * FEATURES]
            here = rows[start : start + count]
            # a plain 0 is a type of its own, for which this would be compiled again
            copy_centred(X, here, centre, some, near, own, np.intp(0), count)
            into = panels[block, panel]
            for k in range(len(some)):
                for sample in range(count):
                    into[k, sample] = near[sample, k]
                for sample in range(count, SAMPLES):
                    into[k, sample] = 0.0
            for sample in range(count):
                norms[start + sample] += own[sample]


def _plain_products(
    rows: int, columns: int, count: int, out: int, n_bytes: int, adds: bool
) -> None:
    """What `_products` has the compiler do, in plain Python."""
    near = array_at(rows, np.float64, ((count - 1) * SAMPLES + HEIGHT,))
    a = as_strided(near, (count, HEIGHT), (SAMPLES * _BYTES, _BYTES))
    b = array_at(columns, np.float64, (count, SAMPLES))
    for i, sums in enumerate(a.T @ b):
        row = array_at(out + i * n_bytes, np.float64, (SAMPLES,))
        row[:] = sums + (row if adds else 0.0)


@intrinsic(_plain_products)
def _products(
    typingctx: Any,
    rows: Any,
    columns: Any,
    count: Any,
    out: Any,
    n_bytes: Any,
    adds: Any,
) -> Any:
    """x·y of 8 samples with 24, over so many features, put into `out` or added to it.

    Arrays are addresses; rows of `out` are so many bytes apart.
    """
    i32, i64 = ir.IntType(32), ir.IntType(64)
    wide, number = ir.VectorType(ir.DoubleType(), LANES), ir.DoubleType()
    kind = ir.FunctionType(wide, [wide] * 3)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, columns, count, out, n_bytes, adds = args
        rows = builder.inttoptr(rows, ir.ArrayType(number, SAMPLES).as_pointer())
        columns = builder.inttoptr(columns, ir.ArrayType(wide, VECTORS).as_pointer())
        multiply_add = builder.module.declare_intrinsic("llvm.fma.v8f64", (), kind)
        nothing = ir.Constant(wide, [0.0] * LANES)
        before = builder.block
        loop, after = (builder.append_basic_block(name) for name in ("loop", "after"))
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(i64)
        k.add_incoming(ir.Constant(i64, 0), before)
        so_far = [[builder.phi(wide) for _ in range(VECTORS)] for _ in range(HEIGHT)]
        far = [
            builder.load(builder.gep(columns, [k, ir.Constant(i32, v)]), align=_BYTES)
            for v in range(VECTORS)
        ]
        sums = []
        for i, phis in enumerate(so_far):
            near = builder.load(builder.gep(rows, [k, ir.Constant(i32, i)]))
            near = spread(builder, near, wide)
            for phi, other in zip(phis, far):
                total = builder.call(multiply_add, [near, other, phi])
                phi.add_incoming(nothing, before)
                phi.add_incoming(total, loop)
                sums.append(total)
        following = builder.add(k, ir.Constant(i64, 1))
        k.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
        builder.position_at_end(after)
        for i in range(HEIGHT):
            at = builder.add(out, builder.mul(n_bytes, ir.Constant(i64, i)))
            at = builder.inttoptr(at, wide.as_pointer())
            for v in range(VECTORS):
                place = builder.gep(at, [ir.Constant(i64, v)])
                there = builder.load(place, align=_BYTES)
                there = builder.select(adds, there, nothing)
                total = builder.fadd(there, sums[i * VECTORS + v])
                builder.store(total, place, align=_BYTES)
        return context.get_dummy_value()

    address = types.uintp
    return types.void(
        *(address, address, types.intp, address, types.intp, types.boolean)
    ), generate


@compiled
def multiply_panels(
    panels: Any, n_features: int, first: int, stop: int, out: Any
) -> None:
    """x·y of the samples of these panels with those of all panels from the first on.

    Left of the diagonal there are zeros, but for what is computed anyway.
    """
    n_blocks, n_panels = panels.shape[:2]
    start, address, n_bytes = first * SAMPLES, panels.ctypes.data, out.strides[0]
    out[:, : (stop - first) * SAMPLES] = 0.0
    cut = np.empty((HEIGHT, SAMPLES))
    for block in range(n_blocks):
        count, adds = min(FEATURES, n_features - block * FEATURES), block > 0
        own = address + block * n_panels * _BLOCK
        for j in range(first, n_panels):
            column = j * SAMPLES - start
            width = min(SAMPLES, out.shape[1] - column)
            for i in range(first, min(stop, j + 1)):
                for near in range(0, SAMPLES, HEIGHT):
                    row = i * SAMPLES - start + near
                    height = min(HEIGHT, len(out) - row)
                    at = own + i * _BLOCK + near * _BYTES
                    known = at, own + j * _BLOCK, count
                    if height == HEIGHT and width == SAMPLES:
                        into = out.ctypes.data + row * n_bytes + column * _BYTES
                        _products(*known, into, n_bytes, adds)
                        continue
                    _products(*known, cut.ctypes.data, cut.strides[0], False)
                    for r in range(height):
                        for c in range(width):
                            before = out[row + r, column + c] if adds else 0.0
                            out[row + r, column + c] = before + cut[r, c]
