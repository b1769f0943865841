"""Parameters for each binary problem by itself, and what that gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.estimators import KernelMachine, Reduction
from mercer.exceptions import DataError, ParameterError
from mercer.model_selection.paths.answers import Answers, BinaryScores
from mercer.model_selection.search.candidates import Candidate, FoldFit
from mercer.model_selection.search.task import SearchTask


@dataclass(frozen=True)
class BinaryChoice:
    """The parameters chosen for one binary problem.

    `error` is the problem's own validation error with them, `shared_error` with the
    parameters that are best for all problems together.
    """

    problem: str
    params: dict[str, Any]
    error: float
    shared_error: float


@dataclass(frozen=True)
class PerClassReport:
    """What was chosen for each binary problem, and what it gained.

    Both scores are the accuracy on each fold with what was chosen by the other folds
    alone, so that choosing more does not by itself look better.
    """

    choices: tuple[BinaryChoice, ...]
    score: float
    shared_score: float

    @property
    def gain(self) -> float:
        """Accuracy with own parameters minus accuracy with shared ones."""
        return self.score - self.shared_score

    def __str__(self) -> str:
        own = len({repr(sorted(c.params.items())) for c in self.choices})
        return (
            f"{len(self.choices)} binary problems with {own} different settings: "
            f"accuracy {self.score:.4f} against {self.shared_score:.4f} with one "
            f"setting for all ({self.gain:+.4f})"
        )


class BinaryTrials:
    """Collects the scores of binary problems, and chooses among candidates."""

    def __init__(self, task: SearchTask) -> None:
        for candidate in task.candidates:
            if not isinstance(candidate.estimator, KernelMachine):
                raise ParameterError(
                    f"per_class needs a learner of binary problems (KernelPerceptron, "
                    f"KernelPegasos, KernelSVC); {type(candidate.estimator).__name__} "
                    "is none."
                )
        if len({c.estimator.multiclass for c in task.candidates}) > 1:
            raise ParameterError(
                "With per_class all candidates must reduce the classes in the same "
                "way; take multiclass out of the grid."
            )
        sharing = task.sharing
        if sharing.alone or any(share.on_slices for share in sharing.shares):
            for fit in sharing.alone[:1]:
                _complain(task, fit)
            raise ParameterError(
                "per_class needs the scores of the binary problems, and some "
                "candidates have to be fitted alone: mend or drop impossible values, "
                "max_seconds and sample weights."
            )
        self._labels = task.labels
        self._scores: dict[tuple[int, int], BinaryScores] = {}
        self._folds = sharing.folds
        self._classes = np.unique(task.labels)
        if any(
            len(fold.training.classes) < len(self._classes) for fold in sharing.folds
        ):
            raise DataError(
                "per_class needs samples of every class in every fold; use fewer or "
                "stratified folds."
            )

    def watch(self, fit: FoldFit, test: Answers) -> None:
        """Keep what a fit says about its samples."""
        assert isinstance(test, BinaryScores)
        self._scores[fit.key] = test

    def choose(self, candidates: Sequence[Candidate], best: int) -> PerClassReport:
        """Choose for each problem; among equals the shared best, else the first."""
        self.reduction = self._scores[candidates[0].number, 0].reduction
        wrong, right = self._count(candidates)
        mean = wrong.mean(axis=1)
        chosen = _least(mean, best)
        choices = tuple(
            BinaryChoice(
                _name(self.reduction, self._classes, p),
                candidates[c].params,
                float(mean[c, p]),
                float(mean[best, p]),
            )
            for p, c in enumerate(chosen)
        )
        scores = [
            self._on_fold(k, candidates, wrong, right) for k in range(len(self._folds))
        ]
        own, shared = np.mean(scores, axis=0)
        return PerClassReport(choices, float(own), float(shared))

    def _count(
        self, candidates: Sequence[Candidate]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Binary errors (candidate, fold, problem); accuracies (candidate, fold)."""
        shape = len(candidates), len(self._folds)
        wrong = np.empty((*shape, self.reduction.n_problems))
        right = np.empty(shape)
        for c, candidate in enumerate(candidates):
            for k, fold in enumerate(self._folds):
                answers = self._scores[candidate.number, fold.number]
                y_encoded = np.searchsorted(self._classes, self._labels[fold.test])
                signs = self.reduction.signs(y_encoded).T
                mistakes = ((answers.scores > 0) != (signs > 0)) & (signs != 0)
                taking_part = np.maximum(1, np.count_nonzero(signs, axis=0))
                wrong[c, k] = mistakes.sum(axis=0) / taking_part
                right[c, k] = np.mean(answers.labels() == y_encoded)
        return wrong, right

    def _on_fold(
        self,
        k: int,
        candidates: Sequence[Candidate],
        wrong: NDArray[np.float64],
        right: NDArray[np.float64],
    ) -> tuple[float, float]:
        """Accuracy on a fold with what the other folds choose: own, and shared."""
        others = np.arange(len(self._folds)) != k
        if not others.any():
            others[:] = True
        shared = int(right[:, others].mean(axis=1).argmax())
        chosen = _least(wrong[:, others].mean(axis=1), shared)
        answers = [self._scores[candidates[c].number, k] for c in chosen]
        columns = [
            _comparable(candidates[c].estimator, a.scores[:, p])
            for p, (c, a) in enumerate(zip(chosen, answers))
        ]
        labels = self.reduction.decide(np.stack(columns, axis=1), answers[0].break_ties)
        truth = np.searchsorted(self._classes, self._labels[self._folds[k].test])
        return float(np.mean(labels == truth)), float(right[shared, k])


def _complain(task: SearchTask, fit: FoldFit) -> None:
    """Say what `fit` would say, if that is why a candidate cannot share."""
    model = clone(fit.candidate.estimator)
    if task.samples is None:
        model.fit(task.X, task.y)
    else:
        model.check_parameters(fit.fold.training)
        model.make_kernel(task.samples)


def _least(errors: NDArray[np.float64], preferred: int) -> NDArray[np.intp]:
    """The candidate of the least error for each problem."""
    least = errors.argmin(axis=0)
    equal = errors[preferred] == errors.min(axis=0)
    return np.where(equal, preferred, least)


def _comparable(estimator: Any, scores: NDArray) -> NDArray:
    # see MachinesPerClass: scores of online learners have no scale of their own
    if estimator.scores_have_unit:
        return scores
    return scores / (np.abs(scores).mean() or 1.0)


def _name(reduction: Reduction, classes: NDArray, p: int) -> str:
    names = classes.tolist()
    positive = [names[c] for c in np.flatnonzero(reduction.code(p) > 0)]
    negative = [names[c] for c in np.flatnonzero(reduction.code(p) < 0)]
    rest = negative[0] if len(negative) == 1 else "rest"
    return f"{positive[0]} against {rest}"
