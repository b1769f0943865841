"""How far a search has come: callbacks of scikit-learn, and a log when verbose."""

from __future__ import annotations

import time
from typing import Any

from mercer.estimators.progress import FitProgress, logger

_SECONDS_BETWEEN_LINES = 1.0


class SearchProgress:
    """Counts cells; says how many are done and how long the rest may take."""

    def __init__(self, search: Any, n_cells: int) -> None:
        self._progress = FitProgress(search, n_cells)
        self._search, self._n_cells, self._done = search, n_cells, 0
        self._start = self._spoken = time.perf_counter()

    def say(self, text: str) -> None:
        """A line of log, when verbose."""
        if self._search.verbose:
            logger.info("%s: %s", type(self._search).__name__, text)

    def advance(self, n_cells: int) -> None:
        """So many more cells are done."""
        self._done += n_cells
        for _ in range(n_cells):
            self._progress.tick("cell")
        now = time.perf_counter()
        often = self._search.verbose > 1
        if not often and now - self._spoken < _SECONDS_BETWEEN_LINES:
            return
        self._spoken, passed = now, now - self._start
        left = passed / self._done * (self._n_cells - self._done)
        self.say(
            f"{self._done} of {self._n_cells} cells, {passed:.1f} s, "
            f"about {left:.1f} s left"
        )

    def end(self) -> None:
        """The search is over."""
        self._progress.end()
