"""SVMs of many training parts over one Gram, C ascending from warm starts.

scikit-learn's SVC, which the report used, learns one-vs-one whatever the shape of its
decision function, and so do these.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.estimators import Reduction
from mercer.kernels import Gram
from mercer.solvers.svm import BinaryProblem, Limits, SVMSolution, solve_many
from mercer.studies.published.digit_classifiers.splits import Part

#: The report's tolerance, scikit-learn's default.
_TOL = 1e-3


def decide_by_svms(
    gram: Gram,
    y: NDArray[np.integer],
    parts: Sequence[Part],
    penalties: Sequence[float],
) -> list[NDArray[np.integer]]:
    """For each part its samples' classes for every C, in rows; C ascending."""
    paths = [_Path(y, part) for part in parts]
    decided: list[list[NDArray[np.integer]]] = [[] for _ in parts]
    for C in penalties:
        todo = [(path, p) for path in paths for p in path.unfinished()]
        solutions = solve_many(
            gram,
            [path.problem(p, C) for path, p in todo],
            limits=Limits(tol=_TOL),
            starts=[path.solutions[p] for path, p in todo],
        )
        for (path, p), solution in zip(todo, solutions):
            path.keep(p, C, solution)
        answers = parallel_map(lambda path: path.decide(gram), paths)
        for found, answer in zip(decided, answers):
            found.append(answer)
    return [np.stack(found) for found in decided]


class _Path:
    """The pairs of classes of one part, and their latest solutions."""

    def __init__(self, y: NDArray[np.integer], part: Part) -> None:
        # in the order of the Gram, so that rows of a class are close together
        self._train, self._at = np.sort(part.train), part.at
        classes = y[self._train]
        n_classes = int(y.max()) + 1
        self._reduction = Reduction.make("ovo", n_classes)
        members = [np.flatnonzero(classes == c) for c in range(n_classes)]
        self._members = [
            np.concatenate([members[i], members[j]])
            for i, j in combinations(range(n_classes), 2)
        ]
        self._signs = [
            np.repeat([1.0, -1.0], [len(members[i]), len(members[j])])
            for i, j in combinations(range(n_classes), 2)
        ]
        self.solutions: list[SVMSolution | None] = [None] * len(self._members)
        self._bounded = [True] * len(self._members)

    def unfinished(self) -> list[int]:
        """Pairs with an α at its bound; other solutions hold for every larger C."""
        return [p for p, bounded in enumerate(self._bounded) if bounded]

    def problem(self, p: int, C: float) -> BinaryProblem:
        """A pair as a problem over the Gram of all samples."""
        upper = np.full(len(self._signs[p]), C)
        return BinaryProblem(self._train[self._members[p]], self._signs[p], upper)

    def keep(self, p: int, C: float, solution: SVMSolution) -> None:
        """Take the solution of a pair."""
        self.solutions[p] = solution
        inside = solution.certificate.converged and bool((solution.alpha < C).all())
        self._bounded[p] = not inside

    def decide(self, gram: Gram) -> NDArray[np.integer]:
        """The classes of the part's samples by the votes of all pairs."""
        coefficients = np.zeros((len(self._members), len(self._train)))
        bias = np.zeros(len(self._members))
        for p, solution in enumerate(self.solutions):
            assert solution is not None
            coefficients[p, self._members[p]] = solution.coef
            bias[p] = solution.bias
        support = np.flatnonzero(coefficients.any(axis=0))
        values = gram.block(self._at, self._train[support])
        scores = values @ coefficients[:, support].T.astype(gram.dtype)
        return self._reduction.decide(scores + bias)
