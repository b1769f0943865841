"""Exact interventional Shapley values of kernel machines, without sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from mercer._extras import import_extra
from mercer._threads import parallel_map
from mercer._validation import is_sparse
from mercer.estimators import KernelMachine
from mercer.exceptions import ParameterError
from mercer.explain._gaussian_values import add_gaussian
from mercer.explain._polynomial_values import add_polynomial
from mercer.explain._terms import GaussianTerm, terms_of
from mercer.explain.machine import (
    class_index,
    class_weights,
    inner_machine,
    output_names,
    transformed,
)

# transformers that keep to each feature: a coalition of these is one of those
_SCALERS = StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler
_PIECES = 8  # of the support vectors, however many threads there are
_VALUES = 1 << 21  # of a batch of samples that a piece keeps


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """What each feature adds to the scores, in the mean over all coalitions.

    Attributes
    ----------
    values : array of shape (n_samples, n_features, n_outputs)
        With the base values they add up to the scores.
    base_values : array of shape (n_outputs,)
        The mean scores of the background.
    scores : array of shape (n_samples, n_outputs)
        The binary scores of the samples.
    data : array of shape (n_samples, n_features)
        The samples, as they were given.
    classes : array
        The classes.
    outputs : list of str
        What the binary scores are for: a class each, or a pair of classes each.
    class_weights : array of shape (n_outputs, n_classes)
        How binary scores add up for a class: its own, or for one-vs-one the sum over
        its pairs.
    feature_names : list of str or None
        Where the model knows them.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> iris = load_dataset("iris")
    >>> model = KernelSVC(kernel="linear").fit(iris.X, iris.y)
    >>> why = shapley_values(model, iris.X[:5], iris.X)
    >>> why.values.shape, why.for_class(2).shape
    ((5, 4, 3), (5, 4))
    """

    values: NDArray[np.float64]
    base_values: NDArray[np.float64]
    scores: NDArray[np.float64]
    data: NDArray
    classes: NDArray
    outputs: list[str]
    class_weights: NDArray[np.float64]
    feature_names: list[str] | None = None

    def for_class(self, label: Any) -> NDArray[np.float64]:
        """What each feature adds to the score of a class: (n_samples, n_features)."""
        return self.values @ self.class_weights[:, class_index(self.classes, label)]

    def to_shap(self) -> Any:
        """The same as a ``shap.Explanation``, for the plots of shap."""
        shap = import_extra("shap", "explain", "An Explanation of shap")
        values, base = self.values, np.tile(self.base_values, (len(self.values), 1))
        names: Any = self.outputs
        if len(self.outputs) == 1:
            values, base, names = values[:, :, 0], base[:, 0], None
        return shap.Explanation(
            values,
            base,
            self.data,
            feature_names=self.feature_names,
            output_names=names,
        )


def shapley_values(model: Any, X: Any, background: Any) -> ShapleyValues:
    """Explain scores by the features, with exact Shapley values.

    A coalition of features keeps their values in the sample; the others take theirs
    from a row of the background, in the mean over its rows (interventional values).
    Gaussian kernels, linear and polynomial ones, products of Gaussians, and sums of
    all these have exact ways; other kernels are refused.

    Parameters
    ----------
    model : KernelSVC, KernelPerceptron, KernelPegasos or another kernel machine
        Fitted; a pipeline of scalers that ends in one, or a `CalibratedClassifier` of
        one, whose scores before calibration are explained.
    X : array of shape (n_samples, n_features)
        The samples.
    background : array of shape (n_rows, n_features)
        What samples are compared with: for instance a hundred training samples.

    Returns
    -------
    ShapleyValues
        One value for each sample, feature and binary score.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> from mercer.explain import shapley_values
    >>> iris = load_dataset("iris")
    >>> model = KernelSVC(multiclass="ovr").fit(iris.X, iris.y)
    >>> why = shapley_values(model, iris.X[:1], iris.X)
    >>> why.for_class(0).round(2)
    array([[0.08, 0.13, 1.32, 0.26]])
    >>> total = why.base_values + why.values.sum(axis=1)
    >>> bool(abs(total - why.scores).max() < 1e-12)
    True
    """
    machine, before = inner_machine(model)
    _check_coalitions(machine, before)
    samples = machine.validate_new(transformed(before, X))
    rows = machine.validate_new(transformed(before, background))
    assert machine.kernel_ is not None
    values = _values(machine, _dense(samples), _dense(rows))
    names = getattr(model, "feature_names_in_", None)
    return ShapleyValues(
        values=values,
        base_values=machine.binary_scores(rows).mean(axis=0),
        scores=machine.binary_scores(samples),
        data=_dense(X),
        classes=machine.classes_,
        outputs=output_names(machine),
        class_weights=class_weights(machine),
        feature_names=None if names is None else [str(name) for name in names],
    )


def _check_coalitions(machine: KernelMachine, before: list[Any]) -> None:
    if not machine.has_kernel:
        raise ParameterError(
            "With kernel='precomputed', or a function, no features are known; "
            "mercer.explain.support_vectors explains the model."
        )
    for step in before:
        if not isinstance(step, _SCALERS):
            raise ParameterError(
                f"{type(step).__name__} mixes features or is not known to keep them "
                "apart, so that those of the samples are not those of the kernel; "
                "explain the last step of the pipeline, on transformed samples."
            )


def _values(
    machine: KernelMachine, X: NDArray[np.float64], Z: NDArray[np.float64]
) -> NDArray[np.float64]:
    assert machine.kernel_ is not None
    terms = terms_of(machine.kernel_)
    coefficients = np.ascontiguousarray(machine.binary_coefficients())
    vectors = _dense(machine.support_vectors_)[: len(coefficients)]
    shape = X.shape[1], coefficients.shape[1]
    batch = max(1, _VALUES // (shape[0] * shape[1]))
    values = np.zeros((len(X), *shape))

    def work(rows: slice, piece: NDArray[np.intp]) -> NDArray[np.float64]:
        out = np.zeros((len(X[rows]), *shape))
        for term in terms:
            own = term.weight * coefficients[piece]
            if isinstance(term, GaussianTerm):
                add_gaussian(X[rows], Z, vectors[piece], own, term.gamma, out)
            else:
                form = term.degree, term.offset, term.scale
                add_polynomial(X[rows], Z, vectors[piece], own, *form, out)
        return out

    pieces = np.array_split(np.arange(len(vectors)), min(_PIECES, max(1, len(vectors))))
    for start in range(0, len(X), batch):
        rows = slice(start, start + batch)
        for part in parallel_map(lambda piece: work(rows, piece), pieces):  # noqa: B023
            values[rows] += part
    return values


def _dense(X: Any) -> NDArray[np.float64]:
    X = X.toarray() if is_sparse(X) else X
    return np.ascontiguousarray(X, np.float64)
