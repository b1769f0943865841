"""A classifier whose binary problems have parameters of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._storable import is_floats, is_indices, need, storable
from mercer.estimators._objects import take
from mercer.estimators.kernel_machine import KernelMachine
from mercer.estimators.reduction import Reduction, check_reduction_stored
from mercer.estimators.svc import KernelSVC
from mercer.exceptions import DataError


@storable
class MachinesPerClass(ClassifierMixin, BaseEstimator):
    """One machine for each binary problem, each with parameters of its own.

    Scores of online learners have no scale that different kernels or λ share: each
    machine's are divided by their mean size on its training samples. Those of the SVM
    are measured in margins and stay as they are.

    Parameters
    ----------
    estimator : KernelPerceptron, KernelPegasos or KernelSVC
        The learner.
    params : list of dicts, or dict
        The parameters of each binary problem, in the order of the reduction: one
        per class (one-vs-rest), or one per pair (one-vs-one). A dict is for all of
        them.

    Attributes
    ----------
    classes_ : array
        The classes.
    machines_ : list of estimators
        The fitted machine of each binary problem, with classes -1 and 1.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> iris = load_dataset("iris")
    >>> model = MachinesPerClass(KernelSVC(), [{"C": 1}, {"C": 1}, {"C": 10}])
    >>> round(model.fit(iris.X, iris.y).score(iris.X, iris.y), 3)
    0.987
    """

    def __init__(
        self, estimator: Any, params: Sequence[Mapping[str, Any]] | Mapping[str, Any]
    ) -> None:
        self.estimator = estimator
        self.params = params

    def __mercer_check__(self) -> None:
        check_reduction_stored(self)
        machines, rows, n = self.machines_, self._rows, self.reduction_.n_problems
        need(
            isinstance(machines, list)
            and len(machines) == n
            and all(isinstance(machine, KernelMachine) for machine in machines)
            and all(machine.reduction_.kind == "binary" for machine in machines),
            "it lacks a machine for each of its binary problems",
        )
        need(is_floats(self.scales_, n), "its scores have no scales")
        good = isinstance(rows, list) and len(rows) == n
        need(good and all(is_indices(r, len(r)) for r in rows), "it has no samples")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn each binary problem from its samples."""
        model = clone(self.estimator)
        X, y = model._validate(X, y)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        y_encoded = model._encode(y)
        self.classes_ = model.classes_
        self.reduction_ = Reduction.make(model.multiclass, len(self.classes_))
        n_problems, params = self.reduction_.n_problems, self.params
        own = [params] * n_problems if isinstance(params, Mapping) else list(params)
        if len(own) != n_problems:
            raise DataError(
                f"There are {n_problems} binary problems and parameters for {len(own)}."
            )
        signs = self.reduction_.signs(y_encoded)
        self._rows = [np.flatnonzero(row) for row in signs]
        self.machines_ = [
            self._fit_one(own[p], p, X, y, y_encoded, signs[p])
            for p in range(len(signs))
        ]
        self.scales_ = np.array([self._scale(p, X) for p in range(len(signs))])
        return self

    @property
    def problem_rows(self) -> list[NDArray[np.intp]]:
        """The training samples of each binary problem."""
        return self._rows

    def decision_function(self, X: Any) -> NDArray:
        """Scores of the samples, in the estimator's shape."""
        scores = self._scores(X)
        shape = self.estimator.decision_function_shape
        return self.reduction_.decision(scores, shape)

    def predict(self, X: Any) -> NDArray:
        """The class of each sample."""
        scores = self._scores(X)
        winners = self.reduction_.decide(scores, self.estimator.break_ties)
        return self.classes_[winners]

    def _fit_one(
        self,
        params: Mapping[str, Any],
        p: int,
        X: Any,
        y: NDArray,
        y_encoded: NDArray[np.integer],
        signs: NDArray[np.float64],
    ) -> Any:
        machine = clone(self.estimator).set_params(**params)
        rows = self._rows[p]
        if machine.has_kernel:
            # γ is worked out from all samples, as the learner itself does
            machine.set_params(kernel=machine.make_kernel(X))
        weights = {}
        if isinstance(machine, KernelSVC):
            weights["sample_weight"] = self._weights(machine, y)[y_encoded[rows]]
        return machine.fit(
            self._part(machine, X, rows), signs[rows].astype(int), **weights
        )

    def _weights(self, machine: Any, y: NDArray) -> NDArray[np.float64]:
        """What C and class_weight say about the classes that a machine does not see."""
        weights = compute_class_weight(
            machine.class_weight, classes=self.classes_, y=y
        ).astype(np.float64)
        if isinstance(machine.C, Mapping):
            weights = weights * [machine.C[c] for c in self.classes_.tolist()]
            machine.set_params(C=1.0)
        machine.set_params(class_weight=None)
        return weights

    def _scale(self, p: int, X: Any) -> float:
        machine = self.machines_[p]
        if machine.scores_have_unit:
            return 1.0
        own = self._part(machine, X, self._rows[p])
        return float(np.abs(machine.decision_function(own)).mean()) or 1.0

    def _scores(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        if not self.estimator.is_function:
            X = validate_data(self, X, reset=False, **self.estimator._accepted())
        columns = []
        for p, machine in enumerate(self.machines_):
            part = X[:, self._rows[p]] if machine.is_precomputed else X
            columns.append(machine.decision_function(part) / self.scales_[p])
        return np.stack(columns, axis=1)

    @staticmethod
    def _part(machine: Any, X: Any, rows: NDArray[np.intp]) -> Any:
        own = take(X, rows)
        return own[:, rows] if machine.is_precomputed else own
