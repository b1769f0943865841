"""Perceptrons over one Gram: the scores of test samples come along.

A sample that is not trained on has sign 0; its score is maintained all the same, so
training and test errors are read without another product. The samples come in the same
order in every epoch, as in the report; a prediction is +1 for s > 0 and -1 otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import Reduction
from mercer.kernels import Gram
from mercer.solvers.online import PerceptronRule, walk
from mercer.studies.published.digit_classifiers.settings import EPOCHS


class Perceptrons:
    """The binary perceptrons of one training part, epoch after epoch.

    Parameters
    ----------
    gram : Gram
        Of all samples.
    y : array of int
        Numbers of their classes.
    train : array of int
        The samples to learn from, in their order.
    reduction : Reduction
        How classes are reduced to two.
    zero_is_negative : bool
        The report's mistake rule; if not, y·s ≤ 0 is a mistake.
    """

    def __init__(
        self,
        gram: Gram,
        y: NDArray[np.integer],
        train: NDArray[np.intp],
        reduction: Reduction,
        zero_is_negative: bool = True,
    ) -> None:
        self._gram, self._reduction = gram, reduction
        self._rules = [PerceptronRule(zero_is_negative)] * reduction.n_problems
        self._signs = np.zeros((reduction.n_problems, gram.n_samples))
        self._signs[:, train] = reduction.signs(y[train])
        self.scores = np.zeros_like(self._signs)

    def learn(self, order: NDArray[np.intp]) -> int:
        """Go through samples in this order; how many updates that took."""
        steps = np.zeros(len(self._rules), np.int64)
        updates = walk(
            self._gram,
            self._rules,
            self._signs,
            order[None].astype(np.int64),
            self.scores,
            steps,
        )
        return sum(len(found.samples) for found in updates)

    def decide(
        self, at: NDArray[np.intp], break_ties: bool = False
    ) -> NDArray[np.integer]:
        """The classes of some samples."""
        scores = np.ascontiguousarray(self.scores[:, at].T)
        return self._reduction.decide(scores, break_ties)


def learn_and_decide(
    gram: Gram,
    y: NDArray[np.integer],
    train: NDArray[np.intp],
    at: NDArray[np.intp],
    reduction: Reduction,
) -> NDArray[np.integer]:
    """All epochs over the training samples, then the classes of some samples."""
    machines = Perceptrons(gram, y, train, reduction)
    machines.learn(np.tile(train, EPOCHS))
    return machines.decide(at)
