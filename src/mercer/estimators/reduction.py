"""From classes to binary problems and back: one-vs-rest and one-vs-one.

A reduction is a table of codes, one row per binary problem, one column per class: +1,
-1, or 0 for a class that takes no part. No learner knows classes, no reduction knows a
learner.

- two classes are one problem, with the second class positive;
- one-vs-rest has one problem per class and decides for the largest score, the first of
  equals;
- one-vs-one has one problem per pair (i, j), i < j, with class i positive as in
  scikit-learn's SVC. A score above zero is a vote for i, any other for j. Most votes
  win; among equals the first class, or, with `break_ties`, the one with the larger sum
  of scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._storable import check_classes_stored, is_floats, need, storable
from mercer.exceptions import ParameterError


@storable
@dataclass(frozen=True)
class Reduction:
    """A way to solve a problem of many classes by binary ones.

    Examples
    --------
    >>> Reduction.make("ovo", 3).codes.astype(int).tolist()
    [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    """

    kind: str
    codes: NDArray[np.float64]

    @classmethod
    def make(cls, kind: str, n_classes: int) -> Reduction:
        """``"ovr"`` or ``"ovo"`` over so many classes."""
        if kind not in {"ovr", "ovo"}:
            raise ParameterError(
                f"multiclass is {kind!r}; it must be 'ovr' (one-vs-rest) or 'ovo' "
                "(one-vs-one)."
            )
        if n_classes == 2:
            return cls("binary", np.array([[-1.0, 1.0]]))
        if kind == "ovr":
            return cls(kind, 2 * np.eye(n_classes) - 1)
        first, second = np.triu_indices(n_classes, 1)
        codes, problems = np.zeros((len(first), n_classes)), np.arange(len(first))
        codes[problems, first], codes[problems, second] = 1, -1
        return cls(kind, codes)

    def __mercer_check__(self) -> None:
        n = self.codes.shape[1]
        problems = {"binary": 1, "ovr": n, "ovo": n * (n - 1) // 2}[self.kind]
        what = "its binary problems are not those of its classes"
        need(is_floats(self.codes, problems, n), what)
        made = Reduction.make("ovo" if self.kind == "ovo" else "ovr", n)
        need(made.kind == self.kind and np.array_equal(made.codes, self.codes), what)

    @property
    def n_problems(self) -> int:
        """How many binary problems there are."""
        return len(self.codes)

    def signs(self, y_encoded: NDArray[np.integer]) -> NDArray[np.float64]:
        """The sign of every sample in every problem, one row per problem."""
        return np.ascontiguousarray(self.codes[:, y_encoded])

    def decide(self, scores: NDArray, break_ties: bool = False) -> NDArray[np.integer]:
        """The index of the class for each row of binary scores."""
        if self.kind == "binary":
            return (scores[:, 0] > 0).astype(np.intp)
        if self.kind == "ovr":
            return scores.argmax(axis=1)
        if break_ties:
            return self.decision(scores, "ovr").argmax(axis=1)
        return self.votes(scores).argmax(axis=1)

    def decision(self, scores: NDArray, shape: str) -> NDArray:
        """Scores as ``decision_function`` gives them, in either of SVC's shapes."""
        if shape not in {"ovr", "ovo"}:
            raise ParameterError(
                f"decision_function_shape is {shape!r}; it must be 'ovr' or 'ovo'."
            )
        if self.kind == "binary":
            return scores[:, 0]
        if self.kind == "ovr" or shape == "ovo":
            return scores
        # as scikit-learn: votes, and within a third of a vote the summed confidence
        confidence = scores @ self.codes.astype(scores.dtype)
        return self.votes(scores) + confidence / (3 * (np.abs(confidence) + 1))

    def votes(self, scores: NDArray) -> NDArray:
        """Votes for each class, from the scores of one-vs-one."""
        positive = scores > 0
        votes_for = positive.astype(scores.dtype) @ np.maximum(self.codes, 0)
        votes_against = (~positive).astype(scores.dtype) @ np.maximum(-self.codes, 0)
        return votes_for + votes_against


def check_reduction_stored(model: Any) -> None:
    """What a classifier from a file must know of its classes and binary problems."""
    check_classes_stored(model)
    reduction = model.reduction_
    need(type(reduction) is Reduction, "it has no reduction")
    need(reduction.codes.shape[1] == len(model.classes_), "its classes differ")
