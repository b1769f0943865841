"""What all kernel classifiers share: validation, the Gram, scores, decisions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._storable import (
    check_classes_stored,
    is_floats,
    is_indices,
    is_samples,
    need,
)
from mercer.estimators._classes import check_classes
from mercer.estimators._compat import CallbackSupportMixin
from mercer.estimators._reduction import Reduction, check_reduction_stored
from mercer.exceptions import DataError
from mercer.kernels import Gram, Kernel, kernel_product, make_kernel


class KernelEstimator(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Base of the classifiers that see samples only through a kernel."""

    kernel: str | Kernel
    gamma: str | float
    degree: int
    coef0: float
    memory_budget: int | str | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._precomputed
        tags.input_tags.pairwise = self._precomputed
        return tags

    def __mercer_check__(self) -> None:
        check_classes_stored(self)
        precomputed, kernel = self._precomputed, self.kernel_
        good = kernel is None if precomputed else isinstance(kernel, Kernel)
        need(good, "it has no kernel")

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _validate(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, NDArray]:
        X, y = validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse=False if self._precomputed else "csr",
            dtype=[np.float64, np.float32],
            order="C",
        )
        check_classification_targets(y)
        return X, y

    def _validate_new(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(
            self,
            X,
            reset=False,
            accept_sparse=False if self._precomputed else "csr",
            dtype=[np.float64, np.float32],
            order="C",
        )

    def _encode(self, y: NDArray) -> NDArray[np.integer]:
        """Find the classes and number the labels."""
        self.classes_, numbers = np.unique(y, return_inverse=True)
        check_classes(self.classes_)
        return numbers

    def _make_gram(self, X: Any) -> Gram:
        """The Gram of the training samples; sets `kernel_`."""
        if self._precomputed:
            if X.shape[0] != X.shape[1]:
                raise DataError(
                    "With kernel='precomputed', X must be the square matrix of kernel "
                    f"values between all training samples; it has shape {X.shape}."
                )
            self.kernel_: Kernel | None = None
            return Gram.from_matrix(X)
        self.kernel_ = self._make_kernel(X)
        return Gram(self.kernel_, X, budget=self.memory_budget)

    def _make_kernel(self, X: Any) -> Kernel:
        return make_kernel(self.kernel, self.gamma, self.degree, self.coef0, X)


class KernelMachine(KernelEstimator):
    """A classifier whose scores are sums of kernel values over support vectors."""

    multiclass: str
    decision_function_shape: str
    break_ties: bool
    reduction_: Reduction
    support_: NDArray[np.integer]
    support_vectors_: Any
    intercept_: NDArray

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        check_reduction_stored(self)
        n, problems = len(self.support_), self.reduction_.n_problems
        features, precomputed = self.n_features_in_, self._precomputed
        need(
            is_indices(self.support_, n, features if precomputed else np.inf)
            and (precomputed or is_samples(self.support_vectors_, n, features)),
            "its support vectors are out of bounds, or not of its shape",
        )
        need(is_floats(self._coefficients, n, problems), "it lacks coefficients")
        need(is_floats(self.intercept_, problems), "it has no intercept")

    def _store(
        self, X: Any, at: NDArray[np.integer], coefficients: NDArray[np.float64]
    ) -> None:
        """Keep the samples that have a coefficient in any of the binary problems.

        Row r of X is training sample ``at[r]``; `coefficients` has a row a problem and
        a column a row of X.
        """
        nonzero = coefficients.any(axis=0)
        self.support_ = at[nonzero]
        self.support_vectors_ = X if nonzero.all() or self._precomputed else X[nonzero]
        self._coefficients = np.ascontiguousarray(coefficients[:, nonzero].T)
        self.intercept_ = np.zeros(len(coefficients))

    def _binary_scores(self, X: Any) -> NDArray:
        """Scores of the binary problems, one column each."""
        if self._precomputed:
            return X[:, self.support_] @ self._coefficients + self.intercept_
        if not len(self.support_):
            return np.zeros((X.shape[0], self.reduction_.n_problems)) + self.intercept_
        assert self.kernel_ is not None
        scores = kernel_product(
            self.kernel_, X, self.support_vectors_, self._coefficients
        )
        return scores + self.intercept_

    def decision_function(self, X: Any) -> NDArray:
        """Scores of the samples in X.

        Two classes: shape (n_samples,), positive for ``classes_[1]``. One-vs-rest: a
        column a class. One-vs-one: as ``decision_function_shape`` says, a column a
        class (votes plus a fraction from the sum of scores) or a column a pair.
        """
        scores = self._binary_scores(self._validate_new(X))
        return self.reduction_.decision(scores, self.decision_function_shape)

    def predict(self, X: Any) -> NDArray:
        """The class of each sample in X."""
        scores = self._binary_scores(self._validate_new(X))
        return self.classes_[self.reduction_.decide(scores, self.break_ties)]

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples X of classes y."""
        raise NotImplementedError
