"""GramSearchCV against plain GridSearchCV: the same splits, the same results."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC, load_dataset
from mercer.kernels import Constant, Gaussian, Gram, Linear, Polynomial
from mercer.model_selection import GramSearchCV


@pytest.fixture(scope="module")
def digits():
    # noise breaks the ties that whole numbers make, which only rounding would decide
    data = load_dataset("digits")
    X = data.X[:240] / 16 + np.random.default_rng(0).normal(0, 0.01, (240, 64))
    return X, np.array(list("abcdefghij"))[data.y[:240]]


def both(estimator, grid, X, y, **options):
    options = {"cv": StratifiedKFold(3)} | options
    plain = GridSearchCV(estimator, grid, **options).fit(X, y)
    return plain, GramSearchCV(estimator, grid, **options).fit(X, y)


def scores(search):
    results = search.cv_results_
    names = [k for k in results if "_test_" in k or "_train_" in k]
    return {k: np.asarray(results[k], float) for k in names if "rank" not in k}


def check_same(plain, ours, tolerance=0.0):
    assert list(plain.cv_results_) == list(ours.cv_results_)
    assert plain.cv_results_["params"] == ours.cv_results_["params"]
    theirs, mine = scores(plain), scores(ours)
    for name in theirs:
        np.testing.assert_allclose(
            mine[name], theirs[name], rtol=0, atol=tolerance + 1e-12, err_msg=name
        )
    assert plain.best_index_ == ours.best_index_
    assert plain.best_params_ == ours.best_params_
    assert plain.n_splits_ == ours.n_splits_


PERCEPTRON = KernelPerceptron(random_state=3, gamma=0.05)
PEGASOS = KernelPegasos(random_state=3, gamma=0.05)
VARIANTS = ["last", "averaged", "best"]


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (PERCEPTRON, {"epochs": [1, 2, 4, 7], "variant": VARIANTS}),
        (PERCEPTRON, {"gamma": ["scale", "auto", 0.1], "mistake": ["sign", "margin"]}),
        (
            KernelPerceptron("poly", random_state=1, multiclass="ovo", coef0=1.0),
            {"degree": [1, 2, 3], "epochs": [1, 3], "shuffle": [True, False]},
        ),
        (
            KernelPerceptron("poly", random_state=1, coef0=1.0, gamma=1.0),
            {"degree": [1, 2, 5], "epochs": [1, 3], "variant": VARIANTS},
        ),
        (
            KernelPegasos(random_state=1, lam=1e-3),
            {"kernel": [Linear(), Polynomial(3, 1.0)], "average": [True, False]},
        ),
        (
            KernelPerceptron(random_state=np.random.RandomState(5)),
            {"kernel": [Linear() + Constant(1.0), Gaussian(0.05), Polynomial(2)]},
        ),
        (PEGASOS, {"epochs": [0.2, 1, 3], "lam": [1e-2, 1e-4], "average": [0, 1]}),
        (
            KernelPegasos(random_state=2, gamma=0.05, multiclass="ovo"),
            [{"n_steps": [20, 50]}, {"epochs": [0.5, 1], "C": [1.0, 100.0]}],
        ),
        (
            KernelKNN(),
            {"n_neighbors": [1, 2, 5, 20], "kernel": ["cosine", "rbf", "linear"]},
        ),
    ],
    ids=[
        *("variants", "gamma", "ovo", "powers", "powers of pegasos", "kernels"),
        *("pegasos", "pegasos ovo", "neighbours"),
    ],
)
def test_exactly_the_same(estimator, grid, digits):
    check_same(*both(estimator, grid, *digits, return_train_score=True))


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_svm_within_its_tolerance(bias, multiclass, digits):
    model = KernelSVC(bias=bias, multiclass=multiclass, tol=1e-6)
    grid = {"C": [100, 0.1, 5.0], "gamma": ["scale", 0.1], "class_weight": [None]}
    check_same(*both(model, grid, *digits, return_train_score=True))


def test_svm_with_weights(digits):
    weights = {c: 1.0 + k for k, c in enumerate("abcdefghij")}
    grid = {"C": [weights, 2.0, 1.0], "class_weight": ["balanced", weights]}
    check_same(*both(KernelSVC(tol=1e-6), grid, *digits))


def test_svm_by_lbfgs(digits):
    model = KernelSVC(solver="lbfgs", bias="none", tol=1e-3)
    check_same(*both(model, {"C": [1.0, 0.1]}, *digits), tolerance=0.01)


@pytest.mark.parametrize(
    "cv",
    [
        3,
        KFold(3, shuffle=True, random_state=0),
        ShuffleSplit(3, test_size=0.3, random_state=0),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
    ],
    ids=lambda cv: type(cv).__name__,
)
@pytest.mark.parametrize("model", [PERCEPTRON, KernelKNN(3), KernelSVC(tol=1e-6)])
def test_any_splitter(model, cv, digits):
    name = {"KernelKNN": "n_neighbors", "KernelSVC": "C"}.get(type(model).__name__)
    grid = {name: [1, 4]} if name else {"epochs": [1, 4]}
    check_same(*both(model, grid, *digits, cv=cv))


def test_samples_that_are_drawn_twice(digits):
    random = np.random.default_rng(0)
    splits = [(random.integers(0, 200, 150), np.arange(200, 240)) for _ in range(2)]
    check_same(*both(PERCEPTRON, {"epochs": [1, 3]}, *digits, cv=splits))


def test_two_classes_and_masks(digits):
    X, y = digits
    X, y = X[y < "c"], y[y < "c"]
    mask = np.arange(len(y)) % 3 == 0
    splits = [(np.flatnonzero(~mask), np.flatnonzero(mask))]
    for model, grid in ((PEGASOS, {"lam": [0.1, 0.01]}), (KernelSVC(), {"C": [1, 2]})):
        check_same(*both(model, grid, X, y, cv=splits, scoring="roc_auc"))


def test_several_scores_and_refits(digits):
    options = {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro"}
    plain, ours = both(PERCEPTRON, {"epochs": [1, 3]}, *digits, **options)
    check_same(plain, ours)
    assert ours.multimetric_
    assert set(ours.scorer_) == {"accuracy", "f1_macro"}
    assert ours.score(*digits) == plain.score(*digits)
    last = both(KernelKNN(), {"n_neighbors": [1, 3]}, *digits, refit=lambda r: 1)
    assert [search.best_index_ for search in last] == [1, 1]
    assert not hasattr(last[1], "best_score_")
    never = GramSearchCV(KernelKNN(), {"n_neighbors": [1]}, refit=False, cv=3)
    assert not hasattr(never.fit(*digits), "best_estimator_")


def test_probabilities_and_own_scorers(digits):
    def wrong_and_size(model, X, y):
        assert X.shape[1] == 64
        return {"wrong": -np.sum(model.predict(X) != y), "support": len(model.support_)}

    grid = {"n_neighbors": [1, 5]}
    check_same(*both(KernelKNN(), grid, *digits, scoring="neg_log_loss"))
    options = {"scoring": wrong_and_size, "refit": "wrong"}
    check_same(*both(PERCEPTRON, {"epochs": [1, 2]}, *digits, **options))


def test_delegation_and_tags(digits):
    X, y = digits
    plain, ours = both(KernelSVC(), {"C": [1, 10]}, X, y)
    assert (ours.predict(X) == plain.predict(X)).all()
    assert ours.decision_function(X).shape == (240, 10)
    assert ours.classes_.tolist() == list("abcdefghij")
    assert ours.n_features_in_ == 64
    assert ours.refit_time_ >= 0
    assert isinstance(ours, GridSearchCV)
    assert not hasattr(ours, "predict_proba")
    assert not hasattr(GramSearchCV(KernelSVC(), {"C": [1]}, refit=False), "predict")


@pytest.mark.parametrize("kind", ["csr", "frame", "float32", "lists"])
def test_kinds_of_samples(kind, digits):
    X, y = digits
    X = {
        "csr": lambda: sparse.csr_array(np.where(np.abs(X) > 0.2, X, 0)),
        "frame": lambda: pd.DataFrame(X, columns=[f"pixel {k}" for k in range(64)]),
        "float32": lambda: X.astype(np.float32),
        "lists": lambda: X.tolist(),
    }[kind]()
    y = pd.Series(y) if kind == "frame" else y
    plain, ours = both(PERCEPTRON, {"epochs": [1, 3]}, X, y)
    check_same(plain, ours)
    if kind == "frame":
        assert (ours.feature_names_in_ == plain.feature_names_in_).all()
        assert len(pd.DataFrame(ours.cv_results_)) == 2


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KernelSVC(kernel="precomputed", tol=1e-6), {"C": [10, 1]}),
        (KernelKNN(kernel="precomputed"), {"n_neighbors": [1, 5]}),
        (KernelPerceptron(kernel="precomputed", random_state=0), {"epochs": [1, 5]}),
        (SVC(kernel="precomputed"), {"C": [1, 10]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_precomputed_kernel(model, grid, digits):
    X, y = digits
    check_same(*both(model, grid, Gaussian(0.05)(X), y))


def test_estimators_of_scikit_learn(digits):
    X, y = digits
    grid = {"C": [1, 10], "gamma": ["scale", 0.1], "kernel": ["rbf", "sigmoid"]}
    check_same(*both(SVC(tol=1e-6), grid, X, y))
    grid = {"alpha": [0.1, 1], "kernel": ["rbf", "laplacian"], "gamma": [None, 0.1]}
    target = X[:, 20] + X[:, 30]
    check_same(*both(KernelRidge(), grid, X, target, cv=3), tolerance=1e-9)
    grid = {"kernelsvc__C": [1, 10]}
    check_same(*both(make_pipeline(StandardScaler(), KernelSVC()), grid, X, y))


def test_weights_of_samples(digits):
    X, y = digits
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model, grid, cv = KernelSVC(tol=1e-6), {"C": [1, 10]}, StratifiedKFold(3)
    searches = [
        kind(model, grid, cv=cv).fit(X, y, sample_weight=weights)
        for kind in (GridSearchCV, GramSearchCV)
    ]
    check_same(*searches)


@pytest.mark.parametrize("budget", ["900KB", "500KB", "60KB"])
@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (PERCEPTRON, {"epochs": [1, 3], "variant": VARIANTS, "gamma": [0.05, 0.1]}),
        (PEGASOS, {"epochs": [0.5, 2], "average": [True, False]}),
        (KernelSVC(tol=1e-6), {"C": [1, 10], "gamma": [0.05, 0.1]}),
        (KernelKNN(), {"n_neighbors": [1, 5], "kernel": ["cosine", "rbf"]}),
        (SVC(tol=1e-6), {"C": [1, 10]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_gram_that_does_not_fit(model, grid, budget, digits, monkeypatch):
    plain = GridSearchCV(model, grid, cv=StratifiedKFold(3)).fit(*digits)
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", budget)
    check_same(plain, GramSearchCV(model, grid, cv=StratifiedKFold(3)).fit(*digits))


def test_threads_do_not_matter(digits):
    grid = {"C": [1, 10, 100], "gamma": [0.05, 0.1]}
    searches = [
        GramSearchCV(KernelSVC(), grid, cv=3, n_jobs=n).fit(*digits) for n in (1, None)
    ]
    check_same(*searches)


@pytest.fixture
def times_in_float64(monkeypatch):
    """Which Grams a search made anew in float64."""
    made, in_float64 = [], Gram.in_float64

    def watched(gram):
        made.append(gram.kernel)
        return in_float64(gram)

    monkeypatch.setattr(Gram, "in_float64", watched)
    return made


@pytest.mark.parametrize("n_kernels", [1, 2], ids=["alone", "family"])
def test_what_float32_cannot_carry(n_kernels, times_in_float64):
    X, y = load_iris(return_X_y=True)
    X, y = (X[y > 0] + 1000).astype(np.float32), y[y > 0]
    kernels = [Linear(), Linear() + Constant(1.0)][:n_kernels]
    grid = {"C": [1, 10], "kernel": kernels}
    plain, ours = both(KernelSVC(), grid, X, y)
    assert times_in_float64 == kernels
    check_same(plain, ours)
    assert ours.best_score_ > 0.9


def test_what_float32_carries_stays_in_it(digits, times_in_float64):
    X, y = digits
    grid = {"C": [1, 100], "kernel": [Gaussian(0.05), Linear()]}
    GramSearchCV(KernelSVC(), grid, cv=3).fit(X.astype(np.float32), y)
    assert times_in_float64 == []
