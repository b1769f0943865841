"""SVMs in all folds: C ascending, each solution the start of the next.

A smaller C's α is feasible for a larger one and close to its solution; once no α is at
its bound it is the solution for every larger C. Samples are ordered by class and fold,
so that the binary problems read the Gram in long runs.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.estimators._reduction import Reduction
from mercer.kernels import Gram
from mercer.model_selection.paths.svm_scores import ClassPart, score_by_class
from mercer.model_selection.search.candidates import Candidate
from mercer.model_selection.search.cells import Cell, Outcome, Tell, groups
from mercer.model_selection.search.folds import Fold
from mercer.model_selection.search.known_model import BinaryScores
from mercer.solvers.svm import BinaryProblem, SVMSolution, solve_many

READ = {"C"}


def learn_svms(
    gram: Gram, cells: Sequence[Cell], with_train: bool, tell: Tell
) -> Iterator[Outcome]:
    """Solve and answer in all cells.

    After Ctrl-C the values of C that are complete are still answered for.
    """
    for candidates, folds in groups(cells, READ):
        path = sorted(candidates, key=lambda c: _size(c.estimator.C))
        parts = [_FoldPath(fold, path[0].fresh()) for fold in folds]
        complete, stopped = _solve_path(gram, path, parts, tell)
        for part in parts:
            yield from part.outcomes(gram, complete, with_train)
        if stopped:
            raise KeyboardInterrupt


def _size(C: Any) -> float:
    # a dict gives each class its own C, which is no path: such start anew
    return float(C) if isinstance(C, int | float | np.number) else np.inf


def _solve_path(
    gram: Gram, path: list[Candidate], parts: list[_FoldPath], tell: Tell
) -> tuple[list[Candidate], bool]:
    """Solve for one C after the other; the complete ones, and whether Ctrl-C came."""
    stop = threading.Event()
    for number, candidate in enumerate(path):
        model = candidate.estimator
        settings = model._settings(time.perf_counter(), SimpleNamespace(callback=None))
        settings["limits"] = replace(settings["limits"], stop=stop)
        warm = bool(np.isfinite(_size(model.C)))
        todo = [
            (part, p, problem, start)
            for part in parts
            for p, problem, start in part.begin(model, warm)
        ]
        solutions = solve_many(
            gram,
            [problem for _, _, problem, _ in todo],
            starts=[start for *_, start in todo],
            **settings,
        )
        if stop.is_set():
            return path[:number], True
        _warn(solutions)
        for (part, p, _, _), solution in zip(todo, solutions):
            part.solutions[-1][p] = solution
        tell(len(parts))
    return path, False


class _FoldPath:
    """The binary problems of a fold, and their solutions along the path."""

    def __init__(self, fold: Fold, estimator: Any) -> None:
        self.fold = fold
        self.reduction = Reduction.make(estimator.multiclass, len(fold.classes))
        # in the order of the Gram, where a class is a few runs
        order = np.argsort(fold.train_at, kind="stable")
        self._numbers, self._at = fold.numbers[order], fold.train_at[order]
        self._model = estimator
        self._model.classes_, self._model.reduction_ = fold.classes, self.reduction
        local = self._model._problems(self._numbers, np.ones(len(order)))
        self._rows = [problem.rows for problem in local]
        self._signs = [problem.signs for problem in local]
        self.solutions: list[list[SVMSolution | None]] = []

    def begin(
        self, estimator: Any, warm: bool
    ) -> Iterator[tuple[int, BinaryProblem, SVMSolution | None]]:
        """The problems that are left to solve for the C of this estimator."""
        labels = self.fold.classes[self._numbers]
        self._model.C = estimator.C
        upper = self._model._upper_bounds(None, labels, self._numbers, None)
        last = self.solutions[-1] if warm and self.solutions else None
        self.solutions.append([None] * len(self._rows))
        for p, (rows, signs) in enumerate(zip(self._rows, self._signs)):
            start = last[p] if last is not None else None
            if (
                start is not None
                and start.certificate.converged
                and self._inside(p, start)
            ):
                self.solutions[-1][p] = start
                continue
            yield p, BinaryProblem(self._at[rows], signs, upper[rows]), start
        self._upper = upper

    def _inside(self, p: int, solution: SVMSolution) -> bool:
        """Whether no α is at the bound that it was solved with."""
        return bool((solution.alpha < self._upper[self._rows[p]]).all())

    def outcomes(
        self, gram: Gram, path: list[Candidate], with_train: bool
    ) -> Iterator[Outcome]:
        if not path:
            return
        at = (
            [self.fold.test_at, self.fold.train_at]
            if with_train
            else [self.fold.test_at]
        )
        parts = [
            self._part(number, len(path)) for number in range(len(self.fold.classes))
        ]
        bias = [[s.bias for s in solutions if s] for solutions in self.solutions]
        scores = [
            score_by_class(gram, parts, places, np.array(bias[: len(path)]))
            for places in at
        ]
        for number, candidate in enumerate(path):
            answers = [
                BinaryScores(
                    self.reduction,
                    own[number].T,
                    candidate.estimator.decision_function_shape,
                    candidate.estimator.break_ties,
                )
                for own in scores
            ]
            train = answers[1] if with_train else None
            yield Outcome(Cell(candidate, self.fold), answers[0], train)

    def _part(self, number: int, n_values: int) -> ClassPart:
        """The coefficients of one class's samples."""
        mine = np.flatnonzero(self._numbers == number)
        problems = np.flatnonzero(self.reduction.codes[:, number])
        coefficients = np.empty((n_values, len(problems), len(mine)))
        for k, p in enumerate(problems):
            # the samples of a class stand together in the problem
            first = int(np.argmax(self._numbers[self._rows[p]] == number))
            for v in range(n_values):
                solution = self.solutions[v][p]
                assert solution is not None
                coefficients[v, k] = solution.coef[first : first + len(mine)]
        return ClassPart(self._at[mine], problems, coefficients)


def _warn(solutions: list[SVMSolution]) -> None:
    certificates = [solution.certificate for solution in solutions]
    left = [c for c in certificates if not c.converged]
    if left:
        warnings.warn(
            f"{len(left)} of {len(solutions)} binary problems ended before the "
            f"tolerance ({left[0].status}); the scores are of the best models so far.",
            ConvergenceWarning,
            stacklevel=2,
        )
    if any(c.indefinite for c in certificates):
        warnings.warn(
            "The kernel is not positive semidefinite on these samples; the solutions "
            "are stationary points.",
            ConvergenceWarning,
            stacklevel=2,
        )
