"""Three ways to end one perceptron, kept up to date epoch by epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.solvers.online import Updates

_ROWS_AT_ONCE = 128


@dataclass(eq=False)
class Ends:
    """The scores of one binary problem by its last, best and averaged predictor.

    An epoch costs as much as its updates: a predictor after t steps has the scores
    s_t, and their sum over all T steps is (T + 1)·s_T − Σ τ·y·k(x, ·), over the
    updates at steps τ.

    Attributes
    ----------
    signs : ndarray of shape (n_samples,)
        +1, -1, or 0 outside of training.
    last, best, averaged : ndarray of shape (n_samples,)
        Scores of all samples.
    """

    signs: NDArray[np.float64]
    last: NDArray[np.float64] = field(init=False)
    best: NDArray[np.float64] = field(init=False)
    averaged: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self._outside = int(np.count_nonzero(self.signs == 0))
        self.last = np.zeros(len(self.signs))
        self._weighted = np.zeros(len(self.signs))

    def take(self, gram: Gram, updates: Updates) -> None:
        """Take in the updates of one more epoch.

        Best is the first predictor after one of them that makes the fewest mistakes,
        y·s ≤ 0, on training samples; the last one where there are none.
        """
        fewest = len(self.signs) + 1
        for start in range(0, len(updates.samples), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            samples, steps = updates.samples[part], updates.steps[part]
            rows = gram.block(samples, slice(0, gram.n_samples)).astype(np.float64)
            rows *= self.signs[samples, None]
            self._weighted += steps @ rows
            rows[0] += self.last
            path = np.cumsum(rows, axis=0, out=rows)
            wrong = np.count_nonzero(path * self.signs <= 0, axis=1) - self._outside
            if wrong.min() < fewest:
                fewest, self.best = int(wrong.min()), path[wrong.argmin()].copy()
            self.last = path[-1].copy()
        if not len(updates.samples):
            self.best = self.last
        n = updates.n_steps
        self.averaged = ((n + 1) * self.last - self._weighted) / n
