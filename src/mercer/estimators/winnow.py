"""Winnow: multiplicative updates for problems where few features matter."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._storable import is_floats, need, storable
from mercer.estimators.checks import (
    check_classes,
    check_count,
    check_known,
    check_positive,
)
from mercer.estimators.reduction import Reduction, check_reduction_stored
from mercer.exceptions import DataError, ParameterError
from mercer.solvers.winnow import walk_winnow


@storable
class Winnow(ClassifierMixin, BaseEstimator):
    r"""Winnow, for features that are 0 and 1 or -1 and 1.

    Weights start at one; a sample is positive when :math:`\langle w, x \rangle \ge
    \theta`. On a mistake the weights of its active features are doubled, or halved. The
    number of mistakes grows with the logarithm of the number of irrelevant features.

    Parameters
    ----------
    balanced : bool
        Whether to keep a second set of weights, subtracted from the first, so that a
        feature can count against a class. Plain winnow takes a feature of -1 for 0;
        the balanced one uses its sign.
    threshold : float or None
        θ; default: the number of features, or 0 when balanced.
    factor : float
        By how much weights are multiplied or divided, above 1.
    epochs : int
        How often to walk through the samples; it stops when an epoch makes no mistake.
    multiclass : {"ovr", "ovo"}
        As in `KernelPerceptron`.
    shuffle, random_state
        Whether each epoch takes the samples in a new random order, and its seed.

    Attributes
    ----------
    classes_ : array
        The classes.
    coef_ : array of shape (n_problems, n_features)
        Weights, those of the negative set subtracted.
    intercept_ : array of shape (n_problems,)
        -θ.
    mistakes_ : array of shape (n_problems, epochs)
        Mistakes of each problem in each epoch.

    Examples
    --------
    >>> from mercer import Winnow, load_dataset
    >>> data = load_dataset("just-a-little-bit", n=100, m=1000, seed=0)
    >>> model = Winnow(shuffle=False).fit(data.X[:60], data.y[:60])
    >>> round(model.score(data.X[60:], data.y[60:]), 3)
    0.988
    """

    def __init__(
        self,
        balanced: bool = False,
        threshold: float | None = None,
        factor: float = 2.0,
        epochs: int = 1,
        multiclass: str = "ovr",
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.balanced = balanced
        self.threshold = threshold
        self.factor = factor
        self.epochs = epochs
        self.multiclass = multiclass
        self.shuffle = shuffle
        self.random_state = random_state

    def __mercer_check__(self) -> None:
        check_reduction_stored(self)
        shape = self.reduction_.n_problems, self.n_features_in_
        arrays = self.positive_, self.negative_
        good = all(is_floats(weights, *shape) for weights in arrays)
        need(good and is_floats(self.intercept_, shape[0]), "its weights do not fit")

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples X of classes y, from the beginning."""
        epochs = check_count("epochs", self.epochs)
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self._begin(np.unique(y))
        X, signs = self._features(X), self._signs(y)
        random = check_random_state(self.random_state)
        self.mistakes_ = np.zeros((len(signs), epochs), np.int64)
        for epoch in range(epochs):
            order = np.arange(len(y))
            if self.shuffle:
                random.shuffle(order)
            self.mistakes_[:, epoch] = self._walk(X, signs, order)
            self.n_iter_ = epoch + 1
            if not self.mistakes_[:, epoch].any():
                break
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning from more samples, each taken once, in the order given.

        The first call names all classes, unless its samples have them all.
        """
        first = not hasattr(self, "positive_")
        X, y = validate_data(self, X, y, dtype=np.float64, reset=first)
        known = check_known(y, classes if first else self.classes_)
        if first:
            self._begin(known)
        self._walk(self._features(X), self._signs(y), np.arange(len(y)))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """⟨w, x⟩ - θ, one column per class or pair; two classes have one score."""
        scores = self._scores(X)
        return self.reduction_.decision(scores, "ovr")

    def predict(self, X: Any) -> NDArray:
        """The class of each sample in X; a score of zero is positive."""
        scores = self._scores(X)
        if self.reduction_.kind == "binary":
            return self.classes_[(scores[:, 0] >= 0).astype(int)]
        return self.classes_[self.reduction_.decide(scores)]

    def _begin(self, classes: NDArray) -> None:
        self.classes_ = check_classes(classes)
        self.reduction_ = Reduction.make(self.multiclass, len(classes))
        shape = (self.reduction_.n_problems, self.n_features_in_)
        self.positive_ = np.ones(shape)
        self.negative_ = np.ones(shape) if self.balanced else np.zeros(shape)
        theta = self.threshold
        if theta is None:
            theta = 0.0 if self.balanced else float(self.n_features_in_)
        self.intercept_ = np.full(shape[0], -float(theta))

    @property
    def coef_(self) -> NDArray[np.float64]:
        return self.positive_ - self.negative_

    def _walk(
        self, X: NDArray, signs: NDArray[np.float64], order: NDArray[np.int64]
    ) -> list[int]:
        factor = check_positive("factor", self.factor)
        if factor <= 1:
            raise ParameterError(f"factor is {self.factor!r}; it must be above 1.")
        return [
            walk_winnow(
                X,
                signs[p],
                order,
                self.positive_[p],
                self.negative_[p],
                -self.intercept_[p],
                factor,
                self.balanced,
            )
            for p in range(len(signs))
        ]

    def _signs(self, y: NDArray) -> NDArray[np.float64]:
        return self.reduction_.signs(np.searchsorted(self.classes_, y))

    def _features(self, X: NDArray) -> NDArray[np.float64]:
        wrong = ~np.isin(X, (-1.0, 0.0, 1.0))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise DataError(
                f"Winnow takes features of 0 and 1, or -1 and 1; X holds "
                f"{X[row, column]:g} in row {row}, column {column} (counted from 0). "
                "Compare them with a threshold first (sklearn.preprocessing.Binarizer)."
            )
        return X if self.balanced else np.maximum(X, 0.0)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._features(X) @ self.coef_.T + self.intercept_
