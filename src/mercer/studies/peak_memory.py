"""The most memory that the process held while something ran."""

from __future__ import annotations

import threading
from typing import Self

import psutil

#: Seconds between two looks; a look takes some microseconds.
_PAUSE = 0.02


class PeakMemory:
    """Looks at the resident memory of this process, all of its threads together.

    A process's own record of its peak never falls, so that it says nothing of what came
    after the largest piece of work; hence a thread that looks again and again.

    Examples
    --------
    >>> with PeakMemory() as memory:
    ...     memory.begin()
    ...     memory.end() > 1_000_000
    True
    """

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._peak = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()

    def begin(self) -> None:
        """Forget what came before."""
        self._peak = self._resident()

    def end(self) -> int:
        """The most bytes since the beginning."""
        return max(self._peak, self._resident())

    def _watch(self) -> None:
        while not self._ended.wait(_PAUSE):
            self._peak = max(self._peak, self._resident())

    def _resident(self) -> int:
        return int(self._process.memory_info().rss)
