"""A learner that Mercer does not know shares a Gram all the same."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import KernelPerceptron, load_dataset
from mercer.estimators import BinaryMachine, Coefficients
from mercer.kernels import Gram
from mercer.model_selection import GramSearchCV

digits = load_dataset("digits")
X, Y = digits.X[:600], digits.y[:600]


class KernelRidge(BinaryMachine):
    """Least squares on the signs, as CONTRIBUTING's recipe has it."""

    path_parameters = frozenset({"alpha"})

    def __init__(
        self,
        alpha=1.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        multiclass="ovr",
        decision_function_shape="ovr",
        break_ties=False,
        memory_budget=None,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.memory_budget = memory_budget

    def check_parameters(self, training):
        if not self.alpha > 0:
            raise ValueError("alpha must be above 0.")

    def solve(self, gram, problems, *, starts=None, stop=None):
        found = []
        for problem in problems:
            K = gram.block(problem.rows, problem.rows) + 0.0
            K[np.diag_indices_from(K)] += self.alpha
            found.append(Coefficients(np.linalg.solve(K, problem.signs)))
        return found


class Stubborn(KernelPerceptron):
    """Inherits the declaration, and does something else."""

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Declared(KernelPerceptron):
    """A perceptron that never shuffles, and says that it may share."""

    path_parameters = KernelPerceptron.path_parameters

    def _orders(self, training, epochs):
        return iter([training.rows] * epochs)


@pytest.fixture
def grams(monkeypatch):
    """The whole Grams that are computed."""
    made, init = [], Gram.__init__

    def counting(self, *arguments, **options):
        init(self, *arguments, **options)
        made.append(self)

    monkeypatch.setattr(Gram, "__init__", counting)
    return made


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_scores_are_those_of_grid_search(multiclass):
    grid = {"alpha": [0.1, 1.0, 10.0], "gamma": [1e-3, 1e-2]}
    model = KernelRidge(multiclass=multiclass)
    options = {"cv": 3, "return_train_score": True, "error_score": "raise"}
    ours = GramSearchCV(model, grid, **options).fit(X, Y)
    theirs = GridSearchCV(model, grid, **options).fit(X, Y)
    for name in ("mean_test_score", "mean_train_score"):
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name])
    assert ours.best_params_ == theirs.best_params_
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_one_gram_serves_all_folds_and_values(grams):
    grid = {"alpha": [0.1, 1.0, 10.0]}
    search = GramSearchCV(KernelRidge(gamma=1e-3), grid, cv=5, refit=False)
    search.fit(X, Y)
    assert len(grams) == 1
    assert search.estimate_cost(X, Y).n_alone == 0


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_value_that_it_complains_about_is_fitted_alone():
    search = GramSearchCV(KernelRidge(gamma=1e-3), {"alpha": [-1.0, 1.0]}, cv=3)
    with pytest.warns(match="alpha must be above 0"):
        search.fit(X, Y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isnan(scores[0])
    assert scores[1] > 0.85


def test_in_a_pipeline_and_for_each_class():
    model = make_pipeline(StandardScaler(), KernelRidge(gamma=1e-3))
    grid = {"kernelridge__alpha": [0.1, 1.0]}
    ours = GramSearchCV(model, grid, cv=3, error_score="raise").fit(X, Y)
    theirs = GridSearchCV(model, grid, cv=3).fit(X, Y)
    scores = (s.cv_results_["mean_test_score"] for s in (ours, theirs))
    np.testing.assert_allclose(*scores)
    grid = {"alpha": [0.01, 1.0, 100.0]}
    per_class = GramSearchCV(KernelRidge(gamma=1e-3), grid, cv=3, per_class=True)
    assert per_class.fit(X, Y).score(X, Y) > 0.95


def test_a_subclass_shares_only_if_it_says_so(grams):
    grid = {"epochs": [1, 2]}
    alone = GramSearchCV(Stubborn(random_state=0), grid, cv=3, refit=False).fit(X, Y)
    assert alone.cv_results_["mean_test_score"].max() < 0.2
    model = Declared(gamma=1e-3, shuffle=True, random_state=0)
    ours = GramSearchCV(model, grid, cv=3, refit=False).fit(X, Y)
    assert len(grams) == 1
    theirs = GridSearchCV(model, grid, cv=3, refit=False).fit(X, Y)
    scores = (s.cv_results_["mean_test_score"] for s in (ours, theirs))
    np.testing.assert_array_equal(*scores)
