"""Samples of whole numbers, and their exact products.

Pixels, counts, flags and decimals of few digits are small whole multiples q of one
step, but for the rounding of each sample. Sums of products of whole numbers are exact
in any order, so they depend on neither tiles nor threads; a core multiplies 16-bit
numbers twice as fast as float32; and where most values are equal, as the background of
images is, they are made zero and left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering
from mercer._threads import parallel_map
from mercer._validation import Rows
from mercer.kernels import _quantized_product
from mercer.kernels._quantized_product import (
    BYTE,
    FOUR,
    MULTIPLIES_BYTES,
    PAIR,
    UNROLLED,
    WIDTH_OF_FOURS,
)

_BLOCK = 512  # samples converted at a time
_MOST_BYTES = 2**29  # of tiles that are laid out before they are needed
_GUESSED_FROM = 16384  # values that the step is guessed from
_THINNED, _TELLING = 16, 500  # of these one in so many, which are telling if so many
_FEWEST_VALUES = 2**17  # that are worth the trouble
_FEWEST_FEATURES = 64  # below which a product of floats is as fast
_MOST_FEATURES = 8192  # above which a tile outgrows the cache
_LARGEST, _LARGEST_SQUARE = 2**15 - 1, 2**30  # of q, and of ‖q‖²
_SHORTEST_STRETCH = 64  # on average, for samples to be multiplied where they are
_FULLEST = 0.75  # share of pairs in use above which a product of floats is as fast
_FINEST_STEP = 64  # in roundings: a finer grid holds whatever is rounded to it
_OFF_GRID = 2.0**-12  # part of itself by which a value may be off the grid,
_ROUNDINGS = 2  # and roundings of the largest value of its sample


@dataclass(frozen=True)
class StepGrid:
    """The values step·(q + origin), from which a sample is off by its own rounding.

    Not by that of larger samples: what a sample is must not depend on others. And no
    value is off by much of itself.
    """

    step: float
    origin: int

    @classmethod
    def guess(cls, few: NDArray, shifted: bool) -> StepGrid | None:
        """The grid on which these values seem to be."""
        step = _guess_step(few)
        if step is None or not _squares_fit(step, few.dtype):
            return None
        if step < _FINEST_STEP * _rounding(few):
            return None
        origin = _most_common(np.rint(few / step)) if shifted else 0
        return cls(step, origin)

    def product_error(self) -> float:
        """How far q·step in float64 can be off, in parts of itself."""
        return 0.0 if np.frexp(self.step)[0] == 0.5 else 2.0**-53


@dataclass(frozen=True, eq=False)
class _GroupLists:
    """Samples on a grid, as lists of the groups of features that are not 0.

    Neighbouring features make a group of 32 bits: two, or four that are bytes.
    """

    grid: StepGrid
    size: int  # of a group
    n_groups: int
    starts: NDArray[np.int64]  # where the list of each sample starts
    entries: NDArray[np.int32]  # (which group, its value)
    squares: NDArray[np.uint32]  # ‖q‖², filled up to whole tiles
    slip: float  # how far samples are from the grid at most

    @classmethod
    def of(
        cls,
        X: NDArray,
        grid: StepGrid,
        order: NDArray[np.intp],
        fullest: float = 1.0,
        size: int | None = None,
    ) -> _GroupLists | None:
        """None if a sample is not on the grid or too large, or the lists too full.

        Groups are as large as numbers and processor let them be, or of this size.
        """
        n, most = len(order), FOUR if MULTIPLIES_BYTES else PAIR
        counts, squares = np.zeros((n + 1, 2), np.int64), np.empty(n, np.float64)
        slips, step, origin = np.empty(n), grid.step, grid.origin
        own_rounding = _ROUNDINGS * float(np.finfo(X.dtype).eps)
        blocks = [(i, min(i + _BLOCK, n)) for i in range(0, n, _BLOCK)]

        def measure(rows: tuple[int, int]) -> int:
            numbers = step, origin, own_rounding, grid.product_error()
            found: int = _measure(X, order, *numbers, counts, squares, slips, *rows)
            return found

        fitting = min(parallel_map(measure, blocks), default=FOUR)
        if fitting == 0 or squares.max(initial=0) >= _LARGEST_SQUARE:
            return None
        if counts[:, 0].sum() > fullest * n * (-(-X.shape[1] // PAIR)):
            return None
        size = min(most, fitting) if size is None else size
        if size > fitting:
            return None
        own = counts[:, 0] if size == PAIR else counts[:, 1]
        at_once = UNROLLED if size == PAIR else 1
        own[1:] = np.maximum(1, -(-own[1:] // at_once)) * at_once
        starts = np.cumsum(own)
        entries = np.zeros((starts[-1], 2), np.int32)

        def convert(rows: tuple[int, int]) -> None:
            _convert(X, order, step, origin, size, starts, entries, *rows)

        parallel_map(convert, blocks)
        filled_up = np.append(squares, np.zeros(-n % WIDTH_OF_FOURS)).astype(np.uint32)
        slip, n_groups = float(np.sqrt(slips.max(initial=0.0))), -(-X.shape[1] // size)
        return cls(grid, size, n_groups, starts, entries, filled_up, slip)

    def tiles(self) -> NDArray[np.int32]:
        """The same for the other side of a product: (tile, group, sample in it)."""
        n, size, known = len(self.starts) - 1, self.size, (self.starts, self.entries)
        tiles = _quantized_product.empty_tiles(n, self.n_groups, size)

        def lay_out(first: int) -> None:
            _quantized_product.lay_out(*known, tiles, size, first, first + _BLOCK)

        parallel_map(lay_out, range(0, n, _BLOCK))
        return tiles

    def take(self, at: NDArray[np.intp]) -> _GroupLists:
        """Some of the samples, copied."""
        lists = self.starts, self.entries, self.squares
        starts, entries, squares = _quantized_product.gather(*lists, at)
        return replace(self, starts=starts, entries=entries, squares=squares)


class QuantizedSamples:
    """Samples, or some of them, that are small whole multiples of one step."""

    def __init__(
        self, lists: _GroupLists, tiles: NDArray[np.int32] | None, at: NDArray[np.intp]
    ) -> None:
        self._lists, self._tiles, self._at = lists, tiles, at
        self._known_runs: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls, X: NDArray, *, shifted: bool, order: NDArray[np.intp] | None = None
    ) -> QuantizedSamples | None:
        """Samples to multiply with, or None if they are not small whole numbers.

        Where only differences count they may be `shifted`, so that the most common
        value is zero.
        """
        if X.size < _FEWEST_VALUES:
            return None
        if not _FEWEST_FEATURES <= X.shape[1] <= _MOST_FEATURES:
            return None
        grid = guess_grid(X, shifted)
        if grid is None:
            return None
        order = np.arange(len(X)) if order is None else order
        lists = _GroupLists.of(X, grid, order, _FULLEST)
        if lists is None:
            return None
        samples = cls(lists, None, np.arange(len(order)))
        return samples if samples.is_huge else samples.laid_out()

    def on_same_grid(self, X: NDArray) -> QuantizedSamples | None:
        """Other samples, to multiply with these; None if they are not like them."""
        at = np.arange(len(X))
        lists = _GroupLists.of(X, self._lists.grid, at, size=self._lists.size)
        return None if lists is None else QuantizedSamples(lists, None, at)

    def __len__(self) -> int:
        return len(self._at)

    @property
    def origin(self) -> float:
        """The value that became zero."""
        return self._lists.grid.origin * self._lists.grid.step

    @property
    def slip(self) -> float:
        """How far a sample can be from what is multiplied in its place."""
        return self._lists.slip

    @property
    def terms(self) -> float:
        """How many groups a sample has, on average."""
        return len(self._lists.entries) / max(1, len(self._lists.starts) - 1)

    def norms(self, dtype: np.dtype) -> NDArray:
        """‖x − origin‖² of each sample."""
        squares: NDArray = self._lists.squares[self._at] * self._lists.grid.step**2
        return squares.astype(dtype)

    def take(self, rows: Rows) -> QuantizedSamples:
        """Some of the samples."""
        return QuantizedSamples(self._lists, self._tiles, self._at[rows])

    @property
    def is_huge(self) -> bool:
        """Whether tiles of all samples are not there, and would take much memory."""
        n_bytes = len(self) * self._lists.n_groups * np.dtype(np.int32).itemsize
        return self._tiles is None and n_bytes > _MOST_BYTES

    def are(self, others: QuantizedSamples) -> bool:
        """Whether these are the same samples, in the same order."""
        return self._lists is others._lists and np.array_equal(self._at, others._at)

    def laid_out(self) -> QuantizedSamples:
        """The same, to be multiplied with often: a copy if they lie in many places."""
        if len(self._runs):
            return self
        lists, n = self._lists, len(self._lists.starts) - 1
        if len(self) != n or (np.diff(self._at) != 1).any():
            lists = lists.take(self._at)
        return QuantizedSamples(lists, lists.tiles(), np.arange(len(self)))

    @property
    def _runs(self) -> NDArray[np.int64]:
        """(place, first, stop) of stretches in the tiles; none where they are short."""
        # no lock: a child that is forked meanwhile would wait for it for ever
        if self._known_runs is None:
            few = len(self) // _SHORTEST_STRETCH + 1
            runs: list[tuple[int, int, int]] = []
            if self._tiles is not None and np.sum(np.diff(self._at) != 1) <= few:
                runs = stretches(self._at)
            self._known_runs = np.array(runs, np.int64).reshape(-1, 3)
        return self._known_runs

    def multiply(
        self,
        others: QuantizedSamples,
        out: NDArray,
        distances: bool,
        start: int = 0,
        stop: int | None = None,
    ) -> None:
        """Write x·y, or ‖x − y‖², between these and the others from start to stop."""
        stop = len(others) if stop is None else stop
        if out.size == 0:
            return
        if out.shape != (len(self), stop - start) or out.strides[1] != out.itemsize:
            raise ValueError("The result needs as many rows and columns, side by side.")
        own, far, runs = self._lists, others._lists, others._runs
        square = self is others and (start, stop) == (0, len(self))
        if len(runs):
            tiles, squares = others._tiles, far.squares
        else:
            at = others._at[start:stop]
            lists = far.starts, far.entries, far.squares
            known = far.n_groups, far.size, at
            tiles, squares = _quantized_product.pack(*lists, *known)
            start, stop = 0, len(at)
            runs = np.array([[0, 0, stop]])
        _quantized_product.multiply(
            *(own.starts, own.entries, own.squares, self._at),
            *(tiles, squares, runs),
            (start, stop),
            out,
            out.dtype.type(own.grid.step**2),
            distances,
            square and runs[0, 1] == 0 and len(runs) == 1,
            own.size,
        )


def guess_grid(X: NDArray, shifted: bool) -> StepGrid | None:
    """The grid on which samples seem to be, by some of them."""
    return StepGrid.guess(X[:: max(1, X.size // _GUESSED_FROM)], shifted)


def few_values(X: NDArray) -> NDArray:
    """Values of some samples, which tell whether all may be whole numbers."""
    few: NDArray = X[:: max(1, X.size // _GUESSED_FROM)].ravel()
    return few


def may_be_quantized(shape: tuple[int, int], values: NDArray) -> bool:
    """Whether samples of this shape with these values, and zeros, seem to be whole."""
    good = shape[0] * shape[1] >= _FEWEST_VALUES
    if not (good and _FEWEST_FEATURES <= shape[1] <= _MOST_FEATURES):
        return False
    few = values[:: max(1, len(values) // _GUESSED_FROM)]
    return StepGrid.guess(np.append(few, values.dtype.type()), False) is not None


def _guess_step(few: NDArray) -> float | None:
    """The step of which these values look like multiples."""
    some = np.unique(few.ravel()[::_THINNED])
    if len(some) >= _TELLING and _step_of(some, _rounding(few)) is None:
        return None
    return _step_of(np.unique(few), _rounding(few))


def _step_of(few: NDArray, own_rounding: float) -> float | None:
    """The same of values that are sorted, each of them once."""
    values = few.astype(np.float64)
    if len(values) < 2:
        return None
    extent = float(values[-1]) - float(values[0])
    largest = max(float(values[-1]), -float(values[0]))
    if not np.isfinite(extent):
        return None
    rounding = 2 * own_rounding
    gaps = np.diff(values)
    gaps = gaps[gaps > rounding]  # others part what was equal before it was rounded
    step = _common_divisor(gaps, extent, rounding)
    if step is not None:
        step = extent / round(extent / step)
        rest = abs(largest - round(largest / step) * step)
        if rest > step / 100:  # as with the numbers -1 and 1, which differ by 2
            step = _common_divisor(np.append(gaps, rest), extent, rounding)
    return None if step is None else float(largest / round(largest / step))


def _rounding(values: NDArray) -> float:
    """How far rounding may take a value off, with some to spare."""
    largest = max(float(values.max()), -float(values.min()))
    return 2 * float(np.finfo(values.dtype).eps) * largest


def _common_divisor(gaps: NDArray, extent: float, rounding: float) -> float | None:
    """Euclid's algorithm; None when the range has too many steps."""
    step = gaps.min(initial=extent)
    while extent <= 2 * _LARGEST * step:
        times = np.rint(gaps / step)
        rest = np.abs(gaps - times * step)
        rest = rest[rest > (1 + times) * rounding]
        if len(rest) == 0:
            return float(step)
        step = rest.min()
    return None


