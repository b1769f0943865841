"""When a solver ends."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from mercer.solvers.svm._state import State
from mercer.solvers.svm.problem import Limits
from mercer.solvers.svm.solution import Status

ROUNDS, MIN_RISE = 64, 1e-10  # in so many rounds the dual must rise by this of itself


class Watch:
    """Tells when to end."""

    def __init__(self, state: State, limits: Limits) -> None:
        self._state, self._limits, self.tol = state, limits, limits.tol
        self._max_steps = sys.maxsize if limits.max_iter < 0 else limits.max_iter
        self._rounds, self._dual = 0, -np.inf

    def steps_left(self) -> int:
        """How many the limits allow from here on."""
        return self._max_steps - self._state.steps

    def left(self) -> Limits:
        """What is left of the limits, for a part of the samples."""
        return replace(self._limits, max_iter=self.steps_left(), progress=None)

    def over(self, violation: float) -> Status | None:
        """Why to end now, or None."""
        self._state.tell(self._limits)
        if violation <= self._limits.tol:
            return "converged"
        if self.steps_left() <= 0:
            return "iterations"
        return self._limits.reached() or ("stalled" if self._stalled() else None)

    def _stalled(self) -> bool:
        if self._state.rounds < self._rounds + ROUNDS:
            return False
        before, self._dual = self._dual, self._state.dual()
        self._rounds = self._state.rounds
        return self._dual - before <= MIN_RISE * abs(self._dual)
