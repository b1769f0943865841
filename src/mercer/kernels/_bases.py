"""Base matrices: what the members of a family of kernels share.

`PreparedSamples` are samples made ready for one base. In float32, dot products are
summed in groups of features, which round less than one long sum: four groups, or of
wide samples as many as it takes for a group to be short.
Squared distances come from centred samples, since ‖x‖² + ‖y‖² − 2x·y cancels the less
the nearer the origin is. Features that are zero in all samples, as the margin of an
image is once it is centred, add nothing to a product and are left out of it. Samples of
whole numbers need none of this: their products are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._numba import compiled, compiled_reordering
from mercer._thread_memory import ThreadMemory
from mercer._validation import Matrix, Rows, is_sparse
from mercer.kernels._byte_floats import ByteFloats
from mercer.kernels._elementwise import to_squared_distances
from mercer.kernels._quantized import QuantizedSamples
from mercer.kernels._sparse import ByFeature, Lists, dense_if_faster

_GROUPS, _SMALLEST_GROUP = 4, 64  # of features that float32 sums at a time,
_LARGEST_GROUP = 256  # which takes far longer than to add the next group
_FEW_VALUES = 2**15  # in which to look for idle features takes longer than they do
_FIRST_ROWS = 256  # looked at first for features that are in use
_IDLE_SHARE = 0.03  # of all features, up to which leaving them out is not worth a copy


class Base(Enum):
    """The matrix under a family of kernels."""

    DOT = "dot products"
    SQUARED_DISTANCE = "squared distances"
    COSINE = "cosines"


@dataclass(frozen=True, eq=False)
class PreparedSamples:
    """Samples made ready for one base matrix."""

    base: Base
    samples: Matrix  # centred or normalised as the base needs
    diagonal: NDArray  # the base matrix's own diagonal
    norms: NDArray  # squared norms of `samples`
    centre: NDArray | None = None
    group: int | None = None  # features summed at a time; None for all at once
    features: NDArray | None = None  # those that `samples` holds; None for all
    quantized: QuantizedSamples | None = None  # the same, if they are whole numbers
    byte_floats: ByteFloats | None = None  # all there is of them, if they are these

    @classmethod
    def prepare(
        cls, base: Base, X: Matrix, like: PreparedSamples | None = None
    ) -> PreparedSamples:
        """Make X ready; with `like`, for products with those samples."""
        if like is None:
            X = dense_if_faster(X)
            quantized = quantize(base, X)
        else:
            X = _stored_like(X, like.samples)
            quantized = like.quantized
            quantized = None if quantized is None else quantized.on_same_grid(X)
        if quantized is not None:
            return cls.of_quantized(base, quantized, X)
        return cls._of_floats(base, X, None if like is None else like.as_floats())

    @classmethod
    def _of_floats(
        cls, base: Base, X: Matrix, like: PreparedSamples | None = None
    ) -> PreparedSamples:
        centre = None
        if base is Base.SQUARED_DISTANCE:
            if like is not None:
                centre = like.centre
            elif not is_sparse(X):
                centre = centre_of(X)
            X = X if centre is None else X - centre
        norms = diagonal = squared_norms(X)
        if base is Base.COSINE:
            X, diagonal = _normalised(X, norms)
        elif base is Base.SQUARED_DISTANCE:
            diagonal = np.zeros_like(norms)
        features = like.features if like is not None else features_in_use(X)
        if features is not None:
            X = X[:, features]
        # cosines are compared, not exponentiated: their rounding does not grow
        group = None if base is Base.COSINE else _group(X)
        return cls(base, X, diagonal, norms, centre, group, features)

    @classmethod
    def of_quantized(
        cls, base: Base, quantized: QuantizedSamples, X: NDArray
    ) -> PreparedSamples:
        """Samples of whole numbers; X as they came, for `as_floats`."""
        norms = diagonal = quantized.norms(X.dtype)
        if base is Base.SQUARED_DISTANCE:
            diagonal = np.zeros_like(norms)
        return cls(base, X, diagonal, norms, group=_group(X), quantized=quantized)

    @classmethod
    def of_byte_floats(cls, own: ByteFloats) -> PreparedSamples:
        """Samples for squared distances in float64, with no others than themselves."""
        none, norms = np.empty((len(own), 0)), own.norms()
        base, zeros = Base.SQUARED_DISTANCE, np.zeros_like(norms)
        return cls(base, none, zeros, norms, byte_floats=own)

    def as_floats(self) -> PreparedSamples:
        """The same for products with samples that are not whole numbers like these."""
        if self.quantized is None:
            return self
        known: PreparedSamples | None = self.__dict__.get("_floats")
        if known is None:
            known = PreparedSamples._of_floats(self.base, self.samples)
            known = known if self.group else known.in_large_groups()
            object.__setattr__(self, "_floats", known)
        return known

    def by_feature(self) -> ByFeature:
        """Sparse samples, to multiply others with."""
        known: ByFeature | None = self.__dict__.get("_by_feature")
        if known is None:
            known = Lists.of(self.samples).by_feature(self.samples.shape[1])
            object.__setattr__(self, "_by_feature", known)
        return known

    def __len__(self) -> int:
        return len(self.norms)

    @property
    def dtype(self) -> np.dtype:
        return self.norms.dtype

    def take(self, rows: Rows) -> PreparedSamples:
        """Some of the samples."""
        whole, floats = self.quantized, self.byte_floats
        return replace(
            self,
            samples=self.samples[rows],
            diagonal=self.diagonal[rows],
            norms=self.norms[rows],
            quantized=None if whole is None else whole.take(rows),
            byte_floats=None if floats is None else floats.take(rows),
        )

    def in_large_groups(self) -> PreparedSamples:
        """The same with dot products summed in one go, unless samples are wide:
        faster, less exact.
        """
        group = None
        if self.group is not None:
            n_features = self.samples.shape[1]
            wide = group_of_wide(n_features, self.dtype)
            group = wide if wide < n_features else None
        return replace(self, group=group)


def squared_norms(X: Matrix) -> NDArray:
    """‖x‖² of each row, summed in float64, in the type of X; infinite beyond it."""
    norms = np.empty(X.shape[0])
    if is_sparse(X):
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        squares = X.data.astype(np.float64) ** 2
        norms[:] = np.bincount(rows, squares, X.shape[0])
    else:
        _sum_squares(X, norms)
    with np.errstate(over="ignore"):
        return norms.astype(X.dtype)


@compiled_reordering
def _sum_squares(X: NDArray, norms: NDArray) -> None:
    for i in range(len(norms)):
        total = 0.0
        for j in range(X.shape[1]):
            total += np.float64(X[i, j]) * np.float64(X[i, j])
        norms[i] = total


def centre_of(X: NDArray, step: int = 1) -> NDArray:
    """A point amid the samples, or every so many of them: their mean, rounded.

    To a sixteenth of the widest range or so: what is whole in the samples stays whole,
    so that equal distances between whole numbers come out equal, whichever samples the
    mean is taken of. A feature that does not vary is centred to zero.
    """
    low, high, mean = X[0].copy(), X[0].copy(), np.zeros(X.shape[1])
    count = _take_in(X, step, low, high, mean)
    _, exponent = math.frexp(float((high - low).max(initial=0)))
    unit = math.ldexp(1.0, exponent - 5)
    mean = np.rint(mean / (count * unit)) * unit
    centre: NDArray = np.where(low == high, low, mean).astype(X.dtype)
    return centre


@compiled
def _take_in(X: NDArray, step: int, low: NDArray, high: NDArray, total: NDArray) -> int:
    """The range and the sum of each feature, in one pass; of how many samples."""
    count = 0
    for i in range(0, X.shape[0], step):
        count += 1
        for j in range(X.shape[1]):
            low[j], high[j] = min(low[j], X[i, j]), max(high[j], X[i, j])
            total[j] += X[i, j]
    return count


def features_in_use(X: Matrix, centre: NDArray | float = 0) -> NDArray[np.intp] | None:
    """Features that some sample has off the centre; None where these are nearly all."""
    if is_sparse(X) or X.size <= _FEW_VALUES:
        return None
    centre = np.broadcast_to(np.asarray(centre, X.dtype), X.shape[1])
    # most are found in use by one row, or by a few
    idle = np.arange(X.shape[1])
    for n_rows in (1, _FIRST_ROWS, len(X)):
        idle = idle[(X[:n_rows, idle] == centre[idle]).all(axis=0)]
        if len(idle) <= _IDLE_SHARE * X.shape[1]:
            return None
    return np.setdiff1d(np.arange(X.shape[1]), idle)


def base_tile(
    rows: PreparedSamples,
    columns: PreparedSamples,
    i: slice,
    j: slice,
    memory: ThreadMemory | None = None,
) -> NDArray:
    """The base matrix between rows[i] and columns[j], in this memory if given."""
    if are_multiplied(rows, columns):
        tile, *norms = dot_tile(rows, columns, i, j, memory)
        if rows.base is Base.SQUARED_DISTANCE:
            to_squared_distances(tile, *norms)
        return tile
    tile = _empty_tile(rows, columns, i, j, memory)
    if rows.quantized is not None and columns.quantized is not None:
        distances = rows.base is Base.SQUARED_DISTANCE
        rows.quantized.take(i).multiply(columns.quantized.take(j), tile, distances)
    else:
        assert rows.byte_floats is not None
        assert columns.byte_floats is not None
        rows.byte_floats.take(i).find_distances(columns.byte_floats.take(j), tile)
    return tile


def are_multiplied(rows: PreparedSamples, columns: PreparedSamples) -> bool:
    """Whether their base matrix comes from dot products of floats."""
    quantized = rows.quantized is not None and columns.quantized is not None
    bytes_ = rows.byte_floats is not None and columns.byte_floats is not None
    return not (quantized or bytes_)


def dot_tile(
    rows: PreparedSamples,
    columns: PreparedSamples,
    i: slice,
    j: slice,
    memory: ThreadMemory | None = None,
) -> tuple[NDArray, NDArray, NDArray]:
    """x·y between rows[i] and columns[j], multiplied as floats, ‖x‖² and ‖y‖²."""
    rows, columns = rows.as_floats(), columns.as_floats()
    if is_sparse(columns.samples):
        tile = _sparse_dots(rows, columns, i, j, memory)
    else:
        a, b = rows.samples[i], columns.samples[j]
        tile = _grouped_dots(a, b, columns.group or max(1, a.shape[1]), memory)
    return tile, rows.norms[i], columns.norms[j]


def quantize(
    base: Base, X: Matrix, order: NDArray[np.intp] | None = None
) -> QuantizedSamples | None:
    """The samples as whole numbers, if they are and it pays."""
    if base is Base.COSINE or is_sparse(X):
        return None
    return QuantizedSamples.of(X, shifted=base is Base.SQUARED_DISTANCE, order=order)


def _empty_tile(
    rows: PreparedSamples,
    columns: PreparedSamples,
    i: slice,
    j: slice,
    memory: ThreadMemory | None,
) -> NDArray:
    shape = len(rows.norms[i]), len(columns.norms[j])
    dtype = np.result_type(rows.dtype, columns.dtype)
    return np.empty(shape, dtype) if memory is None else memory.array(shape, dtype)


def _sparse_dots(
    rows: PreparedSamples,
    columns: PreparedSamples,
    i: slice,
    j: slice,
    memory: ThreadMemory | None,
) -> NDArray:
    (first, _, _), (start, end, _) = i.indices(len(rows)), j.indices(len(columns))
    tile = _empty_tile(rows, columns, i, j, memory)
    others = columns.by_feature()
    others.multiply(Lists.of(rows.samples), first, (start, end), tile)
    return tile


def _grouped_dots(
    a: NDArray, b: NDArray, width: int, memory: ThreadMemory | None
) -> NDArray:
    out = None
    if memory is not None:
        out = memory.array((len(a), len(b)), np.result_type(a, b))
    tile: NDArray = np.matmul(a[:, :width], b[:, :width].T, out=out)
    add_groups(a, b.T, width, tile)
    return tile


def add_groups(a: NDArray, b: NDArray, width: int, out: NDArray) -> None:
    """Add the products of features beyond the first group, one group at a time."""
    if a.shape[1] <= width:
        return
    product = np.empty_like(out)
    for start in range(width, a.shape[1], width):
        group = slice(start, start + width)
        np.matmul(a[:, group], b[group], out=product)
        out += product


def _stored_like(X: Matrix, other: Matrix) -> Matrix:
    if is_sparse(X) and not is_sparse(other):
        return X.toarray()
    if is_sparse(other) and not is_sparse(X):
        return sparse.csr_array(X)
    return X


def group_of_wide(n_features: int, dtype: np.dtype) -> int:
    """Features to sum at a time where speed counts: all but of wide samples."""
    wide = dtype == np.float32 and n_features > _GROUPS * _LARGEST_GROUP
    return _LARGEST_GROUP if wide else max(1, n_features)


def roundings_of_sum(n_features: int, group: int | None) -> int:
    """How often a term of a dot product is rounded at most, summed in such groups."""
    if group is None or group >= n_features:
        return n_features
    return group + -(-n_features // group)


def _group(X: Matrix) -> int | None:
    if is_sparse(X) or X.dtype == np.float64:
        return None
    return min(_LARGEST_GROUP, max(_SMALLEST_GROUP, -(-X.shape[1] // _GROUPS)))


def _normalised(X: Matrix, norms: NDArray) -> tuple[Matrix, NDArray]:
    limits = np.finfo(X.dtype)
    extreme = ~((norms > limits.tiny / limits.eps) & np.isfinite(norms))
    if extreme.any():
        X = _rescaled(X, extreme)
        norms = squared_norms(X)
    lengths = np.sqrt(norms)
    nonzero = lengths > 0
    # divided, not multiplied by 1/‖x‖: one feature gives exactly 1 or −1
    divisor = np.where(nonzero, lengths, 1).astype(X.dtype)
    if is_sparse(X):
        X = sparse.csr_array(X, copy=True)
        X.data /= np.repeat(divisor, np.diff(X.indptr))
    else:
        X = X / divisor[:, None]
    return X, nonzero.astype(X.dtype)


def _rescaled(X: Matrix, rows: NDArray[np.bool_]) -> Matrix:
    """With these rows divided by their largest value: their squares are no floats."""
    largest = abs(X).max(axis=1)
    largest = np.asarray(largest.todense() if is_sparse(largest) else largest).ravel()
    divisor = np.where(rows & (largest > 0), largest, 1).astype(X.dtype)
    if is_sparse(X):
        return sparse.csr_array(sparse.diags_array(1 / divisor) @ X)
    return X / divisor[:, None]
