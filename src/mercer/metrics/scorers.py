"""The measures as scikit-learn scorers, for searches that minimise them.

A scorer is greater for better models, so that each of these returns the *negative*
cost. Scores are what ``decision_function`` returns.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from mercer.metrics.bayes_decisions import normalized_bayes_cost
from mercer.metrics.cllr import cllr, min_cllr
from mercer.metrics.dcf import actual_dcf, min_dcf

Scorer = Callable[..., float]


def _on_scores(measure: Callable[..., float], **options: Any) -> Scorer:
    scorer: Scorer = make_scorer(
        measure,
        greater_is_better=False,
        response_method="decision_function",
        **options,
    )
    return scorer


def min_dcf_scorer(
    prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    *,
    normalize: bool = True,
    pos_label: Any = None,
) -> Scorer:
    """Make a scorer of the negative `min_dcf`.

    Parameters
    ----------
    prior, cost_miss, cost_false_alarm, normalize, pos_label
        As in `min_dcf`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, to be given as `scoring`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mercer.metrics import min_dcf_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"alpha": [0.1, 1.0, 10.0]}
    >>> search = GridSearchCV(RidgeClassifier(), grid, scoring=min_dcf_scorer(0.9))
    >>> round(float(search.fit(X, y).best_score_), 3)
    -0.103
    """
    return _on_scores(
        min_dcf,
        prior=prior,
        cost_miss=cost_miss,
        cost_false_alarm=cost_false_alarm,
        normalize=normalize,
        pos_label=pos_label,
    )


def actual_dcf_scorer(
    prior: float = 0.5,
    cost_miss: float = 1.0,
    cost_false_alarm: float = 1.0,
    *,
    normalize: bool = True,
    threshold: float | None = None,
    pos_label: Any = None,
) -> Scorer:
    """Make a scorer of the negative `actual_dcf`.

    Parameters
    ----------
    prior, cost_miss, cost_false_alarm, normalize, threshold, pos_label
        As in `actual_dcf`. Give ``threshold=0`` for classifiers whose
        ``decision_function`` contains prior and costs already, as that of
        `mercer.calibration.CalibratedClassifier`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, to be given as `scoring`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from mercer.metrics import actual_dcf_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RidgeClassifier().fit(X[::2], y[::2])
    >>> round(actual_dcf_scorer()(model, X[1::2], y[1::2]), 3)
    -0.166
    """
    return _on_scores(
        actual_dcf,
        prior=prior,
        cost_miss=cost_miss,
        cost_false_alarm=cost_false_alarm,
        normalize=normalize,
        threshold=threshold,
        pos_label=pos_label,
    )


def cllr_scorer(*, minimum: bool = False, pos_label: Any = None) -> Scorer:
    """Make a scorer of the negative `cllr`, or of the negative `min_cllr`.

    Parameters
    ----------
    minimum : bool
        Use `min_cllr`: how well the scores rank, whatever their calibration.
    pos_label : label, optional
        The positive class; the second of the sorted classes unless given.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, to be given as `scoring`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from mercer.metrics import cllr_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RidgeClassifier().fit(X[::2], y[::2])
    >>> round(cllr_scorer()(model, X[1::2], y[1::2]), 3)
    -0.626
    """
    return _on_scores(min_cllr if minimum else cllr, pos_label=pos_label)


def bayes_cost_scorer(
    cost_matrix: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
) -> Scorer:
    """Make a scorer of the negative `normalized_bayes_cost` of ``predict``.

    Parameters
    ----------
    cost_matrix, priors, labels
        As in `normalized_bayes_cost`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, to be given as `scoring`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from mercer.metrics import bayes_cost_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RidgeClassifier().fit(X[::2], y[::2])
    >>> round(bayes_cost_scorer()(model, X[1::2], y[1::2]), 3)
    -0.18
    """
    scorer: Scorer = make_scorer(
        normalized_bayes_cost,
        greater_is_better=False,
        cost_matrix=cost_matrix,
        priors=priors,
        labels=labels,
    )
    return scorer
