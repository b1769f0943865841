"""What all kernel classifiers share: validation, the Gram, scores, decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._compat import CallbackSupportMixin
from mercer._plain import (
    are_clearly_classes,
    are_plain_labels,
    encode,
    is_plain_matrix,
)
from mercer._storable import (
    check_classes_stored,
    is_floats,
    is_indices,
    is_samples,
    need,
)
from mercer.estimators._objects import count, kernel_values, take
from mercer.estimators.checks import check_classes
from mercer.estimators.learner import GramLearner
from mercer.estimators.reduction import Reduction, check_reduction_stored
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import Gram, Kernel, kernel_product, make_kernel

_MOST_SCORES = 2**26  # of binary problems, held at a time


class KernelEstimator(
    GramLearner, CallbackSupportMixin, ClassifierMixin, BaseEstimator
):
    """Base of the classifiers that see samples only through a kernel."""

    kernel: str | Kernel | Callable[[Any, Any], Any]
    gamma: str | float
    degree: int
    coef0: float
    memory_budget: int | str | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.is_precomputed
        tags.input_tags.pairwise = self.is_precomputed
        return tags

    def __mercer_check__(self) -> None:
        check_classes_stored(self)
        has_kernel, kernel = self.has_kernel, self.kernel_
        good = isinstance(kernel, Kernel) if has_kernel else kernel is None
        need(good, "it has no kernel")

    @property
    def is_precomputed(self) -> bool:
        """Whether X is the matrix of kernel values."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def is_function(self) -> bool:
        """Whether the kernel is a function of two sets of samples of any kind."""
        return callable(self.kernel) and not isinstance(self.kernel, Kernel | type)

    @property
    def has_kernel(self) -> bool:
        """Whether kernel values come from a kernel of `mercer.kernels`."""
        return not (self.is_precomputed or self.is_function)

    def make_kernel(self, X: Any) -> Kernel:
        """The kernel for these samples: γ may depend on them."""
        kernel: Any = self.kernel
        if self.is_function:
            raise ParameterError(
                "kernel is a function, of which nothing is known but its values: it "
                "cannot be shared, nor chosen for each class."
            )
        return make_kernel(kernel, self.gamma, self.degree, self.coef0, X)

    def _validate(
        self, X: Any, y: Any, reset: bool = True, look: bool = True
    ) -> tuple[Any, NDArray]:
        """Without a look, whoever takes X finds out whether its values are finite."""
        if self.is_function:  # which knows what X is
            X, y = indexable(X, y)
            validate_data(self, X, reset=reset, skip_check_array=True)
            y = column_or_1d(y, warn=True)
        else:
            plain = is_plain_matrix(X, look, not self.is_precomputed)
            plain = plain and are_plain_labels(y, X.shape[0])
            if not (plain and self._has_as_many_features(X, reset)):
                accepted = {**self._accepted(), "ensure_all_finite": look}
                X, y = validate_data(self, X, y, reset=reset, **accepted)
        if not are_clearly_classes(y):
            check_classification_targets(y)
        return X, y

    def _has_as_many_features(self, X: Any, reset: bool) -> bool:
        """Whether X fits what is known of the features, or says so from now on.

        Where features have names it is scikit-learn that compares them.
        """
        if reset:
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        same = X.shape[1] == self.n_features_in_
        return same and not hasattr(self, "feature_names_in_")

    def validate_new(self, X: Any) -> Any:
        """Samples to answer for, checked and as the learner takes them."""
        check_is_fitted(self)
        if self.is_function:
            return indexable(X)[0]
        plain = is_plain_matrix(X, accept_sparse=not self.is_precomputed)
        if plain and self._has_as_many_features(X, reset=False):
            return X
        return validate_data(self, X, reset=False, **self._accepted())

    def _accepted(self) -> dict[str, Any]:
        return {
            "accept_sparse": False if self.is_precomputed else "csr",
            "dtype": [np.float64, np.float32],
            "order": "C",
        }

    def _encode(self, y: NDArray) -> NDArray[np.intp]:
        """Find the classes, and the index of each label among them."""
        self.classes_, y_encoded = encode(y)
        check_classes(self.classes_)
        return y_encoded

    def _make_gram(self, X: Any) -> Gram:
        """The Gram of the training samples; sets `kernel_`."""
        if self.is_precomputed:
            if X.shape[0] != X.shape[1]:
                raise DataError(
                    "With kernel='precomputed', X must be the square matrix of kernel "
                    f"values between all training samples; it has shape {X.shape}."
                )
            self.kernel_: Kernel | None = None
            return Gram.from_matrix(X, "X")
        self.kernel_ = None if self.is_function else self.make_kernel(X)
        return self._gram_of(X)

    def _gram_of(self, X: Any) -> Gram:
        """The Gram of some samples, after `kernel_` is set."""
        if self.kernel_ is None:
            return Gram.from_matrix(kernel_values(self.kernel, X, X))
        return Gram(self.kernel_, X, budget=self.memory_budget)


