"""What a classifier says about samples, as scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import cross_val_predict

from mercer.exceptions import DataError, ParameterError

_SMALLEST = 1e-12


def response_method(estimator: Any) -> str:
    """Return the method that gives scores: decision_function, or predict_proba."""
    for name in ("decision_function", "predict_proba"):
        if hasattr(estimator, name):
            return name
    raise ParameterError(
        f"{type(estimator).__name__} has neither decision_function nor predict_proba; "
        "calibration needs scores."
    )


def scores_of(estimator: Any, X: Any, n_classes: int) -> NDArray[np.float64]:
    """Return the scores that a fitted classifier gives to `X`.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function``, or ``predict_proba``, whose logarithm is taken.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples.
    n_classes : int
        How many classes it knows.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)
        Of the second class against the first; for more than two one for each class.
    """
    method = response_method(estimator)
    return as_scores(getattr(estimator, method)(X), method, n_classes)


def out_of_fold_scores(
    estimator: Any, X: Any, y: Any, folds: Any, n_classes: int, params: Any = None
) -> NDArray[np.float64]:
    """Return for each sample the score of a copy that was not trained on it."""
    method = response_method(estimator)
    values = cross_val_predict(
        estimator, X, y, cv=folds, method=method, params=params or None
    )
    return as_scores(values, method, n_classes)


def as_scores(values: Any, method: str, n_classes: int) -> NDArray[np.float64]:
    """Return one score per sample for two classes, else one per sample and class."""
    scores = np.asarray(values, dtype=np.float64)
    if method == "predict_proba":
        scores = np.log(np.maximum(scores, _SMALLEST))
        if n_classes == 2:
            scores = scores[:, 1] - scores[:, 0]
    if n_classes == 2 and scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    expected = scores.shape[:1] if n_classes == 2 else (len(scores), n_classes)
    if scores.shape != expected:
        raise DataError(
            f"{method} returned the shape {scores.shape} for {n_classes} classes; "
            "calibration needs one column per class (for SVC, "
            "decision_function_shape='ovr')."
        )
    if not np.isfinite(scores).all():
        raise DataError(
            f"{method} returned NaN or infinite scores; calibration needs finite ones."
        )
    return scores
