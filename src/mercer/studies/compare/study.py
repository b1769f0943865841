"""`compare`: every learner on the user's data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mercer._threads import single_threaded_blas
from mercer.datasets import Dataset
from mercer.exceptions import ParameterError
from mercer.studies.cell import Cell, Outcome, grid
from mercer.studies.compare.learners import LEARNERS, Learner, learner_name
from mercer.studies.compare.named_learner import find_learner, spell_learner
from mercer.studies.compare.story import tell_story
from mercer.studies.compare.trial import run_trial
from mercer.studies.compare.trial_data import class_numbers, make_trial_data
from mercer.studies.context import Context
from mercer.studies.plain import Plain, derive_seed
from mercer.studies.row import Row
from mercer.studies.story import Story
from mercer.studies.study import Study

_FULL = {"repeats": 10, "folds": 5, "train": 100_000, "test": 50_000, "search": 6000}
_QUICK = {"repeats": 5, "folds": 3, "train": 5000, "test": 2000, "search": 4000}
_TINY = 60


class Compare(Study):
    """Perceptron, Pegasos, SVM, nearest neighbours and a linear baseline."""

    name = "compare"
    title = "Every learner side by side"
    question = (
        "Which learner makes the fewest mistakes on these data, and is its lead more "
        "than chance?"
    )
    default_data = ("mnist5k",)
    fallback_data = "digits"
    protocol = (
        "Each repeat splits the data anew, a fifth of each class for testing, the same "
        "split for every learner; where there is an official split, it is kept, and "
        "repeats differ in folds and random orders only. Every learner is tuned by "
        "cross-validation on training samples alone, fitted once with the winning "
        "settings on all of them, and tested once. Features are standardised by the "
        "training samples unless they are pixels. The linear baseline is "
        "scikit-learn's RidgeClassifier; all others but the neighbours use the "
        "Gaussian kernel. Estimators that were named beside them (--learner) are tuned "
        "and tested alike."
    )

    def __init__(self) -> None:
        self._warm: set[str] = set()

    def add_learners(self, learners: Sequence[str]) -> None:
        """Compare estimators of scikit-learn's kind, too."""
        self.options = tuple(dict.fromkeys(map(spell_learner, learners)))

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each learner and repeat; a repeat's learners share its split."""
        if dataset is None:
            raise ParameterError("The study compare needs data; name some with --data.")
        class_numbers(dataset)  # says so when there is nothing to compare on
        sizes = _QUICK if quick else _FULL
        points = grid(
            repeat=range(sizes["repeats"]),
            learner=[*LEARNERS, *self.options],
            quick=[quick],
        )
        return [
            Cell(
                point,
                derive_seed(seed, "repeat", point["repeat"]),
                f"repeat {point['repeat']}",
            )
            for point in points
        ]

    def run(self, cell: Cell, context: Context) -> Outcome:
        """Tune, fit and test one learner on one split."""
        quick = bool(cell.params["quick"])
        sizes = _QUICK if quick else _FULL
        limits = (sizes["train"], sizes["test"], sizes["search"])
        learner = find_learner(str(cell.params["learner"]))
        data = context.shared(
            "data", lambda: make_trial_data(context.dataset, cell.seed, *limits)
        )
        self._warm_up(learner, data.X_train)
        # Mercer's learners have threads of their own; the baseline's sums then do not
        # depend on how many threads BLAS would take
        with single_threaded_blas():
            return run_trial(learner, data, cell.seed, sizes["folds"], quick)

    def _warm_up(self, learner: Learner, X: Any) -> None:
        """Show a learner a few samples, so that compiling is not timed.

        Before its first cell and not before all: the first results are there at once.
        """
        if learner.name in self._warm or not learner.is_ours:
            return
        y = np.arange(min(_TINY, X.shape[0])) % 2
        X = X[: len(y)]
        learner.make_search(0, quick=True, gamma=1.0, cv=2).fit(X, y)
        learner.make(0).fit(X, y).predict(X)
        self._warm.add(learner.name)

    def learner_of(self, row: Row) -> str:
        """The learner's name."""
        return learner_name(str(row.params["learner"]))

    def describe(self, row: Row) -> str:
        """The learner and its test error."""
        return f"{self.learner_of(row)}: {100 * row.values['test_error']:.2f} % wrong"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Who wins, by how much, and what is hard about the data."""
        return tell_story(rows, facts)
