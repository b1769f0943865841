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

_LEAST = 2**22  # bytes; less comes from memory that Python's own allocator holds anyway
_MOST_LEFT = 3 * 2**29  # bytes in all
# of a small block, and of these in all: large ones leave them no room otherwise
_SMALL, _MOST_SMALL = 2**25, 2**26
_MOST_TIMES = 8  # as large as what is asked for; more would be held by little
_CAN_LEAVE = hasattr(mmap, "MADV_FREE")  # as Linux can

_left: list[mmap.mmap] = []  # taken from and added to without a lock: children fork


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


def _reserve(n_bytes: int) -> mmap.mmap:
    for smaller in [memory for memory in _left if len(memory) < n_bytes]:
        _claim(smaller)  # and it goes: who needs more now will not need less soon
    memory = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(AttributeError, OSError):  # not every kernel has them
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def _take(n_bytes: int) -> mmap.mmap | None:
    """The smallest block that is large enough."""
    for memory in sorted(_left, key=len):
        if n_bytes <= len(memory) <= _MOST_TIMES * n_bytes and _claim(memory):
            return memory
    return None


def _claim(memory: mmap.mmap) -> bool:
    """Whether this thread has it now, and no other was faster."""
    try:
        _left.remove(memory)
    except ValueError:
        return False
    return True


def _leave(memory: mmap.mmap) -> None:
    """Leave it for others, but for what is too much: that goes at once."""
    small = len(memory) <= _SMALL
    most = _MOST_SMALL if small else _MOST_LEFT
    alike = [len(other) for other in _left if (len(other) <= _SMALL) == small]
    room = most - sum(min(own, most) for own in alike)
    kept = min(len(memory), max(0, room))
    try:
        if kept < _LEAST:
            return
        memory.madvise(mmap.MADV_FREE, 0, kept)
        if kept < len(memory):
            start = -(-kept // mmap.PAGESIZE) * mmap.PAGESIZE
            memory.madvise(mmap.MADV_DONTNEED, start)
    except OSError:  # a kernel that cannot
        return
    _left.append(memory)
