"""Cells of a search, a candidate in a fold, and which of them can share work."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.model_selection.search.candidates import Candidate
from mercer.model_selection.search.folds import Fold
from mercer.model_selection.search.known_model import Answers

#: parameters that do not change what a learner does on a given Gram
ASIDE = {
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "memory_budget",
    "verbose",
    "decision_function_shape",
    "break_ties",
    "record",
}
Tell = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Cell:
    """A candidate in a fold."""

    candidate: Candidate
    fold: Fold

    @property
    def key(self) -> tuple[int, int]:
        """The numbers of both."""
        return self.candidate.number, self.fold.number


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a candidate that learned in a fold says about the fold's samples."""

    cell: Cell
    test: Answers
    train: Answers | None


def run_key(candidate: Candidate, aside: set[str]) -> Hashable:
    """The parameters, those in `aside` left out, as something to compare."""
    kept = sorted(set(candidate.values) - aside - ASIDE)
    parameters = tuple((name, _value(candidate.values[name])) for name in kept)
    return type(candidate.estimator), parameters


def groups(
    cells: Sequence[Cell], aside: set[str]
) -> Iterator[tuple[list[Candidate], list[Fold]]]:
    """Candidates that differ only in `aside`, with the folds that have all of them."""
    of_fold: dict[int, tuple[Fold, dict[Hashable, list[Candidate]]]] = {}
    for cell in cells:
        _, runs = of_fold.setdefault(cell.fold.number, (cell.fold, {}))
        key = run_key(cell.candidate, aside)
        runs.setdefault(key, []).append(cell.candidate)
    together: dict[Hashable, tuple[list[Candidate], list[Fold]]] = {}
    for fold, runs in of_fold.values():
        for candidates in runs.values():
            numbers = tuple(candidate.number for candidate in candidates)
            together.setdefault(numbers, (candidates, []))[1].append(fold)
    yield from together.values()


def _value(value: Any) -> Hashable:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return pickle.dumps(value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return type(value).__name__, value
