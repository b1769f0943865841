"""`mercer.svm.SVC` in the place of scikit-learn's."""

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import scale

import mercer
from mercer import KernelSVC, load, save
from mercer.exceptions import DataError, ParameterError
from mercer.model_selection import GramSearchCV
from mercer.svm import SVC

X, Y = load_iris(return_X_y=True)
PAGE = Path(mercer.__file__).parents[2] / "docs" / "coming-from-svc.md"
needs_page = pytest.mark.skipif(not PAGE.exists(), reason="docs are not installed")


def table(title):
    """The rows of a table on the page: what stands for each name."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([\w ]+) \|", text, re.MULTILINE))


def fitted_attributes(model):
    frame = pd.DataFrame(X, columns=list("abcd"))
    model.set_params(kernel="linear", tol=1e-6).fit(frame, Y)
    public = {name for name in dir(model) if not name.startswith("_")}
    methods = {n for n in public if callable(getattr(type(model), n, None))}
    return public - methods - set(model.get_params()), methods


@needs_page
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_parameter_is_on_the_page():
    theirs = inspect.signature(sklearn.svm.SVC).parameters
    ours = inspect.signature(SVC).parameters
    rows = table("Parameters")
    assert list(rows) == list(theirs) == list(ours)
    for name, word in rows.items():
        assert ours[name].kind is inspect.Parameter.KEYWORD_ONLY
        if word in ("same", "no effect"):
            assert ours[name].default == theirs[name].default
        else:
            assert word == "different"
    assert SVC(**sklearn.svm.SVC().get_params()).fit(X, Y).score(X, Y) > 0.9


@needs_page
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_attribute_is_on_the_page():
    theirs, ours = sklearn.svm.SVC(), SVC()
    their_names, their_methods = fitted_attributes(theirs)
    our_names, our_methods = fitted_attributes(ours)
    # a parameter that is available now and then, and not a method before it is
    assert their_methods - our_methods <= {"predict_proba", "predict_log_proba"}
    rows = table("Attributes")
    assert their_names == {name for name, word in rows.items() if word != "new"}
    for name, word in rows.items():
        assert (name in our_names) == (word != "absent")
        if word == "same":
            mine, its = getattr(ours, name), getattr(theirs, name)
            assert type(mine) is type(its) or isinstance(its, np.ndarray)
            assert np.shape(mine) == np.shape(its)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-2)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    assert ours._gamma >= 0


@needs_page
def test_what_is_not_offered_is_said():
    text = PAGE.read_text(encoding="utf-8")
    for name in set(sklearn.svm.__all__) - {"SVC", "l1_min_c"}:
        assert f"`{name}`" in text
        assert name in mercer.svm.__doc__
        with pytest.raises(ImportError, match=f"mercer.svm has no {name}: "):
            getattr(mercer.svm, name)
    with pytest.raises(AttributeError, match="no attribute 'KNN'"):
        _ = mercer.svm.KNN


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_a_model_as_of_scikit_learn(kernel):
    digits, labels = load_digits(return_X_y=True)
    digits, labels = digits[:600] / 16, labels[:600]
    settings = dict(kernel=kernel, C=5.0, tol=1e-5, decision_function_shape="ovo")
    ours = SVC(**settings).fit(digits, labels)
    theirs = sklearn.svm.SVC(**settings).fit(digits, labels)
    assert (ours.predict(digits) == theirs.predict(digits)).all()
    for name in ("dual_coef_", "intercept_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), atol=2e-3
        )
    np.testing.assert_allclose(
        ours.decision_function(digits), theirs.decision_function(digits), atol=1e-3
    )
    if kernel != "linear":
        assert ours._gamma == pytest.approx(theirs._gamma)


DATA = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_probabilities_agree_with_predict_and_are_good(name):
    samples, labels = DATA[name](return_X_y=True)
    parts = train_test_split(
        scale(samples), labels, test_size=0.4, random_state=0, stratify=labels
    )
    train, test, y_train, y_test = parts
    model = SVC(probability=True, random_state=0).fit(train, y_train)
    P = model.predict_proba(test)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (model.classes_[P.argmax(axis=1)] == model.predict(test)).all()
    plain = SVC().fit(train, y_train)
    assert (plain.predict(test) == model.predict(test)).all()
    np.testing.assert_allclose(model.predict_log_proba(test), np.log(P))
    theirs = sklearn.svm.SVC(probability=True, random_state=0).fit(train, y_train)
    ours, its = log_loss(y_test, P), log_loss(y_test, theirs.predict_proba(test))
    assert ours < 1.05 * its
    if PAGE.exists():  # and the page says so
        text = PAGE.read_text(encoding="utf-8")
        column = ["iris", "wine", "breast cancer", "digits"].index(name)
        row = re.search(r"\| Mercer \|(.*)\|", text)[1].split("|")
        assert float(row[column]) == pytest.approx(ours, abs=0.002)


@pytest.mark.parametrize("break_ties", [False, True])
def test_probabilities_agree_where_votes_are_tied(break_ties):
    random = np.random.default_rng(0)
    samples, labels = random.normal(size=(200, 2)), random.integers(0, 5, 200)
    model = SVC(probability=True, break_ties=break_ties, random_state=0)
    model.fit(samples, labels)
    new = random.normal(size=(2000, 2))
    P, decided = model.predict_proba(new), model.predict(new)
    assert (P.argmax(axis=1) == decided).all()
    assert (model.probA_ == model.probA_[0]).all()
    assert model.probA_.shape == model.probB_.shape == (10,)


def test_platts_formula_for_two_classes():
    samples, labels = X[Y > 0], Y[Y > 0]
    model = SVC(probability=True, random_state=0).fit(samples, labels)
    s = model.decision_function(samples)
    first = 1 / (1 + np.exp(-model.probA_ * s + model.probB_))
    np.testing.assert_allclose(model.predict_proba(samples)[:, 0], first, atol=1e-8)
    assert SVC().fit(X, Y).probA_.shape == (0,)


@pytest.mark.parametrize(
    ("samples", "labels"),
    [
        ([[0.0], [1.0]], [0, 1]),
        ([[0.0], [1.0], [1.5], [3.0]], [0, 1, 1, 2]),
        ([[0.0], [0.1], [1.0], [1.1]], ["a", "a", "b", "b"]),
    ],
)
def test_probabilities_of_few_samples_claim_little(samples, labels):
    model = SVC(probability=True).fit(samples, labels)
    P = model.predict_proba(samples)
    assert (model.classes_[P.argmax(axis=1)] == model.predict(samples)).all()
    assert P.max() < 0.95


def test_probabilities_of_every_kind_of_kernel():
    K = X @ X.T
    # products round differently: to this tolerance, steps lead to the same optimum
    known = {"probability": True, "random_state": 0, "tol": 1e-10}
    given = SVC(kernel="precomputed", **known).fit(K, Y)
    own = SVC(kernel=lambda A, B: A @ B.T, **known).fit(X, Y)
    np.testing.assert_allclose(given.predict_proba(K), own.predict_proba(X), atol=1e-9)
    weights = np.where(Y == 0, 2.0, 1.0)
    twice = np.concatenate([np.arange(150), np.flatnonzero(Y == 0)])
    weighted = SVC(gamma=1.0, probability=True, random_state=0).fit(X, Y, weights)
    repeated = SVC(gamma=1.0, probability=True, random_state=0).fit(X[twice], Y[twice])
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), atol=0.05
    )


def test_switching_probability_on():
    model = SVC().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(SVC(probability="deprecated"), "predict_proba")
    model.probability = True
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        model.predict_proba(X)


def test_random_state_decides_the_folds_and_nothing_else():
    models = [SVC(probability=True, random_state=s).fit(X, Y) for s in (0, 0, 1)]
    slopes = [model.probA_[0] for model in models]
    assert slopes[0] == slopes[1] != slopes[2]
    for model in models[1:]:
        assert (model.dual_coef_ == models[0].dual_coef_).all()


def test_cache_size():
    assert SVC().memory_budget is None
    assert SVC(cache_size=10).memory_budget == 10 * 2**20
    small = SVC(cache_size=0.01).fit(X, Y)
    assert (small.predict(X) == SVC().fit(X, Y).predict(X)).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"shrinking": "no"}, "shrinking is 'no'; it must be True or False"),
        ({"probability": "yes"}, "probability is 'yes'"),
        ({"break_ties": 1}, "break_ties is 1"),
        ({"cache_size": 0}, "cache_size is 0"),
        ({"C": 0}, "C is 0"),
        ({"class_weight": {0: 0}}, "class_weight is 0 for class 0"),
        ({"kernel": "gauss"}, "kernel is 'gauss'"),
    ],
)
def test_impossible_parameters_get_a_sentence(change, sentence):
    with pytest.raises(ParameterError, match=sentence):
        SVC(**change).fit(X, Y)
    with pytest.raises(ValueError, match="cannot be used to seed"):
        SVC(random_state="x").fit(X, Y)


def test_bad_data_is_an_error_of_the_same_type():
    with pytest.raises(ValueError, match="inconsistent"):
        SVC().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="square matrix"):
        SVC(kernel="precomputed").fit(X, Y)
    model = SVC().fit(X, Y)
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.predict(X.T)
    huge = np.finfo(np.float64).max * np.random.default_rng(0).uniform(size=(10, 2))
    with pytest.raises(ValueError, match="overflows"):
        SVC().fit(huge, np.arange(10) % 2)
    with pytest.raises(DataError, match="all samples have zero or negative weights"):
        SVC().fit(X, Y, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match="sample_weight"):
        SVC().fit(X, Y, sample_weight=np.ones(149))
    with pytest.raises(ParameterError, match="break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, Y).predict(X)
    # what scikit-learn refuses
    assert (model.predict(sparse.csr_array(X)) == model.predict(X)).all()


def test_samples_of_negative_weight_are_left_out():
    weights = np.where(np.arange(150) % 5 == 0, -0.5, 1.0)
    kept = weights > 0
    one = SVC(gamma=0.3).fit(X, Y, weights)
    other = SVC(gamma=0.3).fit(X[kept], Y[kept])
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X), atol=5e-3
    )


def test_the_limit_is_said_in_both_ways():
    words = r"early \(max_iter=3\).*StandardScaler or MinMaxScaler.*the gap is"
    with pytest.warns(ConvergenceWarning, match=words):
        model = SVC(max_iter=3).fit(X, Y)
    assert model.fit_status_ == 1
    with pytest.warns(ConvergenceWarning, match=r"max_iter=0"):
        nothing = SVC(max_iter=0).fit(X, Y)
    assert nothing.n_support_.tolist() == [0, 0, 0]
    assert nothing.n_iter_.tolist() == [0, 0, 0]
    assert nothing.predict(X).shape == (150,)


def test_a_search_shares_grams():
    grid = {"C": [0.1, 1, 10], "gamma": [0.1, 1.0]}
    search = GramSearchCV(SVC(), grid, cv=3).fit(X, Y)
    expected = GridSearchCV(SVC(), grid, cv=3).fit(X, Y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    assert SVC.shares_gram()
    model = SVC(probability=True, random_state=0)
    search = GramSearchCV(model, {"C": [1, 10]}, cv=3, scoring="neg_log_loss")
    expected = GridSearchCV(model, {"C": [1, 10]}, cv=3, scoring="neg_log_loss")
    scores = [s.fit(X, Y).cv_results_["mean_test_score"] for s in (search, expected)]
    np.testing.assert_allclose(*scores, atol=2e-3)


@pytest.mark.parametrize("probability", [False, True])
def test_saved_and_loaded(probability, tmp_path):
    model = SVC(probability=probability, random_state=0).fit(X, Y)
    save(model, tmp_path / "svc.mercer")
    again = load(tmp_path / "svc.mercer")
    assert type(again) is SVC
    assert (again.decision_function(X) == model.decision_function(X)).all()
    if probability:
        assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_it_is_kernel_svc():
    settings = {"C": 3.0, "gamma": 0.2}
    one, other = SVC(**settings).fit(X, Y), KernelSVC(**settings).fit(X, Y)
    assert (one.dual_coef_ == other.dual_coef_).all()
    assert str(one.certificate_)[:60] == str(other.certificate_)[:60]
