"""A binary problem whose samples lie in several places, a share in each.

A share keeps v and the gradient of its own samples. It offers candidates for the next
working set: its free samples and its worst violators, more than the whole problem could
take from it, so that the working set chosen among all candidates is the one that would
be chosen among all samples. `mercer.solvers.svm.joint` chooses and solves it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm import _gradient
from mercer.solvers.svm._state import primal_dual_gap
from mercer.solvers.svm._working_set import (
    FREE,
    LOW,
    UP,
    extreme_gradients,
    mark_worst,
)


class Totals(NamedTuple):
    """What shares add up to: objectives at a bias, and what the next bias needs."""

    primal: float = 0.0
    dual: float = 0.0
    gap: float = 0.0
    free_gradient: float = 0.0
    n_free: int = 0

    def plus(self, other: Totals) -> Totals:
        """Those of both together."""
        return Totals(
            self.primal + other.primal,
            self.dual + other.dual,
            self.gap + other.gap,
            self.free_gradient + other.free_gradient,
            self.n_free + other.n_free,
        )


class Share:
    """Some samples of a binary problem: signs z, bounds C, v = αz and its gradient."""

    def __init__(self, signs: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
        self.signs, self.upper = signs, upper
        self.gradient, self.v = signs.copy(), np.zeros(len(signs))

    def __len__(self) -> int:
        return len(self.signs)

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lo and hi of v."""
        signed = self.signs * self.upper
        return np.minimum(signed, 0.0), np.maximum(signed, 0.0)

    def candidates(
        self, sizes: NDArray[np.int64], recent: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Samples for the next working set; `sizes` as `select_working_set` has it."""
        marks = np.zeros(len(self), np.bool_)
        marks[recent] = True
        g, (lo, hi) = self.gradient, self.bounds()
        up, low = self.v < hi, self.v > lo
        free = up & low
        for kind, chosen, score in (
            (UP, up & ~free, g),
            (LOW, low & ~free, -g),
            (
                FREE,
                free,
                np.abs(g - (g[free].mean() if free.any() else 0.0)),
            ),
        ):
            members = np.flatnonzero(chosen)
            if len(members) <= sizes[kind]:
                marks[members] = True
            else:
                mark_worst(marks, members, score[members], int(sizes[kind]))
        for chosen, best in ((up, np.argmax), (low, np.argmin)):  # m and M
            members = np.flatnonzero(chosen)
            if len(members):
                marks[members[best(g[members])]] = True
        return np.flatnonzero(marks)

    def update_gradient(
        self,
        values: NDArray,
        rows: NDArray[np.int64],
        change: NDArray[np.float64],
        start: int,
    ) -> None:
        """Take changes of v from a stretch of the gradient.

        `values` holds kernel values with the samples from `start` on; `rows` of it are
        those of the samples whose v has changed.
        """
        run = start, start + values.shape[1], 0
        _gradient.update_gradient(self.gradient, values, rows, change, run)

    def totals(self, bias: float) -> Totals:
        """The share of the objectives at this bias, 0 where it is not free."""
        z, upper, v, gradient = self.signs, self.upper, self.v, self.gradient
        primal, dual, gap = primal_dual_gap(z, upper, v, gradient, bias)
        lo, hi = self.bounds()
        free = (lo < v) & (v < hi)
        return Totals(primal, dual, gap, float(gradient[free].sum()), int(free.sum()))

    def extremes(self, free_bias: bool) -> tuple[float, float]:
        """m(α) and M(α) of these samples."""
        state = np.stack([self.gradient, self.v, *self.bounds()])
        m, M = extreme_gradients(state, free_bias)
        return float(m), float(M)
