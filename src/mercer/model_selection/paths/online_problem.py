"""One binary problem of an online learner, read at several points of one run.

The run maintains the scores of all samples, so those to be validated come along. What
is read after T steps:

- the last predictor: its scores S, for Pegasos times 1/(λT);
- the average of all predictors: a·S − b·R, where R sums the updates with the weight
  ρ(τ) of their step. Perceptron: ρ = τ, a = (T+1)/T, b = 1/T. Pegasos: ρ = H(τ−1),
  a = H(T)/(λT), b = 1/(λT), H being the harmonic numbers;
- the best predictor of the last epoch: the epoch's updates are followed once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer.kernels import Gram
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.update_sizes import UpdateSizes
from mercer.solvers.online import PegasosRule, PerceptronRule, Rule, Updates

LAST, AVERAGED, BEST = "last", "averaged", "best"
Read = tuple[int, str]  # after how many steps, and which predictor
_ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class PerceptronReader:
    """How to read a perceptron."""

    stops_early = True  # an epoch without a mistake is the last that changes anything

    def weights(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """ρ of the steps."""
        return steps.astype(np.float64)

    def size(self, kind: str, end: int) -> tuple[float, float]:
        """How much updates count in a predictor: a and b of a − b·ρ."""
        return ((end + 1) / end, 1 / end) if kind == AVERAGED else (1.0, 0.0)

    def read(self, kind: str, end: int, scores: Any, sums: Any, best: Any) -> NDArray:
        """The scores of a predictor."""
        if kind == AVERAGED:
            return ((end + 1) * scores - sums) / end
        return best if kind == BEST else scores


@dataclass(frozen=True, eq=False)
class PegasosReader:
    """How to read Pegasos."""

    lam: float
    harmonic: NDArray[np.float64]  # H(0), H(1), …
    stops_early = False

    def weights(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """ρ of the steps."""
        return self.harmonic[steps - 1]

    def size(self, kind: str, end: int) -> tuple[float, float]:
        """How much updates count in a predictor: a and b of a − b·ρ."""
        scale = 1 / (self.lam * end)
        averaged = scale * float(self.harmonic[end]), scale
        return averaged if kind == AVERAGED else (scale, 0.0)

    def read(self, kind: str, end: int, scores: Any, sums: Any, best: Any) -> NDArray:
        """The scores of a predictor."""
        scale = 1 / (self.lam * end)
        if kind == AVERAGED:
            return scale * (self.harmonic[end] * scores - sums)
        return scale * scores


def reader_of(rule: Rule, steps: int) -> PerceptronReader | PegasosReader:
    """How to read what this rule does in so many steps at most."""
    if isinstance(rule, PegasosRule):
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, steps + 1))])
        return PegasosReader(rule.lam, harmonic)
    return PerceptronReader()


class OnlineProblem:
    """A binary problem on its way through its sequence, piece by piece.

    Parameters
    ----------
    rule : Rule
        When to update.
    signs : array of shape (n_samples,)
        +1, -1, or 0 for a sample that the problem does not have.
    pieces : sequence of arrays
        The samples in the order in which they come.
    ends : sequence of int
        The steps taken at the end of each piece.
    wanted : mapping
        What to read, and the rows (of `outs`) that receive it.
    at, outs : sequences of arrays
        The samples whose scores are read, and where they go.
    """

    def __init__(
        self,
        rule: Rule,
        signs: NDArray[np.float64],
        pieces: Sequence[NDArray[np.int64]],
        ends: Sequence[int],
        wanted: Mapping[Read, list[int]],
        at: Sequence[NDArray[np.intp]],
        outs: Sequence[NDArray[np.float64]],
    ) -> None:
        self.rule, self.signs, self.pieces, self.ends = rule, signs, pieces, ends
        self.scores = np.zeros(len(signs))
        self._reader = reader_of(rule, max(ends))
        self._wanted, self._at, self._outs = wanted, at, outs
        self._kinds = {kind for _, kind in wanted}
        self._sums = np.zeros(len(signs)) if AVERAGED in self._kinds else None
        self._best = np.zeros(len(signs)) if BEST in self._kinds else None
        self._until_best = 0  # so many updates make the best predictor
        self.updates = UpdateSizes(len(outs[0]))

    def walk(self, gram: Gram | PolynomialRows) -> None:
        """Walk all pieces over a Gram in memory."""
        samples, steps = np.empty((2, max(map(len, self.pieces))), np.int64)
        step, count = 0, 1
        for piece, end in zip(self.pieces, self.ends):
            if count or not self._reader.stops_early:
                before = self.scores.copy() if self._best is not None else self.scores
                state = piece, self.signs, self.scores, step, samples, steps
                if isinstance(gram, PolynomialRows):
                    count, step = gram.walk(self.rule, *state)
                    new = Updates(samples[:count], steps[:count], step)
                    self.follow(gram, new, before)
                else:
                    K = gram.matrix
                    count, step = self.rule.walk(K, *state)
                    done = samples[:count]
                    self._take_in(K, done, done, steps[:count], before)
                    self._remember(samples[:count], steps[:count])
            self.read(end)

    def follow(
        self, gram: Gram | PolynomialRows, new: Updates, before: NDArray[np.float64]
    ) -> None:
        """Take in updates whose rows have to be computed."""
        if self._sums is not None or self._best is not None:
            self._compute_and_take_in(gram, new, before)
        self._remember(new.samples, new.steps)

    def _remember(self, samples: NDArray[np.int64], steps: NDArray[np.int64]) -> None:
        self.updates.append(samples, self._reader.weights(steps))

    def _compute_and_take_in(
        self, gram: Gram | PolynomialRows, new: Updates, before: NDArray[np.float64]
    ) -> None:
        # the fewest mistakes are looked for over the whole epoch
        size = len(new.samples) if self._best is not None else _ROWS_AT_ONCE
        for first in range(0, len(new.samples), max(1, size)):
            samples = new.samples[first : first + size]
            rows = gram.block(samples, slice(0, gram.n_samples))
            steps = new.steps[first : first + size]
            self._take_in(rows, np.arange(len(rows)), samples, steps, before)

    def _take_in(
        self,
        K: NDArray,
        rows: NDArray[np.int64],
        samples: NDArray[np.int64],
        steps: NDArray[np.int64],
        before: NDArray[np.float64],
    ) -> None:
        signs = self.signs[samples]
        if self._sums is not None:
            _add_rows(K, rows, signs * self._reader.weights(steps), self._sums)
        if self._best is not None:
            self._best[:] = self.scores
            assert isinstance(self.rule, PerceptronRule)
            strict = self.rule.zero_is_negative
            self._until_best = self.updates.count + _follow_best(
                K, rows, signs, self.signs, before, strict, self._best
            )

    def read(self, end: int) -> None:
        """Hand out the scores that are wanted after so many steps."""
        for kind in self._kinds:
            if numbers := self._wanted.get((end, kind)):
                scores = self._reader.read(
                    kind, end, self.scores, self._sums, self._best
                )
                for at, out in zip(self._at, self._outs):
                    out[numbers] = scores[at]
                count = self._until_best if kind == BEST else self.updates.count
                self.updates.note(numbers, count, *self._reader.size(kind, end))


@compiled
def _add_rows(K: Any, rows: Any, weights: Any, scores: Any) -> None:
    for a in range(rows.shape[0]):
        weight = weights[a]
        row = K[rows[a]]
        for j in range(scores.shape[0]):
            scores[j] += weight * row[j]


@compiled
def _follow_best(
    K: Any,
    rows: Any,
    row_signs: Any,
    signs: Any,
    scores: Any,
    zero_is_negative: bool,
    best: Any,
) -> Any:
    """Follow updates from `scores` on; `best` is the first with fewest mistakes.

    Returns how many updates lead to it.
    """
    fewest, until = signs.shape[0] + 1, 0
    for a in range(rows.shape[0]):
        y = row_signs[a]
        row = K[rows[a]]
        wrong = 0
        for j in range(scores.shape[0]):
            scores[j] += y * row[j]
            if signs[j] == 0.0:
                continue
            if zero_is_negative:
                wrong += (scores[j] > 0.0) != (signs[j] > 0.0)
            else:
                wrong += signs[j] * scores[j] <= 0.0
        if wrong < fewest:
            fewest, until = wrong, a + 1
            best[:] = scores
    return until
