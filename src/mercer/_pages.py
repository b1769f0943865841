"""Large memory that is used again: lent by the system, and given back at leisure.

Fresh pages are cleared one by one, which takes a tenth of a second a gigabyte, and
twenty times as long on virtual machines that have handed them back to their host. What
an array leaves here the system may take whenever it is short of memory; until then the
next array has it at once. It still counts as memory of the process, and as available.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import weakref

import numpy as np
from numpy.typing import NDArray

_LEAST = 2**19  # bytes; less comes from memory that Python's own allocator holds anyway
_MOST_LEFT = 3 * 2**29  # bytes in all
# of a small block, and of these in all: large ones leave them no room otherwise
_SMALL, _MOST_SMALL = 2**25, 2**26
_MOST_TIMES = 8  # as large as what is asked for; more would be held by little
_CAN_LEAVE = hasattr(mmap, "MADV_FREE")  # as Linux can


class _Block(mmap.mmap):
    """Memory of the system; what is left of it is kept up to here."""

    kept = 0


_left: list[_Block] = []  # taken from and added to without a lock: children fork


def reusable_array(shape: tuple[int, ...], dtype: np.dtype) -> NDArray:
    """An array of any content, in memory that is used again after it."""
    n_bytes = math.prod(shape) * dtype.itemsize
    return reusable_bytes(n_bytes)[:n_bytes].view(dtype).reshape(shape)


def reusable_bytes(n_bytes: int) -> NDArray[np.uint8]:
    """So many bytes at least, of any content.

    They are free for others when the last array that shows them is gone.
    """
    if n_bytes < _LEAST or not _CAN_LEAVE:
        return np.empty(n_bytes, np.uint8)
    try:
        memory = _take(n_bytes) or _reserve(n_bytes)
    except OSError:  # as there is not so much, which NumPy says in its own words
        return np.empty(n_bytes, np.uint8)
    array = np.ndarray(len(memory), np.uint8, memory)
    weakref.finalize(array, _leave, memory).atexit = False
    return array


def give_back() -> None:
    """Give the system at once what was left."""
    _left.clear()


def _reserve(n_bytes: int) -> _Block:
    for smaller in [memory for memory in _left if len(memory) < n_bytes]:
        _claim(smaller)  # and it goes: who needs more now will not need less soon
    memory = _Block(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(AttributeError, OSError):  # not every kernel has them
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def _take(n_bytes: int) -> _Block | None:
    """The smallest block that is large enough."""
    for memory in sorted(_left, key=len):
        if n_bytes <= len(memory) <= _MOST_TIMES * n_bytes and _claim(memory):
            return memory
    return None


def _claim(memory: _Block) -> bool:
    """Whether this thread has it now, and no other was faster."""
    try:
        _left.remove(memory)
    except ValueError:
        return False
    return True


def _leave(memory: _Block) -> None:
    """Leave it for others, but for what is too much: that goes at once.

    Where there is no room, the largest makes some, up to the size of what is left.
    """
    small = len(memory) <= _SMALL
    most = _MOST_SMALL if small else _MOST_LEFT
    alike = [other for other in _left if (len(other) <= _SMALL) == small]
    kept = min(len(memory), most)
    lacking = kept - max(0, most - sum(other.kept for other in alike))
    try:
        if lacking > 0:
            largest = max(alike, key=lambda other: other.kept)
            spared = min(lacking, max(0, largest.kept - kept))
            kept -= lacking - (_shrink(largest, spared) if spared >= _LEAST else 0)
        if kept < _LEAST:
            return
        memory.madvise(mmap.MADV_FREE, 0, kept)
        memory.kept = len(memory)
        _shrink_to(memory, kept)
    except OSError:  # a kernel that cannot
        return
    _left.append(memory)


def _shrink(memory: _Block, n_bytes: int) -> int:
    """Give so much of it back, if no other thread has it by now; how much it was."""
    if not _claim(memory):
        return 0
    _shrink_to(memory, memory.kept - n_bytes)
    _left.append(memory)
    return n_bytes


def _shrink_to(memory: _Block, kept: int) -> None:
    start = -(-kept // mmap.PAGESIZE) * mmap.PAGESIZE
    if start < memory.kept:
        memory.madvise(mmap.MADV_DONTNEED, start, memory.kept - start)
    memory.kept = kept
