"""Perceptron and Pegasos in all folds: one run for all candidates that it can serve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mercer._threads import parallel_map
from mercer.estimators import KernelPegasos
from mercer.estimators._reduction import Reduction
from mercer.kernels import Gram
from mercer.model_selection.paths.online_problem import (
    AVERAGED,
    LAST,
    OnlineProblem,
    Read,
)
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.sums_of_sizes import Bounds, SumsOfSizes
from mercer.model_selection.search.candidates import Candidate
from mercer.model_selection.search.cells import Cell, Outcome, Tell, groups, run_key
from mercer.model_selection.search.folds import Fold
from mercer.model_selection.search.known_model import BinaryScores
from mercer.solvers.online import walk

READ = {"epochs", "variant", "n_steps", "average"}
_FOLDS_AT_ONCE = 16
_WORTH_KEEPING = 2**19  # so many numbers of an order are kept for the next kernel

Pieces = tuple[Sequence[NDArray[np.int64]], Sequence[int]]


def learn_online(
    gram: Gram | PolynomialRows, cells: Sequence[Cell], with_train: bool, tell: Tell
) -> Iterator[Outcome]:
    """Learn and answer in all cells; runs that differ only in reading are one."""
    bounds: dict[bool, Bounds] = {}
    for candidates, folds in groups(cells, READ):
        given = candidates[0].estimator._precomputed
        if given not in bounds:
            bounds[given] = Bounds.of(gram, given)
        for first in range(0, len(folds), _FOLDS_AT_ONCE):
            part = folds[first : first + _FOLDS_AT_ONCE]
            runs = [
                _FoldRun(gram.n_samples, fold, candidates, with_train) for fold in part
            ]
            if gram.in_memory:
                problems = [problem for run in runs for problem in run.problems]
                parallel_map(lambda problem: problem.walk(gram), problems)
            else:
                assert isinstance(gram, Gram)
                for run in runs:
                    _walk_together(gram, run.problems)
            tell(len(candidates) * len(part))
            _settle(gram, bounds[given], runs)
            for run in runs:
                yield from run.outcomes()


class _FoldRun:
    """The binary problems of one fold, for candidates that one run serves."""

    def __init__(
        self, n_samples: int, fold: Fold, candidates: list[Candidate], with_train: bool
    ) -> None:
        self.fold, self.candidates = fold, candidates
        model = candidates[0].fresh()
        self.reduction = Reduction.make(model.multiclass, len(fold.classes))
        local = self.reduction.signs(fold.numbers)
        sizes = np.count_nonzero(local, axis=1)
        rules = model._rules(sizes)
        wanted = [_wanted(candidates, int(size)) for size in sizes]
        pieces = _all_pieces(model, fold, candidates, local, wanted)
        at = [fold.test_at, fold.train_at] if with_train else [fold.test_at]
        shape = len(candidates), len(rules)
        self.at, self.scores = at, [np.empty((*shape, len(places))) for places in at]
        self.problems = []
        for p, rule in enumerate(rules):
            signs = np.zeros(n_samples)
            signs[fold.train_at] = local[p]
            outs = [scores[:, p] for scores in self.scores]
            self.problems.append(
                OnlineProblem(rule, signs, *pieces[p], wanted[p], at, outs)
            )

    def settle(self, number: int, sums: SumsOfSizes) -> None:
        for at, scores in zip(self.at, self.scores):
            sums.settle(number, self.reduction.kind, scores[number].T, at)

    def outcomes(self) -> Iterator[Outcome]:
        for number, candidate in enumerate(self.candidates):
            model = candidate.estimator
            shape, break_ties = model.decision_function_shape, model.break_ties
            answers = [
                BinaryScores(self.reduction, scores[number].T, shape, break_ties)
                for scores in self.scores
            ]
            train = answers[1] if len(answers) > 1 else None
            yield Outcome(Cell(candidate, self.fold), answers[0], train)


def _settle(
    gram: Gram | PolynomialRows, bounds: Bounds, runs: Sequence[_FoldRun]
) -> None:
    """Settle ties in all scores of the runs."""
    work = []
    for run in runs:
        sums = SumsOfSizes(gram, bounds, [problem.updates for problem in run.problems])
        work += [(run, number, sums) for number in range(len(run.candidates))]
    if gram.in_memory:
        parallel_map(lambda own: own[0].settle(*own[1:]), work)
    else:  # rows are computed with all threads, for one candidate after another
        for run, number, sums in work:
            run.settle(number, sums)


def _wanted(candidates: Sequence[Candidate], size: int) -> dict[Read, list[int]]:
    """What to read of a problem of so many samples, and for which candidates."""
    wanted: dict[Read, list[int]] = {}
    for number, candidate in enumerate(candidates):
        model = candidate.estimator
        if isinstance(model, KernelPegasos):
            read = model._steps(size), AVERAGED if model.average else LAST
        else:
            read = model.epochs * size, model.variant
        wanted.setdefault(read, []).append(number)
    return wanted


def _all_pieces(
    model: Any,
    fold: Fold,
    candidates: Sequence[Candidate],
    signs: NDArray[np.float64],
    wanted: list[dict[Read, list[int]]],
) -> list[Pieces]:
    """The sequence of each problem in pieces, and the steps at the end of each."""
    if isinstance(model, KernelPegasos):
        ends = [sorted({end for end, _ in reads}) for reads in wanted]
        draws = model._draw(signs, [own[-1] for own in ends])
        return [
            (np.split(fold.train_at[drawn[: own[-1]]], own[:-1]), own)
            for drawn, own in zip(draws, ends)
        ]
    epochs = max(candidate.estimator.epochs for candidate in candidates)
    orders = _orders(model, fold, candidates[0], epochs)
    sizes = np.count_nonzero(signs, axis=1)
    return [(orders, [int(size) * (e + 1) for e in range(epochs)]) for size in sizes]


def _orders(
    model: Any, fold: Fold, candidate: Candidate, epochs: int
) -> Sequence[NDArray[np.int64]]:
    """The order of each epoch; every kernel walks through the same ones."""
    key = ("orders", epochs, run_key(candidate, READ))
    if key not in fold.memory:
        orders = np.tile(np.arange(len(fold.train)), (epochs, 1))
        if model.shuffle:
            random = check_random_state(model.random_state)
            for order in orders:
                random.shuffle(order)
        at = fold.train_at[orders]
        if at.size > _WORTH_KEEPING:
            return list(at)
        fold.memory[key] = list(at)
    kept: Sequence[NDArray[np.int64]] = fold.memory[key]
    return kept


def _walk_together(gram: Gram, problems: list[OnlineProblem]) -> None:
    """Walk the problems of a fold side by side, over rows computed on demand."""
    signs = np.stack([problem.signs for problem in problems])
    scores = np.zeros(signs.shape)
    done = np.zeros(len(problems), np.int64)
    rules = [problem.rule for problem in problems]
    for problem, row in zip(problems, scores):
        problem.scores = row
    for number in range(max(len(problem.pieces) for problem in problems)):
        own = [p.pieces[number] if number < len(p.pieces) else () for p in problems]
        orders = np.full((len(problems), max(map(len, own))), -1)
        for order, piece in zip(orders, own):
            order[: len(piece)] = piece
        before = scores.copy()
        found = walk(gram, rules, signs, orders, scores, done)
        for p, problem in enumerate(problems):
            done[p] = found[p].n_steps
            problem.follow(gram, found[p], before[p])
            if number < len(problem.ends):
                problem.read(problem.ends[number])
