"""From classes to binary problems and back: one-vs-rest and one-vs-one.

A reduction gives each binary problem a code, one number per class: +1, -1, or 0 for a
class that takes no part. No learner knows classes, no reduction knows a learner.

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
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._storable import check_classes_stored, is_count, need, storable
from mercer.exceptions import ParameterError


@lru_cache(maxsize=4)  # for few classes it takes longer than what it is for
def pairs(n_classes: int) -> NDArray[np.intp]:
    """The first and the second class of each pair, as two rows."""
    found = np.array(np.triu_indices(n_classes, 1))
    found.flags.writeable = False
    return found


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
    n_classes: int

    @classmethod
    def make(cls, kind: str, n_classes: int) -> Reduction:
        """``"ovr"`` or ``"ovo"`` over so many classes."""
        if kind not in {"ovr", "ovo"}:
            raise ParameterError(
                f"multiclass is {kind!r}; it must be 'ovr' (one-vs-rest) or 'ovo' "
                "(one-vs-one)."
            )
        return cls("binary" if n_classes == 2 else kind, n_classes)

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(codes := state.get("codes"), np.ndarray) and codes.ndim == 2:
            # a model file from before the codes were made on demand
            state = {"kind": state.get("kind"), "n_classes": codes.shape[1]}
        self.__dict__.update(state)

    def __mercer_check__(self) -> None:
        good = is_count(self.n_classes) and self.kind in {"binary", "ovr", "ovo"}
        good = good and (self.kind == "binary") == (self.n_classes == 2)
        need(good, "its binary problems are not those of its classes")

    @property
    def n_problems(self) -> int:
        """How many binary problems there are."""
        n = self.n_classes
        return {"binary": 1, "ovr": n, "ovo": n * (n - 1) // 2}[self.kind]

    def code(self, p: int) -> NDArray[np.float64]:
        """What each class is in a problem."""
        if self.kind == "binary":
            return np.array([-1.0, 1.0])
        if self.kind == "ovr":
            code = np.full(self.n_classes, -1.0)
            code[p] = 1
            return code
        # from the last pair, those of a class are one more than those of the next
        left = self.n_problems - 1 - p
        after = (isqrt(8 * left + 1) - 1) // 2
        code, last = np.zeros(self.n_classes), self.n_classes - 1
        code[last - 1 - after] = 1
        code[last - (left - after * (after + 1) // 2)] = -1
        return code

    @property
    def codes(self) -> NDArray[np.float64]:
        """The codes of all problems, one row each: large where classes are many."""
        return np.array([self.code(p) for p in range(self.n_problems)])

    def sums(self, of_classes: NDArray) -> NDArray:
        """For each problem the sum over the classes that take part."""
        if self.kind != "ovo":
            return np.full(self.n_problems, of_classes.sum())
        first, second = pairs(self.n_classes)
        return np.asarray(of_classes[first] + of_classes[second])

    def stack(
        self, counts: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
        """Samples of all pairs, pair by pair, of samples in the order of their classes.

        Which they are, their signs, and where each pair begins.
        """
        if self.kind == "binary":
            n = int(counts.sum())
            return np.arange(n), self.code(0).repeat(counts), np.array([0, n])
        members = pairs(self.n_classes).T
        sizes = counts[members].ravel()
        before = np.cumsum(sizes) - sizes
        shift = (np.cumsum(counts) - counts)[members].ravel() - before
        at = np.arange(sizes.sum()) + np.repeat(shift, sizes)
        signs = np.repeat(np.tile([1.0, -1.0], len(members)), sizes)
        return at, signs, np.append(before[::2], len(at))

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
        return self._votes(scores)[0].argmax(axis=1)

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
        votes, confidence = self._votes(scores)
        return votes + confidence / (3 * (np.abs(confidence) + 1))

    def margins(self, scores: NDArray) -> NDArray[np.float64]:
        """The mean score of each class against the others (and itself: 0)."""
        if self.kind == "binary":
            return np.column_stack([-scores[:, 0], scores[:, 0]]) / 2
        if self.kind == "ovr":
            return np.asarray(scores, np.float64)
        return np.asarray(self._votes(scores)[1], np.float64) / self.n_classes

    def votes(self, scores: NDArray) -> NDArray[np.float64]:
        """Votes for each class, from the scores of one-vs-one."""
        return self._votes(scores)[0]

    def _votes(self, scores: NDArray) -> tuple[NDArray[np.float64], NDArray]:
        """Of one-vs-one for each class: its votes, and the sum of its scores."""
        shape = len(scores), self.n_classes
        votes, confidence = np.zeros(shape), np.zeros(shape, scores.dtype)
        _count_votes(np.ascontiguousarray(scores), votes, confidence)
        return votes, confidence


@compiled
def _count_votes(scores: NDArray, votes: NDArray, confidence: NDArray) -> None:
    for row in range(len(scores)):
        p = 0
        for i in range(votes.shape[1]):
            for j in range(i + 1, votes.shape[1]):
                score = scores[row, p]
                votes[row, i if score > 0 else j] += 1
                confidence[row, i] += score
                confidence[row, j] -= score
                p += 1


def check_reduction_stored(model: Any) -> None:
    """What a classifier from a file must know of its classes and binary problems."""
    check_classes_stored(model)
    reduction = model.reduction_
    need(type(reduction) is Reduction, "it has no reduction")
    need(reduction.n_classes == len(model.classes_), "its classes differ")
