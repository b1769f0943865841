"""The points of a grid, each an estimator with its parameters set, in all folds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from mercer.estimators import GramLearner
from mercer.exceptions import ParameterError
from mercer.kernels import Kernel
from mercer.model_selection.paths.folds import Fold
from mercer.model_selection.paths.run_key import run_key

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A point of the grid."""

    number: int
    params: dict[str, Any]
    estimator: Any
    values: dict[str, Any]  # all parameters of the estimator


@dataclass(frozen=True, eq=False)
class FoldFit:
    """A candidate, to be fitted in a fold."""

    candidate: Candidate
    fold: Fold

    @property
    def key(self) -> tuple[int, int]:
        """The numbers of both."""
        return self.candidate.number, self.fold.number


def group_by_path(
    fits: Sequence[FoldFit],
) -> Iterator[tuple[list[Candidate], list[Fold]]]:
    """Candidates that one path serves, with the folds that have all of them."""
    of_fold: dict[int, tuple[Fold, dict[Hashable, list[Candidate]]]] = {}
    for fit in fits:
        _, runs = of_fold.setdefault(fit.fold.number, (fit.fold, {}))
        learner, values = type(fit.candidate.estimator), fit.candidate.values
        key = run_key(learner, values, learner.path_parameters)
        runs.setdefault(key, []).append(fit.candidate)
    together: dict[Hashable, tuple[list[Candidate], list[Fold]]] = {}
    for fold, runs in of_fold.values():
        for candidates in runs.values():
            numbers = tuple(candidate.number for candidate in candidates)
            together.setdefault(numbers, (candidates, []))[1].append(fold)
    yield from together.values()


def make_candidates(estimator: Any, grid: Grid) -> list[Candidate]:
    """All points of the grid, in scikit-learn's order."""
    check_names(estimator, grid)
    points = list(ParameterGrid(grid))
    if not points:
        raise ParameterError(
            "The grid is empty; give it a parameter and its values, as in "
            "{'C': [1, 10, 100]}."
        )
    fresh = clone(estimator)
    if isinstance(getattr(estimator, "kernel", None), Kernel):
        fresh.kernel = estimator.kernel
    values = fresh.get_params(deep=False)
    return [
        Candidate(number, params, _configured(fresh, params), values | params)
        for number, params in enumerate(points)
    ]


def _configured(estimator: Any, params: Mapping[str, Any]) -> Any:
    """A copy of the fresh estimator with these parameters."""
    own = {
        # a kernel is not copied, so that equal ones are known to be so
        name: value if isinstance(value, Kernel) else clone(value, safe=False)
        for name, value in params.items()
    }
    if not isinstance(estimator, GramLearner) or any("__" in name for name in own):
        # what a name means is for set_params to say: a step of a pipeline, a member
        return clone(estimator).set_params(**own)
    model = copy(estimator)
    for name, value in own.items():
        setattr(model, name, value)
    return model


def check_names(estimator: Any, grid: Grid) -> None:
    """Complain about a parameter that the estimator does not have."""
    known = estimator.get_params(deep=True)
    for part in [grid] if isinstance(grid, Mapping) else grid:
        if not isinstance(part, Mapping):
            raise ParameterError(
                "A grid is a dict of names and lists of values, or a list of such "
                f"dicts; got {part!r}."
            )
        for name in part:
            # a step that the grid itself exchanges may bring names of its own
            step, _, inner = str(name).partition("__")
            if name not in known and not (inner and step in part):
                raise ParameterError(_unknown(name, estimator, known))


def _unknown(name: Any, estimator: Any, known: Iterable[str]) -> str:
    known = list(known)
    near = get_close_matches(str(name), known, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}? It has " if near else "it has "
    return (
        f"{type(estimator).__name__} has no parameter {name!r}; {hint}"
        f"{', '.join(sorted(known))}."
    )
