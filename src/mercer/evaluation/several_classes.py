"""Several classes: who is taken for whom, and what these mistakes cost."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from mercer.calibration import CalibratedClassifier
from mercer.evaluation._judged import Judged
from mercer.evaluation._options import Calibration
from mercer.evaluation._text import (
    TextTable,
    describe_confusions,
    describe_error,
    percent,
)
from mercer.evaluation.evaluation import Evaluation, basics
from mercer.metrics import normalized_bayes_cost

Costs = NDArray[np.float64] | None
_MOST_PAIRS, _MOST_CLASSES = 10, 30


@dataclass(frozen=True)
class ClassErrors:
    """The mistakes on the samples of one class, and what these are taken for.

    `error` is None where there are no samples of the class.
    """

    name: str = field(metadata={"key": "class"})
    n_samples: int
    wrong: int
    error: float | None
    taken_for: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Decisions:
    """Decisions from scores of one kind: their mistakes, and what these cost.

    `bayes_cost` is normalised, at equal priors; None where no costs are given.
    """

    name: str = field(metadata={"key": "scores"})
    wrong: int
    error: float
    bayes_cost: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class SeveralClassesEvaluation(Evaluation):
    """Who is taken for whom, and what it costs.

    Attributes
    ----------
    per_class : tuple of ClassErrors
        The errors of each class.
    confusions : tuple of (str, str, int)
        The most frequent mistakes: true class, decision, how often.
    bayes_cost : float or None
        The normalised cost at equal priors, where costs are given.
    calibrated : Decisions or None
        The decisions after calibration, where asked for.
    """

    per_class: tuple[ClassErrors, ...]
    confusions: tuple[tuple[str, str, int], ...]
    bayes_cost: float | None
    calibrated: Decisions | None

    def _more_facts(self, error: str) -> dict[str, str]:
        facts = {"error": error}
        if self.bayes_cost is not None:
            cost = f"{self.bayes_cost:.4f} normalised Bayes cost"
            facts["cost"] = f"{cost}, equal priors (1 is worth nothing)"
        if (after := self.calibrated) is not None:
            facts["calibrated"] = describe_error(after.wrong, self.n_samples)
            if after.bayes_cost is not None:
                facts["calibrated"] += f", normalised Bayes cost {after.bayes_cost:.4f}"
            facts["calibrated"] += after.name.removeprefix("calibrated")
        if self.confusions:
            facts["mistakes"] = describe_confusions(self.confusions)
        return facts

    def table(self) -> TextTable:
        """The errors of each class; of many classes the worst."""
        shown, caption = list(self.per_class), None
        if len(shown) > _MOST_CLASSES:
            caption = f"the {_MOST_CLASSES} worst of {len(shown)} classes"
            shown = sorted(shown, key=lambda row: -(row.error or 0.0))[:_MOST_CLASSES]
        rows = [
            (
                row.name,
                f"{row.n_samples:,}",
                f"{row.wrong:,}",
                "–" if row.error is None else percent(row.error),
                ", ".join(f"{name} ({n:,})" for name, n in row.taken_for),
            )
            for row in shown
        ]
        header = ("class", "samples", "wrong", "error", "taken for")
        return TextTable(header, rows, {1, 2, 3}, caption)


def evaluate_several_classes(
    judged: Judged, other: Judged | None, costs: Costs, calibration: Calibration | None
) -> SeveralClassesEvaluation:
    """Evaluate decisions among several classes."""
    names, wrong = judged.classes.tolist(), judged.wrong
    pairs = zip(judged.labels[wrong].tolist(), judged.predicted[wrong].tolist())
    most = Counter(pairs).most_common(_MOST_PAIRS)
    calibrated = None
    if calibration is not None:
        calibrated = _decide_calibrated(judged, other, costs, calibration)
    return SeveralClassesEvaluation(
        **basics(judged),
        per_class=tuple(_one_class(judged, place) for place in range(len(names))),
        confusions=tuple((names[a], names[b], n) for (a, b), n in most),
        bayes_cost=_cost(judged.labels, judged.predicted, costs),
        calibrated=calibrated,
    )


def _one_class(judged: Judged, place: int) -> ClassErrors:
    members = judged.labels == place
    mistakes = judged.predicted[members & judged.wrong]
    taken_for = Counter(judged.classes[mistakes].tolist()).most_common(3)
    name, n, n_wrong = judged.classes[place].item(), int(members.sum()), len(mistakes)
    error = n_wrong / n if n else None
    return ClassErrors(name, n, n_wrong, error, tuple(taken_for))


def _cost(labels: NDArray, decided: NDArray, costs: Costs) -> float | None:
    if costs is None:
        return None
    every = np.arange(len(costs))
    return normalized_bayes_cost(labels, decided, costs, labels=every)


def _decide_calibrated(
    judged: Judged, other: Judged | None, costs: Costs, calibration: Calibration
) -> Decisions:
    """Decide by a calibration on other samples, or each sample by the other folds."""
    scores, labels = judged.scores, judged.labels
    if other is not None:
        name = "calibrated"
        decided = _calibrate(other.scores, other.labels, costs).predict(scores)
    else:
        name, folds = f"calibrated, {calibration.folds} folds", calibration.folds
        fewest = np.bincount(labels, minlength=len(judged.classes)).min()
        calibration.check_folds(int(fewest), "smallest")
        decided = np.empty_like(judged.predicted)
        splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
        for train, test in splitter.split(scores, labels):
            model = _calibrate(scores[train], labels[train], costs)
            decided[test] = model.predict(scores[test])
    wrong = int((decided != labels).sum())
    return Decisions(name, wrong, wrong / len(decided), _cost(labels, decided, costs))


def _calibrate(scores: NDArray, labels: NDArray, costs: Costs) -> CalibratedClassifier:
    n_classes = scores.shape[1]
    # what the mistakes cost is counted with equal priors, plain errors as they come
    prior = None if costs is None else np.full(n_classes, 1.0 / n_classes)
    model = CalibratedClassifier(
        _Asked(n_classes), prior=prior, cost_matrix=costs, cv="prefit"
    )
    return model.fit(scores, labels)


class _Asked(ClassifierMixin, BaseEstimator):
    """A classifier that was asked already: its samples are its scores."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def fit(self, X: Any, y: Any) -> Self:
        return self

    def decision_function(self, X: NDArray) -> NDArray:
        return X
