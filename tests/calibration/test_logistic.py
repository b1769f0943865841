import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from mercer.calibration import ScoreCalibrator


def gaussian_scores(n=400, seed=0):
    """Scores whose log-likelihood ratio is known: 2 m s / v with means ±m."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    llr = rng.normal(2.0 * (2 * y - 1), 2.0)
    return llr, y


@pytest.mark.parametrize("prior", [0.1, 0.5, 0.8])
def test_same_solution_as_weighted_logistic_regression(prior):
    llr, y = gaussian_scores()
    scores = 3.0 - 0.2 * llr
    weights = np.where(y == 1, prior / y.sum(), (1 - prior) / (1 - y).sum())
    reference = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000)
    reference.fit(scores[:, None], y, sample_weight=weights * len(y))
    expected = reference.decision_function(scores[:, None])
    expected -= np.log(prior / (1 - prior))
    found = ScoreCalibrator(prior=prior).fit(scores, y).transform(scores)
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_finds_the_true_ratio():
    llr, y = gaussian_scores(100_000)
    calibrator = ScoreCalibrator().fit(llr / 7 + 50, y)
    assert calibrator.coef_ == pytest.approx([7], rel=0.03)
    assert calibrator.intercept_ == pytest.approx(-350, rel=0.03)


def test_the_class_balance_does_not_matter():
    llr, y = gaussian_scores(20_000)
    few = np.flatnonzero((y == 0) | (np.arange(len(y)) % 5 == 0))
    all_, part = ScoreCalibrator().fit(llr, y), ScoreCalibrator().fit(llr[few], y[few])
    grid = np.linspace(-4, 4, 9)
    np.testing.assert_allclose(all_.transform(grid), part.transform(grid), atol=0.3)


@st.composite
def any_scores(draw):
    n = draw(st.integers(2, 25))
    size = draw(st.sampled_from([1e-200, 1e-3, 1.0, 1e6, 1e200]))
    scores = draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[0], y[-1] = 0, 1
    return np.array(scores) * size, y


@settings(deadline=None)
@given(any_scores(), st.sampled_from([0.001, 0.1, 0.5, 0.99]))
def test_always_converges_to_finite_ratios(sample, prior):
    scores, y = sample
    llr = ScoreCalibrator(prior=prior).fit_transform(scores, y)  # warnings are errors
    assert np.isfinite(llr).all()


@settings(deadline=None)
@given(any_scores())
def test_scale_and_offset_of_the_scores_do_not_matter(sample):
    scores, y = sample
    ranks = np.unique(scores, return_inverse=True)[1].astype(float)
    llr = ScoreCalibrator().fit_transform(ranks, y)
    moved = ScoreCalibrator().fit_transform(1e3 - 10 * ranks, y)
    np.testing.assert_allclose(moved, llr, rtol=1e-4, atol=1e-4)


def test_separable_scores_stay_finite_and_in_order():
    scores, y = np.array([-2.0, -1.0, 1.0, 2.0]), [0, 0, 1, 1]
    llr = ScoreCalibrator().fit_transform(scores, y)
    assert np.all(np.diff(llr) > 0)
    assert np.all(np.abs(llr) < 50)
    softer = ScoreCalibrator(ridge=1e-2).fit_transform(scores, y)
    assert np.abs(softer).max() < np.abs(llr).max()


def test_constant_scores_say_nothing():
    llr = ScoreCalibrator(prior=0.2).fit_transform([7.0] * 5, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(llr, 0.0, atol=1e-8)


def test_several_columns_are_fused():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    columns = rng.normal(2.0 * y[:, None] - 1, np.sqrt(2), (len(y), 2))
    calibrator = ScoreCalibrator().fit(columns, y)
    np.testing.assert_allclose(calibrator.coef_, [1, 1], atol=0.05)
    assert calibrator.transform(columns).shape == (len(y), 1)


def test_missing_convergence_is_said():
    # a prior next to nothing leaves the positives without weight against rounding
    hopeless = ScoreCalibrator(prior=1e-15, ridge=1e-30)
    with pytest.warns(UserWarning, match="after 200 steps with a slope of"):
        hopeless.fit([1.0, 0.0, 5.0], [0, 1, 1])
