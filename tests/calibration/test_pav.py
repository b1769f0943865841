import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from mercer.calibration import ScoreCalibrator


@st.composite
def tied_scores(draw):
    n = draw(st.integers(2, 40))
    scores = draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[0], y[-1] = 0, 1
    return np.array(scores, dtype=float), y


@settings(deadline=None)
@given(tied_scores())
def test_ratios_equal_isotonic_regression_with_virtual_samples(sample):
    scores, y = sample
    far = np.concatenate(([-101.0, -100.0], scores, [100.0, 101.0]))
    labels = np.concatenate(([1, 0], y, [1, 0]))
    posterior = IsotonicRegression().fit(far, labels).predict(scores)
    llr = ScoreCalibrator("pav").fit_transform(scores, y)
    prior = labels.mean()
    np.testing.assert_allclose(expit(llr + logit(prior)), posterior, atol=1e-12)
    assert np.isfinite(llr).all()
    assert np.all(np.diff(llr[np.argsort(scores, kind="stable")]) >= 0)


def test_new_scores_are_interpolated_and_clipped():
    y = [0, 0, 0, 1, 0, 1, 1, 1]
    calibrator = ScoreCalibrator("pav").fit(np.arange(8.0), y)
    low, high = calibrator.transform([-1e9, 1e9])
    assert low == calibrator.transform([0.0])[0]
    assert high == calibrator.transform([7.0])[0]
    between = calibrator.transform(np.linspace(-1, 8, 200))
    assert np.all(np.diff(between) >= 0)
    assert calibrator.transform([4.5])[0] == pytest.approx(
        calibrator.transform([4.0, 5.0]).mean()
    )


def test_perfect_separation_is_bounded_by_the_number_of_samples():
    # 10 of each class and one virtual sample of the other: 11 to 1.
    llr = ScoreCalibrator("pav").fit_transform(np.arange(20.0), np.arange(20) >= 10)
    assert np.exp(np.abs(llr)) == pytest.approx(11)


def test_constant_scores_say_nothing():
    llr = ScoreCalibrator("pav").fit_transform(np.zeros(8), np.arange(8) < 4)
    np.testing.assert_allclose(llr, 0.0, atol=1e-12)
    uneven = ScoreCalibrator("pav").fit_transform(np.zeros(900), np.arange(900) < 200)
    np.testing.assert_allclose(uneven, 0.0, atol=0.01)  # one virtual sample's worth


def test_the_prior_does_not_matter():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    scores = rng.normal(size=100) + y
    first = ScoreCalibrator("pav", prior=0.1).fit_transform(scores, y)
    second = ScoreCalibrator("pav", prior=0.9).fit_transform(scores, y)
    np.testing.assert_array_equal(first, second)
