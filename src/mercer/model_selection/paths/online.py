"""Online learners in all folds: one run for all models that it can serve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy, deepcopy

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.estimators import Course, OnlineKernelMachine, Reading, Reduction
from mercer.kernels import Gram
from mercer.model_selection.paths.answers import BinaryScores, Learned, Tell
from mercer.model_selection.paths.folds import Fold
from mercer.model_selection.paths.online_problem import OnlineProblem
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.run_key import run_key
from mercer.model_selection.paths.sums_of_sizes import Bounds, SumsOfSizes
from mercer.solvers.online import walk

_FOLDS_AT_ONCE = 16
_WORTH_KEEPING = 2**19  # so many rows of a course are kept for the next kernel


def walk_path(
    gram: Gram | PolynomialRows,
    models: Sequence[OnlineKernelMachine],
    folds: Sequence[Fold],
    with_train: bool,
    tell: Tell,
) -> Iterator[Learned]:
    """Learn and answer for all models in all folds, with one run per fold."""
    bounds = Bounds.of(gram, models[0].is_precomputed)
    for first in range(0, len(folds), _FOLDS_AT_ONCE):
        part = folds[first : first + _FOLDS_AT_ONCE]
        runs = [_FoldRun(gram.n_samples, fold, models, with_train) for fold in part]
        if gram.in_memory:
            problems = [problem for run in runs for problem in run.problems]
            parallel_map(lambda problem: problem.walk(gram), problems)
        else:
            assert isinstance(gram, Gram)
            for run in runs:
                _walk_together(gram, run.problems)
        tell(len(models) * len(part))
        _settle(gram, bounds, runs)
        for run in runs:
            yield from run.answers()


class _FoldRun:
    """The binary problems of one fold, for models that one run serves."""

    def __init__(
        self,
        n_samples: int,
        fold: Fold,
        models: Sequence[OnlineKernelMachine],
        with_train: bool,
    ) -> None:
        self.fold, self.models = fold, models
        training = fold.training
        self.reduction = Reduction.make(models[0].multiclass, len(training.classes))
        local = self.reduction.signs(training.y_encoded)
        sizes = np.count_nonzero(local, axis=1)
        wanted = [_wanted(models, int(size)) for size in sizes]
        courses = _courses(models[0], fold, local, wanted)
        self.rows = fold.rows_to_score(with_train)
        shape = len(models), len(sizes)
        self.scores = [np.empty((*shape, len(rows))) for rows in self.rows]
        self.problems = []
        for p, rule in enumerate(models[0].rules(sizes)):
            signs = np.zeros(n_samples)
            signs[training.rows] = local[p]
            outs = [scores[:, p] for scores in self.scores]
            self.problems.append(
                OnlineProblem(rule, signs, courses[p], wanted[p], self.rows, outs)
            )

    def settle(self, m: int, sums: SumsOfSizes) -> None:
        for rows, scores in zip(self.rows, self.scores):
            sums.settle(m, self.reduction.kind, scores[m].T, rows)

    def answers(self) -> Iterator[Learned]:
        for m, model in enumerate(self.models):
            test, *train = (
                BinaryScores.of(model, self.reduction, scores[m].T)
                for scores in self.scores
            )
            yield Learned(m, self.fold, test, train[0] if train else None)


def _settle(
    gram: Gram | PolynomialRows, bounds: Bounds, runs: Sequence[_FoldRun]
) -> None:
    """Settle ties in all scores of the runs."""
    work = []
    for run in runs:
        sums = SumsOfSizes(gram, bounds, [problem.updates for problem in run.problems])
        work += [(run, m, sums) for m in range(len(run.models))]
    if gram.in_memory:
        parallel_map(lambda own: own[0].settle(*own[1:]), work)
    else:  # rows are computed with all threads, for one model after another
        for run, m, sums in work:
            run.settle(m, sums)


def _wanted(
    models: Sequence[OnlineKernelMachine], size: int
) -> dict[Reading, list[int]]:
    """What to read of a problem of so many samples, and for which models."""
    wanted: dict[Reading, list[int]] = {}
    for m, model in enumerate(models):
        wanted.setdefault(model.reading(size), []).append(m)
    return wanted


def _courses(
    model: OnlineKernelMachine,
    fold: Fold,
    signs: NDArray[np.float64],
    wanted: Sequence[dict[Reading, list[int]]],
) -> Sequence[Course]:
    """What each problem walks through; every kernel walks through the same."""
    stops = [sorted({reading.n_steps for reading in reads}) for reads in wanted]
    params = model.get_params(deep=False)
    own = run_key(type(model), params, model.path_parameters)
    key = "courses", own, tuple(map(tuple, stops))
    if key in fold.memory:
        known: Sequence[Course] = fold.memory[key]
        return known
    # random numbers start anew in each fold, as in a clone
    fresh = copy(model)
    fresh.random_state = deepcopy(model.random_state)
    courses = fresh.courses(fold.training, signs, stops)
    pieces = {id(piece): len(piece) for course in courses for piece in course.pieces}
    if sum(pieces.values()) <= _WORTH_KEEPING:
        fold.memory[key] = courses
    return courses


def _walk_together(gram: Gram, problems: list[OnlineProblem]) -> None:
    """Walk the problems of a fold side by side, over rows computed on demand."""
    signs = np.stack([problem.signs for problem in problems])
    scores = np.zeros(signs.shape)
    done = np.zeros(len(problems), np.int64)
    rules = [problem.rule for problem in problems]
    for problem, row in zip(problems, scores):
        problem.scores = row
    courses = [problem.course for problem in problems]
    for number in range(max(len(course.pieces) for course in courses)):
        own = [c.pieces[number] if number < len(c.pieces) else () for c in courses]
        orders = np.full((len(problems), max(map(len, own))), -1)
        for order, piece in zip(orders, own):
            order[: len(piece)] = piece
        before = scores.copy()
        found = walk(gram, rules, signs, orders, scores, done)
        for p, problem in enumerate(problems):
            done[p] = found[p].n_steps
            problem.follow(gram, found[p], before[p])
            if number < len(problem.course.stops):
                problem.read(problem.course.stops[number])
