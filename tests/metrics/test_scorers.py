import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import KernelSVC
from mercer.metrics import (
    actual_dcf,
    actual_dcf_scorer,
    bayes_cost_scorer,
    cllr,
    cllr_scorer,
    min_cllr,
    min_dcf,
    min_dcf_scorer,
    normalized_bayes_cost,
)


@pytest.fixture(scope="module")
def fitted():
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(y == 1, "benign", "malignant")
    return RidgeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2]


def test_scorers_are_the_negative_measures(fitted):
    model, X, y = fitted
    scores = model.decision_function(X)
    application = (0.1, 2.0, 3.0)
    assert min_dcf_scorer(*application)(*fitted) == -min_dcf(y, scores, *application)
    assert actual_dcf_scorer(*application)(*fitted) == -actual_dcf(
        y, scores, *application
    )
    at_zero = actual_dcf_scorer(0.1, threshold=0.0)(*fitted)
    assert at_zero == -actual_dcf(y, scores, 0.1, threshold=0.0)
    assert cllr_scorer()(*fitted) == -cllr(y, scores)
    assert cllr_scorer(minimum=True)(*fitted) == -min_cllr(y, scores)


def test_the_first_class_as_target_gets_turned_scores(fitted):
    model, X, y = fitted
    scores = -model.decision_function(X)
    expected = -min_dcf(y, scores, 0.1, pos_label="benign")
    assert min_dcf_scorer(0.1, pos_label="benign")(*fitted) == expected
    expected = -cllr(y, scores, pos_label="benign")
    assert cllr_scorer(pos_label="benign")(*fitted) == expected


def test_a_search_picks_the_cheapest():
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"alpha": [1e-3, 1.0, 1e5]}
    scorer = min_dcf_scorer(0.9)
    search = GridSearchCV(RidgeClassifier(), grid, scoring=scorer, cv=3).fit(X, y)
    means = [
        cross_val_score(RidgeClassifier(alpha=a), X, y, scoring=scorer, cv=3).mean()
        for a in grid["alpha"]
    ]
    assert search.best_params_ == {"alpha": grid["alpha"][int(np.argmax(means))]}


@pytest.mark.parametrize(
    "scorer",
    [
        min_dcf_scorer(prior=0.1),
        actual_dcf_scorer(prior=0.1, cost_miss=2.0),
        cllr_scorer(),
        bayes_cost_scorer([[0, 1], [9, 0]]),
    ],
)
def test_searches_over_mercers_own_svm(scorer):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    grid = {"C": [0.01, 1.0], "gamma": [0.001, 0.03]}
    search = GridSearchCV(KernelSVC(), grid, scoring=scorer, cv=3).fit(X, y)
    means = search.cv_results_["mean_test_score"]
    assert np.isfinite(means).all()
    assert search.best_score_ == means.max() > means.min()
    assert search.best_params_["C"] == 1.0


def test_multi_class_scorer():
    X, y = load_iris(return_X_y=True)
    model = RidgeClassifier().fit(X, y)
    costs, priors = [[0, 1, 2], [3, 0, 1], [1, 1, 0]], [0.2, 0.3, 0.5]
    expected = -normalized_bayes_cost(y, model.predict(X), costs, priors)
    assert bayes_cost_scorer(costs, priors)(model, X, y) == expected
