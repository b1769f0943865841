import numpy as np
import pytest
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    make_classification,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mercer.calibration import CalibratedClassifier
from mercer.exceptions import DataError, ParameterError


def two_classes():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["ill", "well"])[y]


def ten_classes():
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16, y[:600]


DATA = {"two": two_classes, "ten": ten_classes}


def is_consistent(model, X):
    p, decision, predicted = (
        model.predict_proba(X),
        model.decision_function(X),
        model.predict(X),
    )
    if decision.ndim == 1:
        by_score = (decision > 0).astype(int)
    else:
        by_score = decision.argmax(axis=1)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(predicted, model.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(predicted, model.classes_[by_score])


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize(
    "estimator",
    [SVC(), RidgeClassifier(), Perceptron(), KNeighborsClassifier()],
    ids=lambda e: type(e).__name__,
)
def test_predict_decision_function_and_predict_proba_agree(data, estimator):
    X, y = DATA[data]()
    model = CalibratedClassifier(estimator, cv=3, random_state=0).fit(X, y)
    is_consistent(model, X)
    assert model.score(X, y) > 0.9


def test_they_agree_for_pav_and_for_any_prior():
    X, y = two_classes()
    for prior in (None, 0.01, 0.5, [0.2, 0.8]):
        model = CalibratedClassifier(SVC(), method="pav", prior=prior, random_state=0)
        is_consistent(model.fit(X, y), X)


class Fixed(BaseEstimator):
    """A trained classifier that returns its input as scores."""

    def __init__(self, n_classes):
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return X[:, 0] if len(self.classes_) == 2 else X


def test_ties_are_broken_alike_by_all_methods():
    model = CalibratedClassifier(Fixed(2), prior=0.5, cv="prefit")
    model.fit(np.array([[-2.0], [1.0], [-1.0], [2.0]]), [0, 0, 1, 1])
    model.calibrator_.coef_[:], model.calibrator_.intercept_ = 1.0, 0.0
    tiny = np.array([0.0, 1e-320, 1e-20, -1e-20, 1e-16, 3e-16, -3e-16, 1e-15])
    is_consistent(model, tiny[:, None])
    rng = np.random.default_rng(0)
    many = CalibratedClassifier(Fixed(3), cv="prefit")
    many.fit(rng.normal(size=(30, 3)), np.arange(30) % 3)
    near = 1.0 + rng.integers(-4, 5, (2000, 3)) * 1e-16
    is_consistent(many, near - many.offsets_ / many.slope_)


def test_prefit_and_frozen_estimators_are_not_trained_again():
    X, y = two_classes()
    inner = SVC().fit(X[::2], y[::2])
    prefit = CalibratedClassifier(inner, cv="prefit").fit(X[1::2], y[1::2])
    assert prefit.estimator_ is inner
    frozen = CalibratedClassifier(FrozenEstimator(inner), cv=2).fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(prefit.predict_proba(X), frozen.predict_proba(X))


def test_two_classes_equal_scikit_learns_sigmoid_up_to_its_smoothing():
    X, y = make_classification(5000, flip_y=0.3, random_state=0)
    folds = StratifiedKFold(5)
    ours = CalibratedClassifier(RidgeClassifier(), cv=folds).fit(X, y)
    theirs = CalibratedClassifierCV(RidgeClassifier(), cv=folds, ensemble=False)
    expected = theirs.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=2e-3)


def calibrate_three(scores, y, priors):
    model = CalibratedClassifier(Fixed(3), prior=priors, cv="prefit").fit(scores, y)
    return model.slope_, model.offsets_


def test_multinomial_slope_and_offsets_are_optimal():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    scores = rng.normal(size=(300, 3)) * 5 + 10 * np.eye(3)[y] + [0, 3, -2]
    priors = np.array([0.2, 0.3, 0.5])
    slope, offsets = calibrate_three(scores, y, priors)
    weights = (priors / 100)[y]

    def loss(a, b):
        log_p = log_softmax(a * scores + b + np.log(priors), axis=1)
        return -weights @ log_p[np.arange(300), y]

    best = loss(slope, offsets)
    assert offsets.sum() == pytest.approx(0, abs=1e-9)
    for _ in range(100):
        assert best <= loss(slope * rng.normal(1, 0.05), offsets) + 1e-6
        assert best <= loss(slope, offsets + rng.normal(0, 0.2, 3)) + 1e-6


def test_separable_classes_stay_finite():
    y = np.arange(30) % 3
    slope, offsets = calibrate_three(np.eye(3)[y], y, np.ones(3) / 3)
    assert np.isfinite(slope)
    np.testing.assert_allclose(offsets, 0, atol=1e-6)


def test_calibration_lowers_the_log_loss_of_ten_classes():
    X, y = load_digits(return_X_y=True)
    model = CalibratedClassifier(SVC(), random_state=0).fit(X[:1000], y[:1000])
    raw = softmax(model.estimator_.decision_function(X[1000:]), axis=1)
    calibrated = model.predict_proba(X[1000:])
    assert log_loss(y[1000:], calibrated) < 0.8 * log_loss(y[1000:], raw)


