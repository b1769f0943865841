"""Memory that a thread uses again and again."""

import threading

import numpy as np
from numpy.typing import NDArray

from mercer._pages import reusable_bytes


class ThreadMemory:
    """Arrays that the same thread is given one after the other, in the same memory.

    The system hands out fresh memory page by page, which can take as long as computing
    what goes into it.
    """

    def __init__(self) -> None:
        self._own = threading.local()

    def array(self, shape: tuple[int, int], dtype: np.dtype) -> NDArray:
        """An array; the one that this thread was given before is no longer its own."""
        n_bytes = shape[0] * shape[1] * dtype.itemsize
        memory: NDArray[np.uint8] | None = getattr(self._own, "memory", None)
        if memory is None or len(memory) < n_bytes:
            self._own.memory = memory = None  # it goes before there is more
            memory = self._own.memory = reusable_bytes(_with_some_to_spare(n_bytes))
        return memory[:n_bytes].view(dtype).reshape(shape)


def _with_some_to_spare(n_bytes: int) -> int:
    """Up to a sixteenth more: the next array may be a little larger."""
    step = 1 << max(0, n_bytes.bit_length() - 5)
    return -(-n_bytes // step) * step
