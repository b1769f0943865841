"""Scores of any kind turned into log-likelihood ratios."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._storable import storable
from mercer._validation import check_finite_scores, check_prior, check_same_length
from mercer.calibration import _checks
from mercer.calibration._logistic import fit_logistic
from mercer.calibration._pav import fit_pav
from mercer.exceptions import DataError


@storable
class ScoreCalibrator(TransformerMixin, BaseEstimator):
    r"""Map scores of two classes to log-likelihood ratios.

    The ratio :math:`\ell(s) = \log p(s \mid +) - \log p(s \mid -)` does not contain a
    prior: decide the positive class when it is greater than
    :math:`-\log\frac{\pi C_{miss}}{(1-\pi) C_{fa}}`, for any prior and costs.

    Parameters
    ----------
    method : {"logistic", "pav"}
        "logistic": :math:`\ell(s) = a s + b`, by logistic regression in which the
        positives weigh `prior` and the others ``1 - prior``. Several columns of scores
        are fused, a slope each. Falling scores get a negative slope.
        "pav": the rising function that fits best (isotonic regression), linear between
        its steps and constant beyond them; one column only. The prior does not
        matter to it.
    prior : float
        Prior of the application in mind; there the calibration is most exact.
    cv : int, splitter or None
        If given, `fit_transform` returns for each score the ratio of a calibration
        that has not seen it (K-fold over the scores), also kept in
        `cross_calibrated_`. `transform` always uses the calibration fitted on all.
    ridge : float
        Ridge on the slope of standardised scores, so tiny that it acts only where a
        threshold separates the classes and the best slope would be infinite.
    random_state : int, RandomState or None
        Shuffles the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes; the second is the positive one.
    coef_, intercept_ : ndarray of shape (n_columns,), float
        Slope and offset, of the logistic method.
    knots_, llr_ : ndarray of shape (n_knots,)
        Scores and their ratios, of the PAV method.
    n_iter_ : int
        Newton steps; 1 for PAV.
    cross_calibrated_ : ndarray of shape (n_samples,)
        Out-of-fold ratios, if `cv` is given.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.calibration import ScoreCalibrator
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> llr = rng.normal(2.0 * y - 1.0, np.sqrt(2.0))
    >>> scores = 10.0 + llr / 5.0
    >>> calibrator = ScoreCalibrator().fit(scores, y)
    >>> float(np.abs(calibrator.transform(scores) - llr).max().round(2))
    0.2
    """

    def __init__(
        self,
        method: str = "logistic",
        *,
        prior: float = 0.5,
        cv: Any = None,
        ridge: float = 1e-6,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.prior = prior
        self.cv = cv
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: Any = None) -> Self:
        """Learn the map from scores and the labels of two classes.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_columns)
            Scores that the classifier gave to samples it was not trained on.
        y : array-like of shape (n_samples,)
            Labels of two classes; the second of the sorted ones is positive.
        sample_weight : array-like of shape (n_samples,), optional
            How much each score counts within its class.

        Returns
        -------
        self
        """
        _checks.check_method_and_ridge(self.method, self.ridge)
        prior = check_prior(self.prior)
        columns, target = self._check_fit(scores, y)
        weights = _checks.check_weights(
            sample_weight, columns, target.astype(np.intp), self.classes_
        )
        if self.method == "pav":
            self.knots_, self.llr_ = fit_pav(columns[:, 0], target, weights)
            self.n_iter_ = 1
        else:
            self.coef_, self.intercept_, self.n_iter_ = fit_logistic(
                columns, target, prior, self.ridge, weights
            )
        if self.cv is not None:
            self.cross_calibrated_ = self._cross_calibrate(columns, target, weights)
        return self

    def transform(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the log-likelihood ratio of each score.

        Parameters
        ----------
        scores
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, 1)
            With as many dimensions as `scores`.
        """
        check_is_fitted(self, "classes_")
        columns = self._check_columns(scores, reset=False)
        if self.method == "pav":
            llr = np.interp(columns[:, 0], self.knots_, self.llr_)
        else:
            llr = columns @ self.coef_ + self.intercept_
        return llr if _is_flat(scores) else llr[:, None]

    def fit_transform(
        self, scores: ArrayLike, y: ArrayLike | None = None, **params: Any
    ) -> NDArray[np.float64]:
        """Fit, and return ratios: out-of-fold ones if `cv` is given.

        Takes what `fit` takes, and returns as many dimensions as `scores` has.
        """
        self.fit(scores, y, **params)  # type: ignore[arg-type]
        if self.cv is None:
            return self.transform(scores)
        llr = self.cross_calibrated_
        return llr if _is_flat(scores) else llr[:, None]

    def _cross_calibrate(
        self,
        columns: NDArray[np.float64],
        target: NDArray[np.bool_],
        weights: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        folds = _checks.make_folds(self.cv, target, self.random_state)
        llr = np.full(len(target), np.nan)
        for train, test in folds.split(columns, target):
            part = clone(self).set_params(cv=None)
            part.fit(columns[train], target[train], weights[train])
            llr[test] = part.transform(columns[test])[:, 0]
        if np.isnan(llr).any():
            raise DataError(
                f"The folds of cv leave out row {int(np.argmax(np.isnan(llr)))}; "
                "every score must be tested once, as K-fold does."
            )
        return llr

    def _check_fit(
        self, scores: ArrayLike, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        columns = self._check_columns(scores, y, reset=True)
        labels = _checks.check_labels(y)
        self.classes_ = np.unique(labels)
        if len(self.classes_) != 2:
            raise DataError(
                f"y holds {len(self.classes_)} class(es), but calibration takes two; "
                "give scores of positive and of negative samples."
            )
        if self.method == "pav" and columns.shape[1] != 1:
            raise DataError(
                f"method 'pav' calibrates one column of scores, but there are "
                f"{columns.shape[1]}; fuse several with method 'logistic'."
            )
        return columns, labels == self.classes_[1]

    def _check_columns(self, scores: Any, *y: Any, reset: bool) -> NDArray[np.float64]:
        if _is_flat(scores) and (reset or self.n_features_in_ == 1):
            scores = np.asarray(scores)[:, None]
        if y:
            check_same_length(scores, y[0], ("scores", "y"))
        checked = validate_data(
            self, scores, *y, reset=reset, dtype=np.float64, ensure_all_finite=False
        )
        columns: NDArray[np.float64] = checked[0] if y else checked
        check_finite_scores(columns)
        return columns

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.input_tags.one_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags


def _is_flat(scores: Any) -> bool:
    # np.ndim is refused by what only turns into an array
    return bool((scores if hasattr(scores, "ndim") else np.asarray(scores)).ndim == 1)