def test_the_prior_moves_the_decisions_and_not_the_ratios():
    X, y = two_classes()
    rare, often = (
        CalibratedClassifier(RidgeClassifier(), prior=p, cv="prefit")
        for p in (0.01, 0.99)
    )
    inner = RidgeClassifier().fit(X[::2], y[::2])
    for model in (rare, often):
        model.estimator = inner
        model.fit(X[1::2], y[1::2])
    assert np.mean(rare.predict(X) == "well") < np.mean(often.predict(X) == "well")
    odds = np.log(0.99 / 0.01)
    for model, sign in ((rare, -1), (often, 1)):
        difference = model.decision_function(X) - model.log_likelihood_ratio(X)
        np.testing.assert_allclose(difference, sign * odds)


def expected_costs(p, costs):
    return np.array(
        [[row @ np.array(costs)[:, d] for d in range(len(costs))] for row in p]
    )


def test_costs_give_bayes_decisions_under_the_probabilities():
    X, y = two_classes()
    costs = [[0, 1], [20, 0.5]]
    plain = CalibratedClassifier(SVC(), random_state=0).fit(X, y)
    dear = clone(plain).set_params(cost_matrix=costs).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), dear.predict_proba(X))
    best = expected_costs(dear.predict_proba(X), costs).argmin(axis=1)
    np.testing.assert_array_equal(dear.predict(X), dear.classes_[best])
    by_score = (dear.decision_function(X) > 0).astype(int)
    np.testing.assert_array_equal(dear.predict(X), dear.classes_[by_score])
    assert np.mean(dear.predict(X) == "well") > np.mean(plain.predict(X) == "well")


def test_costs_of_three_classes():
    X, y = load_iris(return_X_y=True)
    costs = [[0, 1, 1], [1, 0, 1], [30, 30, 0]]
    model = CalibratedClassifier(
        LogisticRegression(max_iter=1000), cost_matrix=costs, random_state=0
    ).fit(X, y)
    best = expected_costs(model.predict_proba(X), costs).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), best)
    np.testing.assert_array_equal(model.decision_function(X).argmax(axis=1), best)
    assert np.sum(model.predict(X) == 2) > 50


def test_ratios_of_three_classes_sum_to_zero():
    X, y = load_iris(return_X_y=True)
    model = CalibratedClassifier(SVC(), prior=[0.5, 0.2, 0.3], random_state=0).fit(X, y)
    llr = model.log_likelihood_ratio(X)
    np.testing.assert_allclose(llr.sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(
        softmax(llr + np.log([0.5, 0.2, 0.3]), axis=1), model.predict_proba(X)
    )


def test_works_with_a_precomputed_kernel_and_in_a_search():
    X, y = two_classes()
    X, y = X[:200], y[:200]
    kernel = rbf_kernel(X, gamma=0.02)
    one = CalibratedClassifier(SVC(kernel="precomputed"), cv=3, random_state=0)
    other = CalibratedClassifier(SVC(gamma=0.02), cv=3, random_state=0)
    np.testing.assert_allclose(
        one.fit(kernel, y).predict_proba(kernel),
        other.fit(X, y).predict_proba(X),
        rtol=1e-5,
        atol=1e-12,
    )
    search = GridSearchCV(one, {"estimator__C": [0.1, 1.0]}, cv=2).fit(kernel, y)
    assert search.best_score_ > 0.9


def test_works_in_a_pipeline_with_names():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = CalibratedClassifier(make_pipeline(StandardScaler(), SVC()), cv=3)
    model.fit(frame, y)
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list("abcd")
    is_consistent(model, frame)


class Silent:
    """A classifier without scores."""

    def fit(self, X, y):
        return self

    def get_params(self, deep=True):
        return {}


def test_bad_input_is_told_in_a_sentence():
    X, y = load_iris(return_X_y=True)
    two = y < 2

    def says(error, text, X=X, y=y, estimator=None, **parameters):
        estimator = estimator or RidgeClassifier()
        with pytest.raises(error) as caught:
            CalibratedClassifier(estimator, **parameters).fit(X, y)
        assert text in str(caught.value), caught.value
        assert str(caught.value).endswith(".")

    says(DataError, "only one class", y=np.zeros(150))
    says(DataError, "X has 150 rows and y has 149", y=y[:-1])
    says(DataError, "y is None", y=None)
    says(DataError, "y is empty", X=X[:0], y=y[:0])
    says(DataError, "nan in row 0", y=np.where(np.arange(150) == 0, np.nan, y))
    says(ParameterError, "'pav' takes two classes", method="pav")
    says(ParameterError, "method is 'x'", method="x")
    says(ParameterError, "ridge must", ridge=-1)
    says(ParameterError, "cv is 'x'", cv="x")
    says(DataError, "only 50 samples", cv=51)
    says(ParameterError, "shape ()", prior=0.5)
    says(ParameterError, "sum to 1", prior=[0.5, 0.5, 0.5])
    says(ParameterError, "between 0 and 1", X=X[two], y=y[two], prior=1.0)
    says(ParameterError, "3 x 3", cost_matrix=[[0, 1], [1, 0]])
    says(ParameterError, "negative", cost_matrix=-np.ones((3, 3)))
    says(ParameterError, "diagonal", cost_matrix=np.ones((3, 3)))
    says(ParameterError, "neither", estimator=Silent())
    says(DataError, "'ovr'", *ten_classes(), SVC(decision_function_shape="ovo"), cv=2)
    fitted = RidgeClassifier().fit(X, y)
    says(DataError, "trained on", X[two], y[two], fitted, cv="prefit")
    says(
        DataError,
        "finite",
        np.full((4, 1), np.inf),
        [0, 1, 0, 1],
        Fixed(2),
        cv="prefit",
    )
