r"""Which predictor is read of an online run, and how much each update counts in it.

The scores S sum all updates alike. After T steps there are

- the last predictor: S, for Pegasos times 1/(λT);
- the average of all T predictors, in which an update at step τ counts as long as it is
  there: a·S − b·R, where R sums the updates with the weight ρ(τ). Perceptron: ρ = τ,
  a = (T+1)/T, b = 1/T. Pegasos, whose predictor after step t is 1/(λt) times its sum:
  ρ = H(τ−1), a = H(T)/(λT), b = 1/(λT), H being the harmonic numbers;
- the best predictor, of the perceptron: the one with the fewest mistakes on the
  training samples among those after the updates of the last epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.online import PegasosRule, Rule, Updates

PREDICTORS = LAST, AVERAGED, BEST = "last", "averaged", "best"


@dataclass(frozen=True)
class PerceptronPredictors:
    """How to read a perceptron."""

    stops_early = True  # an epoch without a mistake is the last that changes anything

    def rho(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """ρ of updates at these steps."""
        return steps.astype(np.float64)

    def slope(self, kind: str, end: int) -> tuple[float, float]:
        """How much updates count in a predictor: a and b of a − b·ρ."""
        return ((end + 1) / end, 1 / end) if kind == AVERAGED else (1.0, 0.0)

    def weights(self, kind: str, updates: Updates) -> NDArray[np.float64]:
        """How much each update of a run counts."""
        if kind == AVERAGED:
            return (updates.n_steps + 1 - updates.steps) / updates.n_steps
        return np.ones(len(updates.samples))

    def scores(self, kind: str, end: int, S: Any, R: Any, best: Any) -> NDArray:
        """The scores of a predictor after `end` steps."""
        if kind == AVERAGED:
            return ((end + 1) * S - R) / end
        return best if kind == BEST else S


@dataclass(frozen=True, eq=False)
class PegasosPredictors:
    """How to read Pegasos."""

    lam: float
    harmonic: NDArray[np.float64]  # H(0), H(1), …
    stops_early = False

    def rho(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """ρ of updates at these steps."""
        return self.harmonic[steps - 1]

    def slope(self, kind: str, end: int) -> tuple[float, float]:
        """How much updates count in a predictor: a and b of a − b·ρ."""
        scale = 1 / (self.lam * end)
        averaged = scale * float(self.harmonic[end]), scale
        return averaged if kind == AVERAGED else (scale, 0.0)

    def weights(self, kind: str, updates: Updates) -> NDArray[np.float64]:
        """How much each update of a run counts."""
        scale = 1 / (self.lam * max(1, updates.n_steps))
        if kind != AVERAGED:
            return np.full(len(updates.samples), scale)
        return scale * (self.harmonic[updates.n_steps] - self.rho(updates.steps))

    def scores(self, kind: str, end: int, S: Any, R: Any, best: Any) -> NDArray:
        """The scores of a predictor after `end` steps."""
        scale = 1 / (self.lam * end)
        if kind == AVERAGED:
            return scale * (self.harmonic[end] * S - R)
        return scale * S


def predictors_of(rule: Rule, n_steps: int) -> PerceptronPredictors | PegasosPredictors:
    """How to read what this rule does in so many steps at most."""
    if isinstance(rule, PegasosRule):
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n_steps + 1))])
        return PegasosPredictors(rule.lam, harmonic)
    return PerceptronPredictors()
