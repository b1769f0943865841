"""Rows of kernel values that one binary problem keeps."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer.solvers.svm.problem import KernelSource

_FEW = 16  # so few missing rows are computed at once, needed or not


class RowMemory:
    """Memory that a thread's problems use one after the other.

    The system hands out fresh memory page by page, which takes a tenth of the time that
    it takes to compute what goes into it.
    """

    def __init__(self) -> None:
        self._own = threading.local()

    def array(self, shape: tuple[int, int], dtype: np.dtype) -> NDArray:
        """An array; the one that this thread was given before is no longer its own."""
        n_bytes = shape[0] * shape[1] * dtype.itemsize
        memory: NDArray[np.uint8] | None = getattr(self._own, "memory", None)
        if memory is None or len(memory) < n_bytes:
            memory = self._own.memory = np.empty(n_bytes, np.uint8)
        return memory[:n_bytes].view(dtype).reshape(shape)


class RowStore:
    """Rows in one array, computed when first needed, the least used replaced when full.

    The memory is reserved at once and taken up only as it fills.
    """

    def __init__(self, source: KernelSource, capacity: int, memory: RowMemory) -> None:
        n = source.n_samples
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
        block: NDArray = _join_block(
            self.values, self.slots[members], members, fresh, spare
        )
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
def _join_block(
    stored: NDArray, slots: NDArray, members: NDArray, fresh: NDArray, spare: int
) -> NDArray:
    """The block's matrix from stored rows and, between the others, `fresh` values."""
    q = len(members)
    block = np.empty((q + spare, q + spare), stored.dtype)
    at = members.astype(np.uint64)  # an unsigned index needs no check of its sign
    away = np.empty(q, np.int64)
    n_away = 0
    for i in range(q):
        if slots[i] < 0:
            away[n_away] = i
            n_away += 1
        else:
            row = stored[slots[i]]
            for j in range(q):
                block[i, j] = row[at[j]]
    for i in range(n_away):
        row = block[away[i]]
        for j in range(q):
            if slots[j] >= 0:
                row[j] = block[j, away[i]]
        for j in range(n_away):
            row[away[j]] = fresh[i, j]
    return block
