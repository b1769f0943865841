"""Several classes: who is taken for whom, and what these mistakes cost."""

from __future__ import annotations

from collections import Counter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from mercer.calibration import CalibratedClassifier
from mercer.cli._evaluation.judged import Judged, raw_scores
from mercer.exceptions import ParameterError
from mercer.metrics import confusion_over_runs, normalized_bayes_cost

Costs = NDArray[np.float64] | None
_MOST_PAIRS = 10


def measure(judged: Judged, costs: Costs) -> dict[str, Any]:
    """Errors of each class, the most frequent mistakes, and their cost."""
    names, wrong = judged.classes.tolist(), judged.wrong
    pairs = zip(judged.labels[wrong].tolist(), judged.predicted[wrong].tolist())
    most = Counter(pairs).most_common(_MOST_PAIRS)
    return {
        "per_class": [_one_class(judged, place) for place in range(len(names))],
        "confusions": [[names[a], names[b], n] for (a, b), n in most],
        "bayes_cost": _cost(judged.labels, judged.predicted, costs),
    }


def _one_class(judged: Judged, place: int) -> dict[str, Any]:
    members = judged.labels == place
    mistakes = judged.predicted[members & judged.wrong]
    taken_for = Counter(judged.classes[mistakes].tolist()).most_common(3)
    n = int(members.sum())
    return {
        "class": str(judged.classes[place]),
        "n_samples": n,
        "wrong": len(mistakes),
        "error": len(mistakes) / n if n else None,
        "taken_for": [list(pair) for pair in taken_for],
    }


def _cost(labels: NDArray, decided: NDArray, costs: Costs) -> float | None:
    if costs is None:
        return None
    every = np.arange(len(costs))
    return normalized_bayes_cost(labels, decided, costs, labels=every)


class _Asked(ClassifierMixin, BaseEstimator):
    """A classifier that was asked already: its samples are its scores."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def fit(self, X: Any, y: Any) -> Self:
        return self

    def decision_function(self, X: NDArray) -> NDArray:
        return X


def calibrated_by_folds(judged: Judged, costs: Costs, folds: int) -> dict[str, Any]:
    """Decide each sample by a calibration on the other folds."""
    fewest = int(np.bincount(judged.labels, minlength=len(judged.classes)).min())
    if folds > fewest:
        raise ParameterError(
            f"--folds is {folds}, but the smallest class has {fewest} samples; "
            "use fewer folds."
        )
    scores = raw_scores(judged)
    decided = np.empty_like(judged.predicted)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    for train, test in splitter.split(scores, judged.labels):
        model = _calibrate(scores[train], judged.labels[train], costs)
        decided[test] = model.predict(scores[test])
    return _decisions(judged, decided, costs, f"calibrated, {folds} folds")


def calibrated_on(judged: Judged, other: Judged, costs: Costs) -> dict[str, Any]:
    """Decide by a calibration on other samples."""
    model = _calibrate(raw_scores(other), other.labels, costs)
    return _decisions(judged, model.predict(raw_scores(judged)), costs, "calibrated")


def _calibrate(scores: NDArray, labels: NDArray, costs: Costs) -> CalibratedClassifier:
    n_classes = scores.shape[1]
    # what the mistakes cost is counted with equal priors, plain errors as they come
    prior = None if costs is None else np.full(n_classes, 1.0 / n_classes)
    model = CalibratedClassifier(
        _Asked(n_classes), prior=prior, cost_matrix=costs, cv="prefit"
    )
    return model.fit(scores, labels)


def _decisions(
    judged: Judged, decided: NDArray, costs: Costs, name: str
) -> dict[str, Any]:
    wrong = int((decided != judged.labels).sum())
    return {
        "scores": name,
        "wrong": wrong,
        "error": wrong / len(decided),
        "bayes_cost": _cost(judged.labels, decided, costs),
    }


def figures(judged: Judged, dark: bool) -> dict[str, Any]:
    """The heat map of who was taken for whom."""
    from mercer.report.confusion_figure import draw_confusion

    names = judged.classes
    table = confusion_over_runs(
        names[judged.labels], [names[judged.predicted]], labels=names
    )
    return {"confusion": draw_confusion(table, dark=dark)}
