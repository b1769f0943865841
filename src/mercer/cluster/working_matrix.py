"""Kernel values of one working set after the other, in the same memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._thread_memory import ThreadMemory
from mercer.cluster.samples import SamplesByNumber
from mercer.kernels import GramPart, Kernel

_MORE = 1.25  # memory than is needed, when it grows


class WorkingMatrix:
    """The kernel values between the samples of a working set.

    Of the next one only those are computed whose samples are new: sets overlap.
    """

    def __init__(self, kernel: Kernel, dtype: np.dtype, scratch: ThreadMemory) -> None:
        self._kernel, self._dtype, self._scratch = kernel, dtype, scratch
        self.forget()

    def forget(self) -> None:
        """Give the memory back."""
        self._numbers = np.empty(0, np.int64)
        self._memory = np.empty(0, self._dtype)

    @property
    def n_bytes(self) -> int:
        """Of memory."""
        return self._memory.nbytes

    def values(self, numbers: NDArray[np.int64], samples: SamplesByNumber) -> NDArray:
        """Between samples whose numbers count up; valid until the next ones."""
        known = np.isin(numbers, self._numbers)
        old, new = np.flatnonzero(known), np.flatnonzero(~known)
        K = self._moved(numbers, old)
        if len(new):
            order = np.concatenate([new, old])
            part = GramPart.prepare(self._kernel, samples.take(numbers[order]))
            rows = self._scratch.array((len(new), len(numbers)), self._dtype)
            part.block(np.arange(len(new)), slice(0, len(numbers)), out=rows)
            _put_rows(rows, new, order, K)
        return K

    def _moved(self, numbers: NDArray[np.int64], old: NDArray[np.intp]) -> NDArray:
        """A matrix for these numbers, with the values that are known."""
        before, q = np.searchsorted(self._numbers, numbers[old]), len(self._numbers)
        kept = self._scratch.array((len(old), len(old)), self._dtype)
        _take(self._memory[: q * q].reshape(q, q), before, kept)
        q, self._numbers = len(numbers), numbers
        if len(self._memory) < q * q:
            self._memory = np.empty(int(_MORE * q * q), self._dtype)
        K = self._memory[: q * q].reshape(q, q)
        _put(kept, old, K)
        return K


@compiled
def _take(K: NDArray, at: NDArray, out: NDArray) -> None:
    """The values between some samples."""
    for i in range(len(at)):
        row, own = K[at[i]], out[i]
        for j in range(len(at)):
            own[j] = row[at[j]]


@compiled
def _put(values: NDArray, at: NDArray, K: NDArray) -> None:
    """Values between some samples, in their places."""
    for i in range(len(at)):
        row, own = K[at[i]], values[i]
        for j in range(len(at)):
            row[at[j]] = own[j]


@compiled
def _put_rows(rows: NDArray, new: NDArray, order: NDArray, K: NDArray) -> None:
    """Rows of new samples, whose columns come in this order, and their columns."""
    for i in range(len(new)):
        into, values = K[new[i]], rows[i]
        for j in range(len(order)):
            into[order[j]] = values[j]
    for j in range(len(order)):
        into, at = K[order[j]], j
        for i in range(len(new)):
            into[new[i]] = rows[i, at]
