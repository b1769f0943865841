"""The paths of learners: one run for all values of the parameters that it can serve.

A path is given models that differ in their `path_parameters` alone, and folds as index
views on one Gram; it yields what each model says in each fold. Which path a learner
takes follows from its kind (`mercer.estimators.learner`), so that learners written
elsewhere take them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mercer.estimators import (
    BinaryMachine,
    GramLearner,
    KernelKNN,
    OnlineKernelMachine,
)
from mercer.model_selection.paths.answers import Learned
from mercer.model_selection.paths.coefficients import solve_path
from mercer.model_selection.paths.neighbours import list_neighbours
from mercer.model_selection.paths.online import walk_path


@dataclass(frozen=True)
class Path:
    """A way to learn and to answer in all folds, and what it asks of the Gram."""

    learn: Callable[..., Iterator[Learned]]
    by_class: bool = False  # reads long runs where samples are ordered by class
    single_rows: bool = False  # reads a row at a time, and not all of them


_PATHS: dict[type, Path] = {
    BinaryMachine: Path(solve_path, by_class=True),
    OnlineKernelMachine: Path(walk_path, single_rows=True),
    KernelKNN: Path(list_neighbours),
}


def path_of(model: Any) -> Path | None:
    """The path that a model takes on a shared Gram; None if it is fitted alone."""
    if not isinstance(model, GramLearner) or not model.shares_gram():
        return None
    kinds = (path for kind, path in _PATHS.items() if isinstance(model, kind))
    return next(kinds, None)
