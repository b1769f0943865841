"""A bounded store of computed rows that threads share."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import numpy as np
from numpy.typing import NDArray


class RowCache:
    """Keeps the rows that were used last, at most `capacity` of them.

    Rows are arrays of their own: one that is dropped while somebody reads it lives on
    until it is no longer needed, and dropping it frees just its memory.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = max(1, int(capacity))
        self.misses = 0
        self._rows: OrderedDict[int, NDArray] = OrderedDict()
        self._lock = Lock()

    def get(
        self,
        indices: NDArray[np.integer],
        compute: Callable[[NDArray[np.integer]], NDArray],
    ) -> list[NDArray]:
        """The rows at `indices`; the missing ones from one call of `compute`."""
        wanted = [int(i) for i in indices]
        with self._lock:
            found = {i: self._rows[i] for i in wanted if i in self._rows}
            for i in found:
                self._rows.move_to_end(i)
        missing = np.array(sorted({i for i in wanted if i not in found}), np.intp)
        if len(missing):
            fresh = {int(i): row.copy() for i, row in zip(missing, compute(missing))}
            for row in fresh.values():
                row.flags.writeable = False
            found.update(fresh)
            with self._lock:
                self.misses += len(fresh)
                self._rows.update(fresh)
                while len(self._rows) > self.capacity:
                    self._rows.popitem(last=False)
        return [found[i] for i in wanted]
