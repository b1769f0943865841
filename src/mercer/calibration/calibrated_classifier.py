"""A classifier whose decisions, scores and probabilities agree."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from mercer._storable import storable
from mercer._validation import check_same_length
from mercer.calibration import _checks
from mercer.calibration._logistic import fit_multinomial
from mercer.calibration._responses import out_of_fold_scores, scores_of
from mercer.calibration.score_calibrator import ScoreCalibrator
from mercer.exceptions import DataError, ParameterError


@storable
class CalibratedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Calibrate any classifier, and keep everything it says consistent.

    Always ``predict(X) == classes_[argmax(predict_proba(X))]``, to the last tie, and
    ``decision_function`` agrees: for two classes `predict` is the second one where it
    is greater than 0, for more classes it is the one where it is greatest. With a
    `cost_matrix`, `decision_function` and `predict` are Bayes decisions under
    `predict_proba`, which stays what it was.

    For two classes the scores go through `ScoreCalibrator`. For more,

    .. math:: \log p(x \mid k) = a\,s_k(x) + b_k + \text{const}(x)

    is fitted by prior-weighted multinomial logistic regression: one slope (an inverse
    temperature) for all classes and an offset for each.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function`` or ``predict_proba``.
    method : {"logistic", "pav"}
        As in `ScoreCalibrator`; "pav" takes two classes.
    prior : None, float or array-like of shape (n_classes,)
        Prior of the application: that of the second class (of two), or one for each
        class in the order of the sorted labels. None: the frequencies in `y`.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of deciding the column when the row is true. Every mistake costs the same
        unless given.
    cv : int, splitter or "prefit"
        The calibration learns from scores of copies that were not trained on the
        sample (K-fold); the estimator is then trained on all. "prefit": the estimator
        is trained already, and `fit` calibrates it on samples it has not seen.
    ridge : float
        As in `ScoreCalibrator`.
    random_state : int, RandomState or None
        Shuffles the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    estimator_ : classifier
        Trained on all samples.
    priors_ : ndarray of shape (n_classes,)
        The priors in use.
    calibrator_ : ScoreCalibrator
        Of two classes.
    slope_, offsets_ : float, ndarray of shape (n_classes,)
        Of more classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import SVC
    >>> from mercer.calibration import CalibratedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedClassifier(SVC(), random_state=0).fit(X[::2], y[::2])
    >>> bool(((model.predict_proba(X)[:, 1] > 0.5) == model.predict(X)).all())
    True
    >>> round(model.score(X[1::2], y[1::2]), 3)
    0.898
    """

    def __init__(
        self,
        estimator: Any,
        *,
        method: str = "logistic",
        prior: float | ArrayLike | None = None,
        cost_matrix: ArrayLike | None = None,
        cv: Any = 5,
        ridge: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.prior = prior
        self.cost_matrix = cost_matrix
        self.cv = cv
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> Self:
        """Train the estimator, unless it is trained already, and calibrate it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as the estimator takes them.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts: to the estimator, if its `fit` takes weights,
            to the calibration, and to the frequencies of classes.

        Returns
        -------
        self
        """
        _checks.check_method_and_ridge(self.method, self.ridge)
        labels, y_encoded = self._check_labels(X, y)
        n_classes = len(self.classes_)
        weights = _checks.check_weights(sample_weight, X, y_encoded, self.classes_)
        frequencies = np.bincount(y_encoded, weights) / weights.sum()
        self.priors_ = _checks.priors_or_frequencies(self.prior, frequencies)
        _checks.costs_or_none(self.cost_matrix, n_classes)
        fit_params = self._fit_params(None if sample_weight is None else weights)
        scores = self._train(X, labels, fit_params)
        if n_classes == 2:
            self.calibrator_ = ScoreCalibrator(
                self.method, prior=float(self.priors_[1]), ridge=self.ridge
            ).fit(scores, y_encoded, weights)
            self.n_iter_ = self.calibrator_.n_iter_
        else:
            self.slope_, self.offsets_, self.n_iter_ = fit_multinomial(
                scores, y_encoded, self.priors_, self.ridge, weights
            )
        return self

    def log_likelihood_ratio(self, X: Any) -> NDArray[np.float64]:
        """Return the calibrated scores, which contain neither prior nor costs.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of the second class against the first; for more than two classes of each
            against the mean of all, so that rows sum to 0.
        """
        check_is_fitted(self, "priors_")
        scores = scores_of(self.estimator_, X, len(self.classes_))
        if scores.ndim == 1:
            return self.calibrator_.transform(scores)
        llr = self.slope_ * scores + self.offsets_
        return np.asarray(llr - llr.mean(axis=1, keepdims=True))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return what `predict` decides by.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: posterior log-odds plus the log of the cost ratio; greater
            than 0 decides the second class. More: log-posteriors, or with a
            `cost_matrix` negative expected costs; the greatest decides.
        """
        log_odds = self._log_posteriors(X)
        costs = _checks.costs_or_none(self.cost_matrix, len(self.classes_))
        if log_odds.ndim == 2:
            return log_odds if costs is None else -(np.exp(log_odds) @ costs)
        if costs is None:
            return log_odds
        miss, false_alarm = costs[1, 0] - costs[1, 1], costs[0, 1] - costs[0, 0]
        return np.asarray(log_odds + np.log(miss / false_alarm))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the posterior probability of each class under the prior.

        The array has the shape (n_samples, n_classes); rows sum to 1.
        """
        log_odds = self._log_posteriors(X)
        if log_odds.ndim == 2:
            return np.asarray(np.exp(log_odds))
        return np.column_stack((expit(-log_odds), expit(log_odds)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the decisions, labels in an array of shape (n_samples,)."""
        decision = self.decision_function(X)
        chosen = decision > 0.0 if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[chosen.astype(np.intp)])

    def _log_posteriors(self, X: Any) -> NDArray[np.float64]:
        # Differences too small to show in the probabilities are made ties here too,
        # so that all methods break them alike.
        llr = self.log_likelihood_ratio(X)
        if llr.ndim == 1:
            log_odds = llr + np.log(self.priors_[1] / self.priors_[0])
            return np.where(expit(log_odds) == expit(-log_odds), 0.0, log_odds)
        log_p = log_softmax(llr + np.log(self.priors_), axis=1)
        p = np.exp(log_p)
        tied = p == p.max(axis=1, keepdims=True)
        return np.where(tied, log_p.max(axis=1, keepdims=True), log_p)

    def _check_labels(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
        check_same_length(X, y, ("X", "y"))
        labels = _checks.check_labels(y)
        indexable(X, labels)
        self.classes_, y_encoded = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                f"y holds only one class, {self.classes_[0]}; "
                "a classifier needs samples of at least two classes."
            )
        if len(self.classes_) > 2 and self.method == "pav":
            raise ParameterError(
                f"method 'pav' takes two classes, but y holds {len(self.classes_)}; "
                "use method 'logistic'."
            )
        return labels, y_encoded

    def _fit_params(self, weights: NDArray[np.float64] | None) -> dict[str, Any]:
        """What is passed on to the estimator's fit."""
        if weights is None or isinstance(self.cv, str):
            return {}
        if has_fit_parameter(self.estimator, "sample_weight"):
            return {"sample_weight": weights}
        warnings.warn(
            f"The fit of {type(self.estimator).__name__} takes no sample_weight; only "
            "the calibration minds the weights.",
            stacklevel=3,
        )
        return {}

    def _train(
        self, X: Any, y: NDArray[Any], fit_params: dict[str, Any]
    ) -> NDArray[np.float64]:
        n_classes = len(self.classes_)
        if isinstance(self.cv, str):
            if self.cv != "prefit":
                raise ParameterError(
                    f"cv is {self.cv!r}; use a number of folds, a splitter or 'prefit'."
                )
            check_is_fitted(self.estimator)
            if not np.array_equal(self.estimator.classes_, self.classes_):
                raise DataError(
                    "y does not hold the classes that the estimator was trained on; "
                    "calibrate with samples of each of them."
                )
            self.estimator_ = self.estimator
            scores = scores_of(self.estimator_, X, n_classes)
        else:
            folds = _checks.make_folds(self.cv, y, self.random_state)
            scores = out_of_fold_scores(
                self.estimator, X, y, folds, n_classes, fit_params
            )
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return scores

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        for name in ("pairwise", "sparse", "allow_nan"):
            setattr(tags.input_tags, name, getattr(inner, name))
        return tags
