"""Pipelines in a search: the results of GridSearchCV, the transformers fitted once."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC, load_dataset
from mercer.kernels import Base, Linear, _family
from mercer.model_selection import GramSearchCV

GAMMA = {"clf__gamma": ["scale", 0.01]}
LEARNERS = {
    "perceptron": (
        KernelPerceptron(random_state=0),
        {"clf__epochs": [1, 3], "clf__variant": ["last", "best"], **GAMMA},
    ),
    "pegasos": (KernelPegasos(random_state=0), {"clf__lam": [1e-1, 1e-3], **GAMMA}),
    "neighbours": (KernelKNN(), {"clf__n_neighbors": [1, 3, 5], **GAMMA}),
    "svc": (KernelSVC(tol=1e-6), {"clf__C": [1, 10], **GAMMA}),
}


@pytest.fixture(scope="module")
def digits():
    data = load_dataset("digits")
    noise = np.random.default_rng(0).normal(0, 0.1, (200, 64))
    return data.X[:200] + noise, data.y[:200]


def check_same(pipeline, grid, X, y, **options):
    options = {"cv": StratifiedKFold(3), "refit": False} | options
    plain, ours = (
        kind(pipeline, grid, **options).fit(X, y).cv_results_
        for kind in (GridSearchCV, GramSearchCV)
    )
    assert list(plain) == list(ours)
    assert plain["params"] == ours["params"]
    names = [name for name in plain if name.startswith("split")]
    assert names
    for name in names:
        np.testing.assert_array_equal(ours[name], plain[name], err_msg=name)


@pytest.mark.parametrize("with_train", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_scores(name, with_train, digits):
    learner, grid = LEARNERS[name]
    steps = [("scale", StandardScaler()), ("few", SelectKBest(k=30)), ("clf", learner)]
    check_same(Pipeline(steps), grid, *digits, return_train_score=with_train)


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_parameters_of_transformers_too(digits):
    steps = [("scale", None), ("pca", PCA(random_state=0)), ("clf", KernelSVC())]
    grid = [
        {"scale": [StandardScaler(), MinMaxScaler()], "clf__C": [1, 10]},
        # there are no 1000 components: an error, and no score
        {"pca__n_components": [5, 1000], "clf": [KernelKNN(), KernelSVC(C=5)]},
        {"pca": ["passthrough"], "clf__kernel": [Linear()], "clf__C": [0.01]},
    ]
    check_same(Pipeline(steps), grid, *digits)


def test_csr_samples(digits):
    X = sparse.csr_array(np.where(digits[0] > 4, digits[0], 0))
    steps = [("scale", MaxAbsScaler()), ("clf", KernelSVC(tol=1e-6))]
    check_same(Pipeline(steps), {"clf__C": [1, 10], **GAMMA}, X, digits[1])


def test_scorers_that_look_at_samples_see_the_real_ones(digits):
    def wide(model, X, y):
        assert X.shape[1] == 64
        return model.score(X, y)

    steps = [("pca", PCA(5, random_state=0)), ("clf", KernelKNN())]
    check_same(Pipeline(steps), {"clf__n_neighbors": [1, 3]}, *digits, scoring=wide)


class CountingScaler(TransformerMixin, BaseEstimator):
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, X, y=None):
        type(self).fits += 1
        self.fitted_ = True
        return self

    def transform(self, X):
        return X / 16


def test_transformers_and_base_matrices_once_a_fold(digits, monkeypatch):
    made, compute = [], _family._base_matrix

    def counting(base, X, Y):
        made.append(base)
        return compute(base, X, Y)

    monkeypatch.setattr(_family, "_base_matrix", counting)
    monkeypatch.setattr(CountingScaler, "fits", 0)
    pipeline = Pipeline([("scale", CountingScaler()), ("clf", KernelSVC())])
    grid = {"clf__C": [1, 10, 100], "clf__gamma": [0.1, 0.2]}
    GramSearchCV(pipeline, grid, cv=3, refit=False).fit(*digits)
    assert CountingScaler.fits == 3
    assert made == [Base.SQUARED_DISTANCE] * 3
