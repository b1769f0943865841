"""Rows of kernel values that one binary problem keeps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map
from mercer.solvers.svm import _gradient
from mercer.solvers.svm.problem import KernelSource

_FEW = 16  # so few missing rows are computed at once, needed or not
_GATHERED, _ALONE = 256, 512  # rows that a thread gathers, and up to which it is one
_SIDE_BY_SIDE = 16  # of them whose values may be in the same line of a cache
_ROUNDED = 512  # sizes of blocks, so that few need more memory than the last
_IDLE = 2  # rounds without being used
_PLENTY = 2**26  # bytes, up to which all rows are kept


# memory for an array of some shape and type
Empty = Callable[[tuple[int, int], np.dtype], NDArray]


class RowStore:
    """Rows in one array, computed when first needed, the least used replaced when full.

    There are as many as `budget` bytes hold, and at least 8. The memory is reserved at
    once and taken up only as it fills; since fresh memory is slow, a large store fills
    up with rows of free samples only.
    """

    def __init__(self, source: KernelSource, budget: int, empty: Empty) -> None:
        n = source.n_samples
        capacity = int(np.clip(budget // (n * source.dtype.itemsize), min(n, 8), n))
        self.values = empty((capacity, n), source.dtype)
        self.is_large = self.values.nbytes > _PLENTY
        self.is_cheap = self.is_large and source.is_cheap
        self.slots = np.full(n, -1, np.int64)  # where the row of a sample is, or -1
        self.computed = 0
        self._source, self._blocks = source, ThreadMemory()
        self._owner = np.full(capacity, -1, np.int64)
        self._used = np.zeros(capacity, np.int64)
        self._filled = 0
        self._round = 0

    def block(self, members: NDArray[np.int64], spare: int) -> NDArray:
        """The values between `members`, with as many rows and columns to spare.

        They are there until the next block.
        """
        q, side = len(members), len(members) + spare
        if self.is_cheap:
            block = self._room(side)
            self._source.block(members, members, block[:q, :q])
            return block
        missing, fresh = members[self.slots[members] < 0], self.values[:0]
        if len(missing) > _FEW:
            fresh = self._source.block(missing, missing)
        elif len(missing):
            self.fetch(members)
        block = self._room(side)
        slots, away = self.slots[members], np.flatnonzero(self.slots[members] < 0)

        _by_rows(q, partial(_gather, self.values, slots, members, block))
        _by_rows(len(away), partial(_join, block, slots, away, fresh))
        return block

    def _room(self, side: int) -> NDArray:
        """A square, in memory that mostly was used before."""
        most = -(-side // _ROUNDED) * _ROUNDED
        flat = self._blocks.array((most, most), self.values.dtype).reshape(-1)
        return flat[: side * side].reshape(side, side)

    @property
    def unused_bytes(self) -> int:
        """Those of its memory in which there never was a row."""
        return self.values[self._filled :].nbytes

    def unused(self, shape: tuple[int, int], dtype: np.dtype) -> NDArray:
        """An array in this memory, for as long as no more rows are kept."""
        flat = self.values[self._filled :].reshape(-1)
        return flat[: shape[0] * shape[1]].view(dtype).reshape(shape)

    def fetch(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the rows of `members` are, after computing the missing ones."""
        self.touch(members)
        self.compute(members[~self.has(members)])
        return self.slots[members]

    def has(self, members: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whose rows are there."""
        return self.slots[members] >= 0

    def touch(self, members: NDArray[np.int64]) -> None:
        """Begin a round that uses these rows, of which some may be missing."""
        self._round += 1
        slots = self.slots[members]
        self._used[slots[slots >= 0]] = self._round

    def compute(self, missing: NDArray[np.int64]) -> None:
        """Compute rows and keep them."""
        if len(missing) == 0:
            return
        places = self._make_room(missing, None)

        def keep(at: slice, start: int, values: NDArray) -> None:
            _gradient.keep_rows(start, values, self.values, places[at])

        if (np.diff(places) == 1).all():
            rows = self.values[places[0] : places[-1] + 1]
            self._source.block(missing, slice(0, len(self.slots)), out=rows)
        else:
            self._source.visit(missing, keep)
        self._note(missing, places)

    def follow(
        self,
        missing: NDArray[np.int64],
        change: NDArray[np.float64],
        gradient: NDArray[np.float64],
        free: NDArray[np.bool_],
    ) -> None:
        """Compute rows, and take their products with the change from the gradient.

        Only those of free samples are kept, and idle rows of others make place.
        """
        if len(missing) == 0:
            return
        places = self._make_room(missing, free)

        def follow(at: slice, start: int, values: NDArray) -> None:
            known = change[at], start, values, self.values, places[at]
            _gradient.follow_and_keep(gradient, *known)

        self._source.visit(missing, follow)
        self._note(missing, places)

    def _make_room(
        self, missing: NDArray[np.int64], free: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        """Where the row of each goes; -1 where it is not kept."""
        places = np.full(len(missing), -1)
        kept = np.ones(len(missing), np.bool_) if free is None else free[missing]
        places[kept] = self._places(int(kept.sum()), free)
        owners = self._owner[places[kept]]
        self.slots[owners[owners >= 0]] = -1
        return places

    def _note(self, missing: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """These rows were computed, and are there now."""
        kept = places >= 0
        self.computed += len(missing)
        self.slots[missing[kept]] = places[kept]
        self._owner[places[kept]] = missing[kept]
        self._used[places[kept]] = self._round

    def _places(self, count: int, free: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Where so many rows can be put."""
        places = self._idle_places(count, free)
        if len(places) == count:
            return places
        if self._filled + count <= len(self.values):
            self._filled += count
            return np.arange(self._filled - count, self._filled)
        return self._free_places(count)

    def _idle_places(
        self, count: int, free: NDArray[np.bool_] | None
    ) -> NDArray[np.int64]:
        """Places of rows that were not used for a while and are not of free samples.

        To use memory again is faster than to be given more.
        """
        if free is None:
            return np.empty(0, np.int64)
        idle = self._used[: self._filled] < self._round - _IDLE
        return np.flatnonzero(idle & ~free[self._owner[: self._filled]])[:count]

    def _free_places(self, count: int) -> NDArray[np.int64]:
        unused = np.arange(self._filled, len(self.values))
        self._filled = len(self.values)
        oldest = np.argsort(self._used, kind="stable")
        oldest = oldest[~np.isin(oldest, unused)][: count - len(unused)]
        return np.concatenate([unused, oldest])


def _by_rows(count: int, work: Callable[[int, int], None]) -> None:
    """Do the rows of a block, on threads where they are many."""
    if count <= _ALONE:
        work(0, count)
        return
    parallel_map(
        lambda first: work(first, first + _GATHERED), range(0, count, _GATHERED)
    )


@compiled
def _gather(
    stored: NDArray,
    slots: NDArray,
    members: NDArray,
    block: NDArray,
    first: int,
    stop: int,
) -> None:
    """Rows of the block from the stored rows."""
    at = members.astype(np.uint64)  # an unsigned index needs no check of its sign
    for i in range(first, min(stop, len(members))):
        if slots[i] >= 0:
            row, own = stored[slots[i]], block[i]
            for j in range(len(members)):
                own[j] = row[at[j]]


@compiled
def _join(
    block: NDArray,
    slots: NDArray,
    away: NDArray,
    fresh: NDArray,
    first: int,
    stop: int,
) -> None:
    """Rows of the others: from their columns, and `fresh` values between them.

    A few rows at a time: what is read for one is beside what the next one needs.
    """
    for start in range(first, min(stop, len(away)), _SIDE_BY_SIDE):
        some = away[start : min(start + _SIDE_BY_SIDE, stop, len(away))]
        for j in range(len(slots)):
            if slots[j] >= 0:
                for i in range(len(some)):
                    block[some[i], j] = block[j, some[i]]
        for i in range(len(some)):
            row = block[some[i]]
            for j in range(len(away)):
                row[away[j]] = fresh[start + i, j]
