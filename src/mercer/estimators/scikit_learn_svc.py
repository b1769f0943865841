"""The SVM by the names and habits of scikit-learn's ``SVC``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._compat import check_sample_weight
from mercer._storable import need, storable
from mercer._validation import is_sparse
from mercer.calibration import class_probabilities, fit_slope
from mercer.estimators._objects import take
from mercer.estimators.checks import check_positive
from mercer.estimators.svc import KernelSVC
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import Kernel

_CACHE = 200  # scikit-learn's default of cache_size, which nobody has chosen
_FOLDS = 5  # as in LIBSVM
_MEGABYTE = 2**20


def _offers_probabilities(model: SVC) -> bool:
    if not model.has_probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


@storable
class SVC(KernelSVC):
    """Support vector classifier with scikit-learn's parameters, attributes and errors.

    The same problem as scikit-learn's ``SVC`` solves, to the same tolerance, by
    `KernelSVC`, which has more to offer: a regularized bias, one-vs-rest, limits of
    time. docs/coming-from-svc.md compares all parameters and attributes.

    Parameters
    ----------
    C, kernel, degree, gamma, coef0, tol, class_weight, verbose, max_iter, \
decision_function_shape, break_ties
        As in scikit-learn. `kernel` takes all that `KernelSVC` takes.
    shrinking : bool
        Has no effect: working sets leave little to shrink.
    probability : bool
        Whether to learn a slope from scores of five folds, so that `predict_proba`
        gives calibrated probabilities. These agree with `predict`.
    cache_size : float
        Megabytes for kernel values; 200, the default, stands for Mercer's own memory
        budget.
    random_state : int, RandomState or None
        Shuffles the folds of `probability`; nothing else is random.

    Attributes
    ----------
    classes_, class_weight_, coef_, dual_coef_, fit_status_, intercept_, n_iter_, \
