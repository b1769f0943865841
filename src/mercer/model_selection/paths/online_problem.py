"""One binary problem of an online learner, read at several points of one run.

The run maintains the scores of all samples, so those to be validated come along; which
predictors can be read of them is told in `mercer.solvers.predictors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import Course, Reading
from mercer.kernels import Gram
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.sums_of_sizes import UpdateSizes
from mercer.solvers.online import (
    PerceptronRule,
    Rule,
    Updates,
    add_rows,
    follow_to_fewest_mistakes,
)
from mercer.solvers.predictors import AVERAGED, BEST, predictors_of

_ROWS_AT_ONCE = 256


class OnlineProblem:
    """A binary problem on its way through its course, piece by piece.

    Parameters
    ----------
    rule : Rule
        When to update.
    signs : array of shape (n_samples,)
        +1, -1, or 0 for a sample that the problem does not have.
    course : Course
        The rows in the order in which they come.
    wanted : mapping
        What to read, and the rows (of `outs`) that receive it.
    at, outs : sequences of arrays
        The samples whose scores are read, and where they go.
    """

    def __init__(
        self,
        rule: Rule,
        signs: NDArray[np.float64],
        course: Course,
        wanted: Mapping[Reading, list[int]],
        at: Sequence[NDArray[np.intp]],
        outs: Sequence[NDArray[np.float64]],
    ) -> None:
        self.rule, self.signs, self.course = rule, signs, course
        self.scores = np.zeros(len(signs))
        self._predictors = predictors_of(rule, max(course.stops))
        self._wanted, self._at, self._outs = wanted, at, outs
        self._kinds = {reading.predictor for reading in wanted}
        self._sums = np.zeros(len(signs)) if AVERAGED in self._kinds else None
        self._best = np.zeros(len(signs)) if BEST in self._kinds else None
        self._until_best = 0  # so many updates make the best predictor
        self.updates = UpdateSizes(len(outs[0]))

    def walk(self, gram: Gram | PolynomialRows) -> None:
        """Walk the whole course over a Gram in memory."""
        samples, steps = np.empty((2, max(map(len, self.course.pieces))), np.int64)
        step, count = 0, 1
        for piece, stop in zip(*self.course):
            if count or not self._predictors.stops_early:
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
            self.read(stop)

    def follow(
        self, gram: Gram | PolynomialRows, new: Updates, before: NDArray[np.float64]
    ) -> None:
        """Take in updates whose rows have to be computed."""
        if self._sums is not None or self._best is not None:
            self._compute_and_take_in(gram, new, before)
        self._remember(new.samples, new.steps)

    def read(self, n_steps: int) -> None:
        """Hand out the scores that are wanted after so many steps."""
        for kind in self._kinds:
            if numbers := self._wanted.get(Reading(n_steps, kind)):
                scores = self._predictors.scores(
                    kind, n_steps, self.scores, self._sums, self._best
                )
                for at, out in zip(self._at, self._outs):
                    out[numbers] = scores[at]
                count = self._until_best if kind == BEST else self.updates.count
                self.updates.note(
                    numbers, count, *self._predictors.slope(kind, n_steps)
                )

    def _remember(self, samples: NDArray[np.int64], steps: NDArray[np.int64]) -> None:
        self.updates.append(samples, self._predictors.rho(steps))

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
            add_rows(K, rows, signs * self._predictors.rho(steps), self._sums)
        if self._best is not None:
            self._best[:] = self.scores
            assert isinstance(self.rule, PerceptronRule)
            strict = self.rule.zero_is_negative
            self._until_best = self.updates.count + follow_to_fewest_mistakes(
                K, rows, signs, self.signs, before, strict, self._best
            )
