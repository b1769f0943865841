"""Grids and labels of every shape give what GridSearchCV gives."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.model_selection import GramSearchCV, coarse_to_fine

X, Y = load_breast_cancer(return_X_y=True)
FOLDS = StratifiedKFold(3)


def both(model, grid, y=Y):
    return [
        search(model, grid, cv=FOLDS).fit(X, y).cv_results_["mean_test_score"]
        for search in (GramSearchCV, GridSearchCV)
    ]


class Renaming(ClassifierMixin, BaseEstimator):
    """Has a parameter that only set_params knows how to set."""

    def __init__(self, model=None):
        self.model = model

    def set_params(self, **params):
        if "regularisation" in params:
            self.model.C = 1 / params.pop("regularisation")
        return super().set_params(**params)

    def get_params(self, deep=True):
        own = super().get_params(deep)
        return own | {"regularisation": 1 / self.model.C} if deep else own

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model.fit(X, y)
        return self

    def predict(self, X):
        return self.model.predict(X)


@pytest.mark.parametrize(
    "grid",
    [
        {"m": [KernelSVC(C=0.01), KernelSVC(C=10)]},
        {"s": [StandardScaler(), MinMaxScaler(), "passthrough"]},
        {"s": [StandardScaler(), MinMaxScaler()], "m__C": [0.01, 10]},
        {"m": [KernelSVC(), KernelKNN()], "s": [StandardScaler(), None]},
        [{"m": [KernelSVC()], "m__C": [0.1, 1]}, {"m": [KernelKNN(3)]}],
    ],
)
def test_steps_that_the_grid_replaces(grid):
    model = Pipeline([("s", StandardScaler()), ("m", KernelSVC())])
    np.testing.assert_allclose(*both(model, grid), atol=2e-3)


def test_members_that_the_grid_replaces():
    model = VotingClassifier([("a", KernelSVC(C=0.01)), ("b", KernelKNN())])
    grid = {"a": [KernelSVC(C=0.01), KernelSVC(C=10), "drop"]}
    ours, theirs = both(model, grid)
    np.testing.assert_allclose(ours, theirs)
    assert len(set(theirs)) > 1


def test_parameters_that_only_set_params_can_set():
    model = Renaming(LogisticRegression(solver="liblinear"))
    np.testing.assert_allclose(*both(model, {"regularisation": [1e-3, 1e6]}))


LEARNERS = [
    (KernelSVC(), {"C": [0.1, 1, 100]}),
    (KernelPerceptron(random_state=0), {"epochs": [1, 5]}),
    (KernelPegasos(random_state=0), {"lam": [1e-4, 1e-2]}),
    (KernelKNN(), {"n_neighbors": [1, 15]}),
    (Pipeline([("s", StandardScaler()), ("m", KernelSVC())]), {"m__C": [0.01, 1]}),
]


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize(("model", "grid"), LEARNERS)
def test_labels_in_a_column(model, grid):
    ours, theirs = both(model, grid, Y[:, None])
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    assert ours.argmax() == theirs.argmax()


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_labels_in_a_column_everywhere_else():
    grid = {"C": [0.01, 1.0, 100.0]}
    flat, column = (
        GramSearchCV(KernelSVC(), grid, cv=FOLDS, per_class=True).fit(X, y)
        for y in (Y, Y[:, None])
    )
    assert flat.per_class_ == column.per_class_
    flat, column = (
        coarse_to_fine(KernelSVC(), X, y, "C", n_points=(3, 3), share=0.5)
        for y in (Y, Y[:, None])
    )
    assert flat.trace == column.trace
