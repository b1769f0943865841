"""The plan of a search: which cells share which Gram, and which are fitted alone.

Three ways, from the fastest: a learner of Mercer's works on index views of a Gram; an
estimator that takes a precomputed kernel is fitted on slices of a Gram; everything else
is fitted on the samples, as GridSearchCV does.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelKNN, KernelSVC
from mercer.estimators._neighbour_search import ranks_by_distance
from mercer.kernels import Kernel
from mercer.model_selection.search.candidates import Candidate
from mercer.model_selection.search.cells import Cell
from mercer.model_selection.search.folds import Fold, order_by_class_and_fold, placed
from mercer.model_selection.search.grams import key_of
from mercer.model_selection.search.sharing import (
    PRECOMPUTED,
    Kernels,
    check_learner,
    takes_precomputed,
)


@dataclass
class Share:
    """The cells that work on the Gram of one kernel."""

    kernel: Kernel | str
    needs_gram: bool = True
    fast: list[Cell] = field(default_factory=list)
    fitted: list[Cell] = field(default_factory=list)

    @property
    def cells(self) -> list[Cell]:
        """All of them."""
        return self.fast + self.fitted


@dataclass
class Plan:
    """What is shared and what is not; `order` is that of the samples in the Grams."""

    shares: list[Share]
    alone: list[Cell]
    order: NDArray[np.intp]
    folds: Sequence[Fold]

    @property
    def kernels(self) -> list[Kernel]:
        """The kernels whose Grams have to be computed."""
        return [
            share.kernel
            for share in self.shares
            if isinstance(share.kernel, Kernel) and share.needs_gram
        ]


def make_plan(
    candidates: Sequence[Candidate],
    folds: Sequence[Fold],
    X: Any,
    labels: NDArray,
    with_fit_params: bool,
) -> Plan:
    """See what can be shared; X is None where the samples are not what Mercer takes."""
    ways = [_way(c, folds, labels, with_fit_params, X is None) for c in candidates]
    fast = {
        candidate.number for candidate, way in zip(candidates, ways) if way == "fast"
    }
    order = np.arange(len(labels))
    if fast and "fitted" not in ways and _all_svc(candidates, fast):
        order = order_by_class_and_fold(labels, folds)
        folds = placed(folds, order)
    shares: dict[Hashable, Share] = {}
    alone: list[Cell] = []
    kernels = Kernels(X)
    for candidate, way in zip(candidates, ways):
        for fold in folds:
            cell = Cell(candidate, fold)
            kernel = _kernel(kernels, cell) if way != "alone" else None
            if (
                kernel is None
                or (kernel == PRECOMPUTED and way == "fitted")
                or (way == "fast" and not fold.can_learn)
            ):
                alone.append(cell)
            else:
                needs_gram = way != "fast" or _needs_gram(candidate, kernel, X)
                share = shares.setdefault(key_of(kernel), Share(kernel, needs_gram))
                share.needs_gram |= needs_gram
                (share.fast if way == "fast" else share.fitted).append(cell)
    return Plan(list(shares.values()), alone, order, folds)


def _way(
    candidate: Candidate,
    folds: Sequence[Fold],
    labels: NDArray,
    with_fit_params: bool,
    unfit: bool,
) -> str:
    if unfit:
        return "alone"
    if not with_fit_params:
        try:
            check_learner(candidate, [f for f in folds if f.can_learn], labels)
            return "fast"
        except TypeError:
            pass
        except ValueError:
            return "alone"  # where fit complains, and error_score is minded
    return "fitted" if takes_precomputed(candidate.estimator) else "alone"


def _kernel(kernels: Kernels, cell: Cell) -> Kernel | str | None:
    try:
        return kernels.find(cell.candidate.estimator, cell.fold)
    except (TypeError, ValueError):
        return None  # fit complains, and error_score is minded


def _needs_gram(candidate: Candidate, kernel: Kernel | str, X: Any) -> bool:
    """Whether kernel values are needed: neighbours are often found without."""
    return not (
        type(candidate.estimator) is KernelKNN
        and isinstance(kernel, Kernel)
        and ranks_by_distance(kernel, X)
    )


def _all_svc(candidates: Sequence[Candidate], numbers: set[int]) -> bool:
    return all(type(candidates[n].estimator) is KernelSVC for n in numbers)
