"""`sample-complexity`: report 003, part II."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mercer.datasets import Dataset
from mercer.studies import Cell, Context, Outcome, Row, Study, derive_seed, grid
from mercer.studies.plain import Plain
from mercer.studies.published.sample_complexity.estimators import (
    NEAREST,
    lucky,
    unbiased,
)
from mercer.studies.published.sample_complexity.fits import KINDS, fit
from mercer.studies.published.sample_complexity.story import tell_story
from mercer.studies.story import Story

_REPEATS = 5
#: The largest n; of 1-NN as published, and beyond.
_MOST, _QUICK = 100, 20
_NEAREST_PUBLISHED, _NEAREST_MOST, _NEAREST_QUICK = 17, 20, 10


class SampleComplexity(Study):
    """How many samples four learners need, as published and without bias."""

    name = "sample-complexity"
    title = "How many samples are enough"
    question = (
        "How many samples do winnow, perceptron, least squares and 1-NN need to find "
        "out that one bit of n is the label?"
    )
    version = 2
    protocol = (
        "Report 003, part II: x uniform in {-1, 1}^n and y = x₁. The smallest number "
        "of training samples m with at most 10 % error, n = 1 to 100 (1-NN to 17, here "
        "to 20). As published: 10 trials, each with 10,000 test points, take m = 1, 2, "
        "… with a new training set each and stop at the first m that is good enough; "
        "the same with one training set that grows. Unbiased: the error of each m is "
        "averaged over 100 trials first (1-NN: 50), at n = 1 to 10, 20, 30, …. All of "
        "it 5 times, for the spread of the fits."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each learner and repeat."""
        points = grid(
            learner=list(KINDS), repeat=range(1 if quick else _REPEATS), quick=[quick]
        )
        return [
            Cell(point, derive_seed(seed, point["repeat"]), str(point["learner"]))
            for point in points
        ]

    def warm_up(self, context: Context) -> None:
        """Compile the loops."""
        for learner in KINDS:
            lucky(learner, 2, 0, fresh=False)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """All n of one learner, by three estimators, and the curves through them."""
        learner, quick = str(cell.params["learner"]), bool(cell.params["quick"])
        found: dict[str, Any] = {}
        seconds = {}
        for name in ("lucky", "growing", "unbiased"):
            begin = time.perf_counter()
            sizes = _sizes(name, learner, quick)
            trials = [_estimate(name, learner, n, cell.seed) for n in sizes]
            means = [float(np.mean(part)) for part in trials]
            curve = fit(KINDS[learner], sizes, means)
            found |= {
                f"{name} n": sizes,
                f"{name} m": means,
                f"{name} std": [float(np.std(part)) for part in trials],
                f"{name} a": curve.a,
                f"{name} b": curve.b,
                f"{name} r2": curve.r2,
                f"{name} r2 from zero": curve.from_zero,
            }
            seconds[name] = time.perf_counter() - begin
        return Outcome(found, seconds)

    def describe(self, row: Row) -> str:
        """The learner and its last m."""
        m, n = row.values["lucky m"][-1], row.values["lucky n"][-1]
        return f"{row.params['learner']}: {m:.0f} samples at n = {n}"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """The report's figures and fits, and what an unbiased estimate says."""
        return tell_story(rows, self.published())


def _sizes(name: str, learner: str, quick: bool) -> list[int]:
    """Every n as published; the unbiased estimate of a smooth curve needs fewer."""
    if learner == NEAREST:
        most = _NEAREST_QUICK if quick else _NEAREST_MOST
        last = min(most, _NEAREST_PUBLISHED) if name == "lucky" else most
        return list(range(1, last + 1))
    tried = range(1, (_QUICK if quick else _MOST) + 1)
    return [n for n in tried if name != "unbiased" or n <= 10 or n % 10 == 0]


def _estimate(name: str, learner: str, n: int, seed: int) -> list[int]:
    if name == "unbiased":
        return [unbiased(learner, n, seed)]
    return lucky(learner, n, seed, fresh=name == "lucky")