class KernelMachine(KernelEstimator):
    """A classifier whose scores are sums of kernel values over support vectors."""

    #: Whether scores have a unit, such as the SVM's margin, in which those of machines
    #: with different parameters can be compared.
    scores_have_unit: ClassVar[bool] = False

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
        features, precomputed = self.n_features_in_, self.is_precomputed
        need(
            is_indices(self.support_, n, features if precomputed else np.inf)
            and (precomputed or is_samples(self.support_vectors_, n, features)),
            "its support vectors are out of bounds, or not of its shape",
        )
        need(is_floats(self._coefficients, n, self._n_columns), "it lacks coefficients")
        need(is_floats(self.intercept_, problems), "it has no intercept")

    @property
    def _n_columns(self) -> int:
        """Coefficients of a support vector: one for each binary problem."""
        return self.reduction_.n_problems

    def _store(
        self, X: Any, at: NDArray[np.integer], coefficients: NDArray[np.float64]
    ) -> None:
        """Keep the samples that have a coefficient in any of the binary problems.

        Row r of X is training sample ``at[r]``; `coefficients` has one column per row
        of X.
        """
        nonzero = coefficients.any(axis=0)
        self.support_ = at[nonzero]
        whole = nonzero.all() or self.is_precomputed
        self.support_vectors_ = X if whole else take(X, np.flatnonzero(nonzero))
        self._coefficients = np.ascontiguousarray(coefficients[:, nonzero].T)
        self.intercept_ = np.zeros(self.reduction_.n_problems)

    def binary_coefficients(self) -> NDArray[np.float64]:
        """Of each support vector (rows) in each binary problem (columns)."""
        return self._coefficients

    def binary_scores(self, X: Any) -> NDArray:
        """Scores of the binary problems, one column each, of X from `validate_new`."""
        if not len(self.support_):
            return np.zeros((count(X), self.reduction_.n_problems)) + self.intercept_
        if self.kernel_ is None:
            return self._values(X) @ self._coefficients + self.intercept_
        scores = kernel_product(
            self.kernel_, X, self.support_vectors_, self._coefficients
        )
        return scores + self.intercept_

    def _values(self, X: Any) -> NDArray:
        """Kernel values with the support vectors, given or made by a function."""
        if self.is_precomputed:
            return np.asarray(X[:, self.support_])
        return kernel_values(self.kernel, X, self.support_vectors_)

    def decision_function(self, X: Any) -> NDArray:
        """Scores of the samples in X.

        Two classes: shape (n_samples,), positive for ``classes_[1]``. One-vs-rest: one
        column per class. One-vs-one: as ``decision_function_shape`` says, one column
        per class (votes plus a fraction from the sum of scores) or one per pair.
        """
        shape = self.decision_function_shape
        return self._from_scores(X, lambda s: self.reduction_.decision(s, shape))

    def predict(self, X: Any) -> NDArray:
        """The class of each sample in X."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                "break_ties must be False when decision_function_shape is 'ovo': ties "
                "are broken by the scores of shape 'ovr'."
            )
        ties = self.break_ties
        winners = self._from_scores(X, lambda s: self.reduction_.decide(s, ties))
        return self.classes_[winners]

    def labels_and_scores(self, X: Any) -> tuple[NDArray, NDArray]:
        """What `predict` and `decision_function` say, from one product.

        All binary scores are held at once, so not for very many samples.
        """
        check_is_fitted(self)
        scores = self.binary_scores(self.validate_new(X))
        winners = self.reduction_.decide(scores, self.break_ties)
        shape = self.decision_function_shape
        return self.classes_[winners], self.reduction_.decision(scores, shape)

    def _from_scores(self, X: Any, answer: Callable[[NDArray], NDArray]) -> NDArray:
        """What follows from binary scores, of which there are never very many at once.

        Of hundreds of classes, the scores of all samples may not fit in memory.
        """
        X = self.validate_new(X)
        n, at_once = count(X), max(1, _MOST_SCORES // self.reduction_.n_problems)
        if n <= at_once:
            return answer(self.binary_scores(X))
        parts = (X[first : first + at_once] for first in range(0, n, at_once))
        return np.concatenate([answer(self.binary_scores(part)) for part in parts])

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples X of classes y."""
        raise NotImplementedError