def _squares_fit(step: float, dtype: np.dtype) -> bool:
    limits = np.finfo(dtype)
    largest = float(limits.max) / (4 * _LARGEST_SQUARE)
    return float(limits.tiny) <= step * step <= largest


def _most_common(whole: NDArray) -> int:
    lowest = int(whole.min())
    return lowest + int(np.bincount((whole - lowest).astype(np.int64).ravel()).argmax())


def stretches(at: NDArray[np.intp]) -> list[tuple[int, int, int]]:
    """(place, first, stop) of each stretch in which the numbers count up by one."""
    if len(at) == 0:
        return []
    places = np.concatenate([[0], np.flatnonzero(np.diff(at) != 1) + 1, [len(at)]])
    pairs = zip(places.tolist(), places[1:].tolist())
    return [(i, int(at[i]), int(at[i]) + j - i) for i, j in pairs]


@compiled_reordering
def _measure(
    X: Any,
    order: Any,
    step: float,
    origin: int,
    own_rounding: float,
    product_error: float,
    counts: Any,
    squares: Any,
    slips: Any,
    start: int,
    stop: int,
) -> int:
    """How many may be in a group: 0 where one is not on the grid, 4 if all are bytes.

    Also how many pairs and fours each has, its ‖q‖², and how far off it is.
    """
    n_features, per_step, are_bytes = X.shape[1], 1 / step, True
    row = np.zeros(-(-n_features // FOUR) * FOUR)
    for i in range(start, stop):
        x = X[order[i]]
        off, beyond, square, slip, largest = 0, 0, 0.0, 0.0, 0.0
        for f in range(n_features):
            largest = max(largest, abs(np.float64(x[f])))
        rounding = own_rounding * largest
        for f in range(n_features):
            value = np.float64(x[f])
            q = np.rint(value * per_step)
            wrong = abs(q * step - value)
            off += (wrong > rounding) | (wrong > _OFF_GRID * abs(value))
            off += abs(q - origin) > _LARGEST
            beyond += (q - origin < 0) | (q - origin > BYTE)
            wrong += product_error * abs(value)
            slip += wrong * wrong
            row[f] = q - origin
            square += (q - origin) * (q - origin)
        if off > 0:
            return 0
        are_bytes = are_bytes and beyond == 0
        pairs, fours = 0, 0
        for p in range(0, len(row), FOUR):
            low = (row[p] != 0) | (row[p + 1] != 0)
            high = (row[p + 2] != 0) | (row[p + 3] != 0)
            pairs += low
            pairs += high
            fours += low | high
        counts[i + 1, 0], counts[i + 1, 1] = pairs, fours
        squares[i] = square
        slips[i] = slip
    return FOUR if are_bytes else PAIR


@compiled
def _convert(
    X: Any,
    order: Any,
    step: float,
    origin: int,
    size: int,
    starts: Any,
    entries: Any,
    start: int,
    stop: int,
) -> None:
    n_features, per_step, bits = X.shape[1], 1 / step, 32 // size
    row, mask = np.zeros(-(-n_features // FOUR) * FOUR, np.int32), (1 << bits) - 1
    for i in range(start, stop):
        x = X[order[i]]
        for f in range(n_features):
            row[f] = np.int64(np.rint(np.float64(x[f]) * per_step)) - origin
        at = starts[i]
        for p in range(len(row) // size):
            group = np.int64(0)
            for k in range(size):
                group |= np.int64(row[p * size + k] & mask) << np.int64(bits * k)
            if group != 0:
                entries[at, 0], entries[at, 1] = p, np.int32(group)
                at += 1
