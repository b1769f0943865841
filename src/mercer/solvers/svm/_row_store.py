"""Rows of kernel values that one binary problem keeps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map
from mercer.solvers.svm.problem import KernelSource

_FEW = 16  # so few missing rows are computed at once, needed or not
_GATHERED = 256  # rows of a block that a thread gathers at a time


class RowStore:
    """Rows in one array, computed when first needed, the least used replaced when full.

    There are as many as `budget` bytes hold, and at least 8. The memory is reserved at
    once and taken up only as it fills.
    """

    def __init__(self, source: KernelSource, budget: int, memory: ThreadMemory) -> None:
        n = source.n_samples
        capacity = int(np.clip(budget // (n * source.dtype.itemsize), min(n, 8), n))
        self.values = memory.array((capacity, n), source.dtype)
        self.slots = np.full(n, -1, np.int64)  # where the row of a sample is, or -1
        self.computed = 0
        self._source = source
        self._owner = np.full(capacity, -1, np.int64)
        self._used = np.zeros(capacity, np.int64)
        self._filled = 0
        self._round = 0

    def block(self, members: NDArray[np.int64], spare: int) -> NDArray:
        """The values between `members`, with as many rows and columns to spare."""
        missing, fresh = members[self.slots[members] < 0], self.values[:0]
        if len(missing) > _FEW:
            fresh = self._source.block(missing, missing)
        elif len(missing):
            self.fetch(members)
        q = len(members)
        block = np.empty((q + spare, q + spare), self.values.dtype)
        slots, away = self.slots[members], np.flatnonzero(self.slots[members] < 0)

        def gather(first: int) -> None:
            _gather(self.values, slots, members, block, first, first + _GATHERED)

        parallel_map(gather, range(0, q, _GATHERED))
        if len(away):
            _join(block, slots, away, fresh)
        return block

    def fetch(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the rows of `members` are, after computing the missing ones."""
        self._round += 1
        missing = members[self.slots[members] < 0]
        if len(missing):
            self._compute(missing, members)
        slots = self.slots[members]
        self._used[slots] = self._round
        return slots

    def _compute(self, missing: NDArray[np.int64], members: NDArray[np.int64]) -> None:
        count, everything = len(missing), slice(0, len(self.slots))
        self.computed += count
        if self._filled + count <= len(self.values):
            places = np.arange(self._filled, self._filled + count)
            rows = self.values[self._filled : self._filled + count]
            self._source.block(missing, everything, out=rows)
            self._filled += count
        else:
            places = self._free_places(count, members)
            self.values[places] = self._source.block(missing, everything)
        self.slots[missing] = places
        self._owner[places] = missing

    def _free_places(self, count: int, members: NDArray[np.int64]) -> NDArray[np.int64]:
        unused = np.arange(self._filled, len(self.values))
        self._filled = len(self.values)
        kept = self.slots[members]
        self._used[kept[kept >= 0]] = self._round
        oldest = np.argsort(self._used, kind="stable")
        oldest = oldest[~np.isin(oldest, unused)][: count - len(unused)]
        self.slots[self._owner[oldest]] = -1
        return np.concatenate([unused, oldest])


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
def _join(block: NDArray, slots: NDArray, away: NDArray, fresh: NDArray) -> None:
    """The rows of the others: from their columns, and `fresh` values between them."""
    for i in range(len(away)):
        row = block[away[i]]
        for j in range(len(slots)):
            if slots[j] >= 0:
                row[j] = block[j, away[i]]
        for j in range(len(away)):
            row[away[j]] = fresh[i, j]
