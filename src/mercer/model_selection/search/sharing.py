"""Which fits of a search share which Gram, and which are fitted alone.

Three ways, from the fastest: a learner that shares a Gram works on index views of it;
an estimator that takes a precomputed kernel is fitted on slices of it; everything else
is fitted on the samples, as GridSearchCV does.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from mercer.estimators import GramLearner, KernelEstimator, OnlineKernelMachine
from mercer.kernels import Kernel, make_kernel, uses_gamma
from mercer.model_selection.paths import path_of
from mercer.model_selection.paths.folds import Fold, order_by_class_and_fold, placed
from mercer.model_selection.search.candidates import Candidate, FoldFit
from mercer.model_selection.search.grams import key_of

#: X is itself the matrix of kernel values
PRECOMPUTED = "precomputed"
#: kernels that scikit-learn and Mercer mean alike
_SAME = {"linear", "poly", "rbf", "cosine", "sigmoid"}


@dataclass
class GramFits:
    """The fits that work on the Gram of one kernel, as views or on slices of it."""

    kernel: Kernel | str
    needs_gram: bool = True
    on_views: list[FoldFit] = field(default_factory=list)
    on_slices: list[FoldFit] = field(default_factory=list)

    @property
    def fits(self) -> list[FoldFit]:
        """All of them."""
        return self.on_views + self.on_slices


@dataclass
class Sharing:
    """What is shared and what is not; `order` is that of the samples in the Grams."""

    shares: list[GramFits]
    alone: list[FoldFit]
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


def find_sharing(
    candidates: Sequence[Candidate],
    folds: Sequence[Fold],
    X: Any,
    labels: NDArray,
    with_fit_params: bool,
) -> Sharing:
    """See what can be shared; X is None where the samples are not what Mercer takes."""
    ways = [
        "alone" if X is None else _way(candidate.estimator, folds, with_fit_params)
        for candidate in candidates
    ]
    paths = [path_of(c.estimator) for c, way in zip(candidates, ways) if way == "views"]
    order = np.arange(len(labels))
    if paths and "slices" not in ways and all(path and path.by_class for path in paths):
        order = order_by_class_and_fold(labels, folds)
        folds = placed(folds, order)
    shares: dict[Hashable, GramFits] = {}
    alone: list[FoldFit] = []
    kernels = Kernels(X)
    for candidate, way in zip(candidates, ways):
        for fold in folds:
            fit = FoldFit(candidate, fold)
            kernel = None if way == "alone" else kernels.find(candidate.estimator, fold)
            if (
                kernel is None
                or (kernel == PRECOMPUTED and way == "slices")
                or (way == "views" and not fold.can_learn)
                or (way == "views" and not _bounds_values(candidate, kernel))
            ):
                alone.append(fit)
                continue
            needs_gram = _needs_gram(candidate.estimator, kernel, X)
            if way == "slices" and not needs_gram:
                alone.append(fit)
                continue
            # what needs no values gets none: rounding would decide between equals
            key = key_of(kernel), needs_gram
            share = shares.setdefault(key, GramFits(kernel, needs_gram))
            (share.on_views if way == "views" else share.on_slices).append(fit)
    return Sharing(list(shares.values()), alone, order, folds)


def _needs_gram(estimator: Any, kernel: Kernel | str, X: Any) -> bool:
    if not isinstance(kernel, Kernel) or not isinstance(estimator, GramLearner):
        return True
    return estimator.needs_gram(kernel, X)


def _bounds_values(candidate: Candidate, kernel: Kernel | str) -> bool:
    """Online learners tell ties by the diagonal, which must bound kernel values."""
    online = isinstance(candidate.estimator, OnlineKernelMachine)
    return not online or not isinstance(kernel, Kernel) or kernel.is_semidefinite


def _way(estimator: Any, folds: Sequence[Fold], with_fit_params: bool) -> str:
    if _cannot_decide(estimator):
        return "alone"  # where predict complains, and error_score is minded
    if path_of(estimator) is not None and not with_fit_params:
        training = [fold.training for fold in folds if fold.can_learn]
        if all(estimator.can_share(part) for part in training):
            try:
                for part in training:
                    estimator.check_parameters(part)
                return "views"
            except ValueError:
                return "alone"  # where fit complains, and error_score is minded
    return "slices" if takes_precomputed(estimator) else "alone"


def _cannot_decide(estimator: Any) -> bool:
    """What `predict` refuses."""
    shape = getattr(estimator, "decision_function_shape", None)
    return shape == "ovo" and bool(getattr(estimator, "break_ties", False))


class Kernels:
    """Finds the kernel of a candidate in a fold; γ is worked out once per fold."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._scales: dict[int, float] = {}

    def find(self, estimator: Any, fold: Fold) -> Kernel | str | None:
        """The kernel, `PRECOMPUTED`, or None where there is none to share."""
        kernel = getattr(estimator, "kernel", None)
        if isinstance(kernel, Kernel):
            return kernel
        if not isinstance(kernel, str):
            return None
        if kernel == PRECOMPUTED:
            return PRECOMPUTED
        if not isinstance(estimator, KernelEstimator) and kernel not in _SAME:
            return None
        gamma = getattr(estimator, "gamma", None)
        if gamma is None:
            gamma = "auto"  # what scikit-learn means by None
        if isinstance(gamma, str) and gamma == "scale" and uses_gamma(kernel):
            gamma = self._scale(fold)
        degree = getattr(estimator, "degree", 3)
        coef0 = getattr(estimator, "coef0", 0.0)
        try:
            return make_kernel(kernel, gamma, degree, coef0, self._X[:1])
        except (TypeError, ValueError):
            return None  # fit complains, and error_score is minded

    def _scale(self, fold: Fold) -> float:
        if fold.number not in self._scales:
            kernel: Any = make_kernel("rbf", "scale", X=self._X[fold.train])
            self._scales[fold.number] = kernel.gamma
        return self._scales[fold.number]


def takes_precomputed(estimator: Any) -> bool:
    """Whether the estimator can learn from a matrix of kernel values."""
    if "kernel" not in estimator.get_params(deep=False):
        return False
    try:
        twin = clone(estimator).set_params(kernel=PRECOMPUTED)
        return bool(get_tags(twin).input_tags.pairwise)
    except (AttributeError, TypeError, ValueError):
        return False