n_features_in_, feature_names_in_, n_support_, shape_fit_, support_, support_vectors_
        As in scikit-learn.
    probA_, probB_ : arrays of shape (n_problems,)
        Minus the slope, and 0; empty without `probability`.
    certificate_ : SVMCertificate
        As in `KernelSVC`.

    Examples
    --------
    >>> from mercer import load_dataset
    >>> from mercer.svm import SVC
    >>> iris = load_dataset("iris")
    >>> model = SVC(probability=True, random_state=0).fit(iris.X, iris.y)
    >>> model.predict_proba(iris.X[:1]).round(2)
    array([[0.98, 0.02, 0.  ]])
    """

    path_parameters = frozenset({"C"})
    # what only KernelSVC lets choose
    bias = "free"
    bias_scale = 1.0
    solver = "auto"
    multiclass = "ovo"
    max_seconds = None
    solver_options = None

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = False,
        tol: float = 1e-3,
        cache_size: float = _CACHE,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        good = self._slope is None or type(self._slope) is float
        need(good, "its probabilities have no slope")

    @property
    def has_probability(self) -> bool:
        """Whether probabilities are asked for; scikit-learn's default is a word."""
        return self.probability != "deprecated" and bool(self.probability)

    @property
    def memory_budget(self) -> int | None:  # type: ignore[override]
        """Bytes for kernel values, as `cache_size` says."""
        size = check_positive("cache_size", self.cache_size)
        return None if size == _CACHE else int(size * _MEGABYTE)

    @property
    def _gamma(self) -> float:
        """γ as it was worked out; 0 where the kernel has none."""
        kernel: Any = self.kernel_
        return getattr(kernel, "gamma", getattr(kernel, "scale", 0.0))

    @property
    def probA_(self) -> NDArray[np.float64]:
        """A of Platt's 1 / (1 + exp(A·s + B)), one for each pair of classes."""
        check_is_fitted(self)
        slopes = [] if self._slope is None else [-self._slope]
        return np.repeat(slopes, self.reduction_.n_problems)

    @property
    def probB_(self) -> NDArray[np.float64]:
        """B: zero, so that probabilities agree with `predict`."""
        return np.zeros(len(self.probA_))

    def check_parameters(self, training: Any) -> None:
        """Complain as `fit` would on this training set."""
        super().check_parameters(training)
        self._check_own()

    def can_share(self, training: Any) -> bool:
        """Whether a search may share a Gram: probabilities need folds of their own."""
        return super().can_share(training) and not self.has_probability

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from samples X of classes y, each loss times its sample weight.

        Samples whose weight is not above 0 are left out, as in scikit-learn.
        """
        self._check_own()
        if is_sparse(X) and self.is_precomputed:
            raise TypeError("Sparse precomputed kernels are not supported.")
        if sample_weight is not None:
            sample_weight = _positive_weights(X, y, sample_weight)
        self._slope: float | None = None
        super().fit(X, y, sample_weight)
        if self.has_probability:
            self._slope = self._calibrate(X, y, sample_weight)
        return self

    @available_if(_offers_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class; that of `predict` has the largest."""
        check_is_fitted(self)
        if self._slope is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        slope, reduction, ties = self._slope, self.reduction_, self.break_ties

        def answer(scores: NDArray) -> NDArray[np.float64]:
            decided = reduction.decide(scores, ties)
            return class_probabilities(reduction.margins(scores), slope, decided)

        return self._from_scores(X, answer)

    @available_if(_offers_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _calibrate(self, X: Any, y: Any, sample_weight: Any) -> float:
        """The slope of probabilities, from scores of samples that were held out."""
        model = clone(self).set_params(probability=False, verbose=False)
        X, y = model._validate(X, y)
        y_encoded = np.searchsorted(self.classes_, y)
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        margins = np.full((len(y), len(self.classes_)), np.nan)
        for train, test in _folds(y_encoded, weights, self.random_state):
            with warnings.catch_warnings():  # what `fit` has said of all samples
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(self._part(X, train, train), y[train], weights[train])
            scores = model.binary_scores(self._part(X, test, train))
            margins[test] = self.reduction_.margins(scores)
        held_out = np.isfinite(margins).all(axis=1) & (weights > 0)
        if not held_out.any():  # a single sample of each class
            held_out = weights > 0
            margins = self.reduction_.margins(self.binary_scores(X))
        return fit_slope(margins[held_out], y_encoded[held_out], weights[held_out])

    def _part(self, X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
        own = take(X, rows)
        return own[:, columns] if self.is_precomputed else own

    def _describe_limit(self) -> str:
        text = super()._describe_limit()
        if self.certificate_.total.status != "iterations":
            return text
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider "
            f"pre-processing your data with StandardScaler or MinMaxScaler. {text}"
        )

    def _check_own(self) -> None:
        for name in ("shrinking", "probability", "break_ties"):
            value = getattr(self, name)
            good = isinstance(value, bool | np.bool_)
            if not good and not (name == "probability" and value == "deprecated"):
                raise ParameterError(f"{name} is {value!r}; it must be True or False.")
        check_positive("cache_size", self.cache_size)
        check_random_state(self.random_state)


def _positive_weights(X: Any, y: Any, sample_weight: Any) -> NDArray[np.float64]:
    """Sample weights as scikit-learn takes them: below 0 is as good as 0."""
    check_consistent_length(X, y)
    if (np.asarray(sample_weight) <= 0).all():
        raise DataError("Invalid input - all samples have zero or negative weights.")
    weights = check_sample_weight(sample_weight, X, dtype=np.float64)
    if len(np.unique(np.asarray(y)[weights > 0])) == 1:
        raise DataError(
            "Invalid input - all samples with positive weights belong to the same "
            "class."
        )
    return np.maximum(weights, 0.0)


def _folds(
    y_encoded: NDArray[np.intp], weights: NDArray[np.float64], random_state: Any
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows to learn from and rows to hold out, of every class some to learn from.

    A class of a single sample, and a sample that weighs nothing, is not held out.
    """
    random = check_random_state(random_state)
    fold = np.full(len(y_encoded), -1)
    for c in np.unique(y_encoded):
        members = random.permutation(np.flatnonzero((y_encoded == c) & (weights > 0)))
        if len(members) > 1:
            fold[members] = np.arange(len(members)) % _FOLDS
    for k in range(_FOLDS):
        if (fold == k).any():
            yield np.flatnonzero((fold != k) & (weights > 0)), np.flatnonzero(fold == k)
