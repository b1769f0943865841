"""The measures as scikit-learn scorers, for searches that minimise them.

A scorer is greater for better models, so that each of these returns the *negative*
cost. Scores are what ``decision_function`` returns; `bayes_cost_scorer` alone judges
what ``predict`` decides. Give ``actual_dcf_scorer`` a ``threshold=0`` for classifiers
whose ``decision_function`` contains prior and costs already, as that of
`mercer.calibration.CalibratedClassifier`.

Examples
--------
>>> from sklearn.datasets import load_breast_cancer, load_iris
>>> from sklearn.linear_model import RidgeClassifier
>>> from sklearn.model_selection import GridSearchCV
>>> from mercer.metrics import actual_dcf_scorer, cllr_scorer, min_dcf_scorer
>>> X, y = load_breast_cancer(return_X_y=True)
>>> grid = {"alpha": [0.1, 1.0, 10.0]}
>>> search = GridSearchCV(RidgeClassifier(), grid, scoring=min_dcf_scorer(0.9))
>>> round(float(search.fit(X, y).best_score_), 3)
-0.103
>>> model = RidgeClassifier().fit(X[::2], y[::2])
>>> round(actual_dcf_scorer()(model, X[1::2], y[1::2]), 3)
-0.166
>>> round(cllr_scorer()(model, X[1::2], y[1::2]), 3)
-0.626
>>> from mercer.metrics import bayes_cost_scorer
>>> X, y = load_iris(return_X_y=True)
>>> model = RidgeClassifier().fit(X[::2], y[::2])
>>> round(bayes_cost_scorer()(model, X[1::2], y[1::2]), 3)
-0.18
"""

import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from mercer.metrics.bayes_decisions import normalized_bayes_cost
from mercer.metrics.cllr import cllr, min_cllr
from mercer.metrics.dcf import actual_dcf, min_dcf

Scorer = Callable[..., float]
P = ParamSpec("P")

_DOC = """Make a scorer of the negative `{0}`.

Parameters
----------
{1}
    As in `{0}`.

Returns
-------
callable
    ``scorer(estimator, X, y)``, to be given as `scoring`.
"""


def _scorer_of(
    measure: Callable[Concatenate[ArrayLike, ArrayLike, P], float],
    name: str,
    response_method: str = "decision_function",
) -> Callable[P, Scorer]:
    """A function that takes the options of a measure and makes a scorer of it."""
    options = list(inspect.signature(measure).parameters.values())[2:]
    signature = inspect.Signature(options, return_annotation=Scorer)

    def make(*args: P.args, **kwargs: P.kwargs) -> Scorer:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        scorer: Scorer = make_scorer(
            measure,
            greater_is_better=False,
            response_method=response_method,
            **given.arguments,
        )
        return scorer

    make.__name__ = make.__qualname__ = name
    make.__doc__ = _DOC.format(measure.__name__, ", ".join(signature.parameters))
    make.__signature__ = signature  # type: ignore[attr-defined]
    return make


min_dcf_scorer = _scorer_of(min_dcf, "min_dcf_scorer")
actual_dcf_scorer = _scorer_of(actual_dcf, "actual_dcf_scorer")
bayes_cost_scorer = _scorer_of(normalized_bayes_cost, "bayes_cost_scorer", "predict")


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
    """
    measure = min_cllr if minimum else cllr
    return _scorer_of(measure, "cllr_scorer")(pos_label=pos_label)
