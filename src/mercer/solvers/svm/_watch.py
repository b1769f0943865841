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
    """Tells when to end, and `with_newton` when steps in two coordinates lead nowhere.

    Where the dual has hardly any curvature it hardly rises, however far the violation
    is from the tolerance: Newton steps may go on, as long as they halve it.
    """

    def __init__(
        self, state: State, limits: Limits, *, with_newton: bool = False
    ) -> None:
        self._state, self._limits, self.tol = state, limits, limits.tol
        self._max_steps = sys.maxsize if limits.max_iter < 0 else limits.max_iter
        self._rounds, self._dual = 0, -np.inf
        self._violation = np.inf if with_newton else 0.0  # at the last call for Newton
        self.calls_newton = False

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
        if reason := self._limits.reached():
            return reason
        self.calls_newton = self._stalled()
        if not self.calls_newton:
            return None
        before, self._violation = self._violation, violation
        return None if violation <= before / 2 else "stalled"

    def _stalled(self) -> bool:
        if self._state.rounds < self._rounds + ROUNDS:
            return False
        before, self._dual = self._dual, self._state.dual()
        self._rounds = self._state.rounds
        return self._dual - before <= MIN_RISE * abs(self._dual)
