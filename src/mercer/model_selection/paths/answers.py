"""What a learner says about samples that a search has set aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelMachine, Reduction
from mercer.model_selection.paths.folds import Fold

Tell = Callable[[int], None]  # hears of so many more fits that are done


class Answers(Protocol):
    """What a model says about some samples."""

    def labels(self) -> NDArray[np.integer]:
        """The index of the class of each sample."""

    def respond(self, method: str) -> NDArray:
        """decision_function or predict_proba; AttributeError where there is none."""


class Learned(NamedTuple):
    """What the model of this number says after learning in a fold.

    `gap` bounds how far its objective is from the optimum, in parts of itself, where
    that is known.
    """

    number: int
    fold: Fold
    test: Answers
    train: Answers | None
    gap: float = np.nan


@dataclass(frozen=True, eq=False)
class BinaryScores:
    """Scores of the binary problems, one column each."""

    reduction: Reduction
    scores: NDArray
    shape: str
    break_ties: bool

    @classmethod
    def of(cls, model: KernelMachine, reduction: Reduction, scores: Any) -> Any:
        """Scores, to be decided on as this model does."""
        shape, break_ties = model.decision_function_shape, model.break_ties
        return cls(reduction, scores, shape, break_ties)

    def labels(self) -> NDArray[np.integer]:
        """The index of the class of each sample."""
        return self.reduction.decide(self.scores, self.break_ties)

    def respond(self, method: str) -> NDArray:
        """The decision function."""
        if method != "decision_function":
            raise AttributeError(method)
        return self.reduction.decision(self.scores, self.shape)


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes of k neighbours for each class."""

    votes: NDArray[np.int64]
    k: int

    def labels(self) -> NDArray[np.integer]:
        """The index of the class of each sample."""
        return self.votes.argmax(axis=1)

    def respond(self, method: str) -> NDArray:
        """Shares of the votes."""
        if method != "predict_proba":
            raise AttributeError(method)
        return self.votes / self.k
