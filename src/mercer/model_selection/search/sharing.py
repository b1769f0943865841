"""Which candidates can work on one Gram, and which kernel each needs in each fold."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from mercer.estimators import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.estimators._base import KernelEstimator
from mercer.estimators._checks import check_choice, check_count, check_positive
from mercer.estimators._reduction import Reduction
from mercer.estimators.perceptron import VARIANTS
from mercer.kernels import Kernel, make_kernel, uses_gamma
from mercer.model_selection.search.candidates import Candidate
from mercer.model_selection.search.folds import Fold

#: X is itself the matrix of kernel values
PRECOMPUTED = "precomputed"
#: kernels that scikit-learn and Mercer mean alike
_SAME = {"linear", "poly", "rbf", "cosine"}


class Kernels:
    """Finds the kernel of a candidate in a fold; γ is worked out once a fold."""

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
        degree, coef0 = (
            getattr(estimator, "degree", 3),
            getattr(estimator, "coef0", 0.0),
        )
        return make_kernel(kernel, gamma, degree, coef0, self._X[:1])

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


def check_learner(candidate: Candidate, folds: Sequence[Fold], y: NDArray) -> None:
    """Complain about parameters as fit would; `TypeError` for what has no fast way."""
    model = candidate.fresh()
    check = _CHECKS.get(type(model))
    if check is None:
        raise TypeError(f"{type(model).__name__} is fitted cell by cell")
    check(model, folds, y)


def _check_perceptron(model: Any, folds: Sequence[Fold], y: NDArray) -> None:
    check_count("epochs", model.epochs)
    check_choice("variant", model.variant, VARIANTS)
    model._rules(np.array([1]))
    Reduction.make(model.multiclass, 3)


def _check_pegasos(model: Any, folds: Sequence[Fold], y: NDArray) -> None:
    model._steps(1)
    check_count("record", model.record, least=0)
    model._rules(np.array([1]))
    Reduction.make(model.multiclass, 3)


def _check_neighbours(model: Any, folds: Sequence[Fold], y: NDArray) -> None:
    k = check_count("n_neighbors", model.n_neighbors)
    if k > min(len(fold.train) for fold in folds):
        raise TypeError("more neighbours than samples: predict says so")


def _check_svc(model: Any, folds: Sequence[Fold], y: NDArray) -> None:
    if model.max_seconds is not None:
        raise TypeError("time is limited for each fit")
    if model.solver == "lbfgs" and model.bias == "free":
        raise TypeError("fit says why not")
    C = model.C.values() if hasattr(model.C, "values") else [model.C]
    for value in C:
        check_positive("C", value)
    for fold in folds:
        model.classes_ = fold.classes
        model._upper_bounds(None, y[fold.train], fold.numbers, None)
    model._settings(0.0, SimpleNamespace(callback=None))
    Reduction.make(model.multiclass, 3)


_CHECKS = {
    KernelPerceptron: _check_perceptron,
    KernelPegasos: _check_pegasos,
    KernelKNN: _check_neighbours,
    KernelSVC: _check_svc,
}
