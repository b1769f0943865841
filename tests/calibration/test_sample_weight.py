"""Sample weights: two of a sample are one that weighs two."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit

from mercer import KernelPerceptron, KernelSVC
from mercer.calibration import CalibratedClassifier, ScoreCalibrator
from mercer.exceptions import DataError

RANDOM = np.random.default_rng(0)
Y = np.repeat([0, 1], 60)
SCORES = RANDOM.normal(2.0 * Y, 1.5)
WEIGHTS = RANDOM.integers(0, 4, 120)
TIMES = np.repeat(np.arange(120), WEIGHTS)
IRIS, KINDS = load_iris(return_X_y=True)


@pytest.mark.parametrize("method", ["logistic", "pav"])
def test_weights_of_scores_are_repeats(method):
    weighted = ScoreCalibrator(method).fit(SCORES, Y, sample_weight=WEIGHTS)
    repeated = ScoreCalibrator(method).fit(SCORES[TIMES], Y[TIMES])
    np.testing.assert_allclose(
        weighted.transform(SCORES), repeated.transform(SCORES), atol=1e-7
    )
    plain = ScoreCalibrator(method).fit(SCORES, Y)
    assert np.abs(plain.transform(SCORES) - weighted.transform(SCORES)).max() > 0.01
    ones = ScoreCalibrator(method).fit(SCORES, Y, sample_weight=np.ones(120))
    assert (ones.transform(SCORES) == plain.transform(SCORES)).all()


def test_folds_of_scores_are_weighted():
    one = ScoreCalibrator(cv=3, random_state=0).fit(SCORES, Y, sample_weight=1 + Y)
    two = ScoreCalibrator(cv=3, random_state=0).fit(SCORES, Y)
    # within a class all weigh the same, so nothing changes
    np.testing.assert_allclose(one.cross_calibrated_, two.cross_calibrated_, atol=1e-7)
    uneven = ScoreCalibrator(cv=3, random_state=0).fit(SCORES, Y, 1 + SCORES**2)
    assert np.abs(uneven.cross_calibrated_ - two.cross_calibrated_).max() > 0.01


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("estimator", [KernelSVC(gamma=0.5, tol=1e-8)], ids=str)
def test_weights_of_a_classifier_are_repeats(classes, estimator):
    some = np.isin(KINDS, range(classes))
    X, y = IRIS[some][:, :2], KINDS[some]
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    times = np.repeat(np.arange(len(y)), weights)
    fold = np.arange(len(y)) % 3
    weighted = CalibratedClassifier(estimator, cv=PredefinedSplit(fold))
    weighted.fit(X, y, sample_weight=weights)
    repeated = CalibratedClassifier(estimator, cv=PredefinedSplit(fold[times]))
    repeated.fit(X[times], y[times])
    np.testing.assert_allclose(weighted.priors_, repeated.priors_)
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4
    )


def test_what_takes_no_weights_is_told():
    model = CalibratedClassifier(KernelPerceptron(random_state=0), random_state=0)
    with pytest.warns(UserWarning, match="KernelPerceptron takes no sample_weight"):
        model.fit(IRIS, KINDS, sample_weight=np.ones(150))
    with pytest.raises(DataError, match="class 2 have sample_weight 0"):
        model.fit(IRIS, KINDS, sample_weight=KINDS < 2)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(IRIS, KINDS, sample_weight=np.ones(149))
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(IRIS, KINDS, sample_weight=np.r_[-1, np.ones(149)])
    trained = LogisticRegression(max_iter=1000).fit(IRIS, KINDS)
    prefit = CalibratedClassifier(trained, cv="prefit")
    prefit.fit(IRIS, KINDS, sample_weight=1 + KINDS)
    np.testing.assert_allclose(prefit.priors_, [1 / 6, 2 / 6, 3 / 6])


def test_random_state_decides_the_folds():
    models = [
        CalibratedClassifier(KernelSVC(), random_state=seed).fit(IRIS, KINDS)
        for seed in (0, 0, 1)
    ]
    P = [model.predict_proba(IRIS) for model in models]
    assert (P[0] == P[1]).all()
    assert (P[0] != P[2]).any()
