"""Rounds of a binary problem whose samples lie elsewhere.

What `mercer.solvers.svm.smo` does, seen from where the candidates of all shares
(`mercer.solvers.svm.shares`) come together: choose the working set, solve it, say which
samples moved. Bringing gradients up to date is left to the shares.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from mercer._threads import single_threaded_blas
from mercer.solvers.svm import _steps, _working_set, smo
from mercer.solvers.svm._newton import climb
from mercer.solvers.svm._watch import MIN_RISE, ROUNDS
from mercer.solvers.svm.problem import Limits
from mercer.solvers.svm.shares import Totals
from mercer.solvers.svm.solution import Certificate, Status


class JointProblem:
    """A binary problem of so many samples, and how far its solution has come.

    `status` is None as long as there is something to do. `xi` is that of a regularized
    bias, else 0.
    """

    def __init__(
        self, number: int, n_samples: int, free_bias: bool, xi: float, limits: Limits
    ) -> None:
        self.number, self.free_bias, self.xi = number, free_bias, xi
        self.sizes = smo.working_set_sizes(n_samples, n_samples)
        self.status: Status | None = None
        self.steps = self.rounds = 0
        self.violation = self.gap = np.inf
        self.bias = 0.0
        self._limits = limits
        self._min_curvature = np.inf
        self._patience = _steps.PATIENCE
        self._dual, self._looked = -np.inf, 0
        self._recent = np.empty(0, np.int64)
        self._ids = np.empty(0, np.int64)
        self._state = np.empty((4, 0))
        self._working_set = np.empty(0, np.int64)

    def choose(
        self, ids: NDArray[np.int64], state: NDArray[np.float64], totals: Totals
    ) -> NDArray[np.int64]:
        """The next working set among the candidates, none once the problem is over.

        The rows of `state` are gradient, v, lo and hi of the candidates, whose numbers
        count up; `totals` are of all samples.
        """
        self._ids, self._state, self.gap = ids, state, totals.gap
        recent = np.searchsorted(ids, self._recent)
        at, self.violation = _working_set.select_working_set(
            state, self.free_bias, self._limits.tol, self.sizes, recent
        )
        self.bias = self._new_bias(totals)
        self.status = self._over(totals.dual)
        self._working_set = at if self.status is None else at[:0]
        return ids[self._working_set]

    def solve(self, K: NDArray) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Improve the working set, whose kernel values these are: who moved, how far.

        If nobody can, the problem is over.
        """
        at, state = self._working_set, self._state
        before = state[1, at].copy()
        if self._patience == smo.SHORT_PATIENCE:
            self._climb(K)
        values = K if self.free_bias else _with_one_to_spare(K)
        steps, curvature, left, _, _ = _steps.solve_subproblem(
            *(values, at, self.xi, state, self.free_bias),
            *(self._limits.tol, self._steps_left(), self._patience),
        )
        self.steps, self.rounds = self.steps + steps, self.rounds + 1
        self._min_curvature = min(self._min_curvature, curvature)
        if (state[1, at] == before).all():
            self._climb(K)
        self._patience = smo.next_patience(left, self._patience)
        change = state[1, at] - before
        moved = change != 0
        if not moved.any():
            self.status = "stalled"
        self._recent = self._ids[at[moved]]
        return self._recent, change[moved]

    def v_of(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Where samples of the working set are now."""
        v: NDArray = self._state[1, np.searchsorted(self._ids, ids)]
        return v

    def certificate(self, totals: Totals, violation: float) -> Certificate:
        """How good the solution is; seconds and rows are known to others."""
        assert self.status is not None
        return Certificate(
            primal=totals.primal,
            dual=totals.dual,
            gap=totals.gap,
            violation=max(0.0, violation),
            converged=self.status == "converged",
            status=self.status,
            seconds=0.0,
            iterations=self.steps,
            rounds=self.rounds,
            rows_computed=0,
            indefinite=self._min_curvature < -1000 * float(np.finfo(np.float32).eps),
        )

    def _climb(self, K: NDArray) -> None:
        """Newton steps on the free samples of the working set."""
        _, v, lo, hi = self._state[:, self._working_set]
        free = np.flatnonzero((lo < v) & (v < hi))
        at = self._working_set[free]
        values = K[np.ix_(free, free)] + K.dtype.type(self.xi)
        own = self._state.take(at, axis=1)
        with single_threaded_blas():
            climbed, steps, at_top = climb(
                values, own, self.free_bias, self._limits.tol, self._steps_left()
            )
        change = climbed - own[1]
        products = K[:, free].astype(np.float64) @ change + self.xi * change.sum()
        self._state[1, at] = climbed
        self._state[0, self._working_set] -= products
        self.steps += steps
        if not at_top:  # steps in two coordinates are worth more patience
            self._patience = _steps.PATIENCE

    def _steps_left(self) -> int:
        most = self._limits.max_iter
        return (sys.maxsize if most < 0 else most) - self.steps

    def _over(self, dual: float) -> Status | None:
        if self.violation <= self._limits.tol:
            return "converged"
        if self._steps_left() <= 0:
            return "iterations"
        if ended := self._limits.reached():
            return ended
        if self.rounds >= self._looked + ROUNDS:
            rise, self._dual, self._looked = dual - self._dual, dual, self.rounds
            if rise <= MIN_RISE * abs(dual):
                return "stalled"
        return None

    def _new_bias(self, totals: Totals) -> float:
        """LIBSVM's: the mean gradient of free samples, or the middle of the bounds."""
        if not self.free_bias:
            return 0.0
        if totals.n_free:
            return totals.free_gradient / totals.n_free
        gradient, v, lo, hi = self._state
        m = gradient[v < hi].max(initial=-np.inf)
        M = gradient[v > lo].min(initial=np.inf)
        ends = [end for end in (m, M) if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0


def _with_one_to_spare(K: NDArray) -> NDArray:
    q = len(K)
    larger = np.empty((q + 1, q + 1), K.dtype)
    larger[:q, :q] = K
    return larger
