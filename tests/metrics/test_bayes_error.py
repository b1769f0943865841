import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from mercer.metrics import actual_dcf, bayes_error_curve, min_dcf
from metrics.strategies import scored


@settings(deadline=None)
@given(scored(), st.lists(st.floats(-6, 6), min_size=1, max_size=8))
def test_each_point_is_the_cost_at_that_prior(sample, log_odds):
    curve = bayes_error_curve(*sample, log_odds)
    for odds, actual, minimum in zip(log_odds, curve.actual, curve.minimum):
        prior = expit(odds)
        expected = actual_dcf(*sample, prior, threshold=-odds)
        assert actual == pytest.approx(expected, rel=1e-9)
        assert minimum == pytest.approx(min_dcf(*sample, prior), rel=1e-9, abs=1e-12)


def test_the_default_axis_and_a_single_number():
    y, scores = [0, 1, 1], [0.0, 1.0, -2.0]
    curve = bayes_error_curve(y, scores)
    assert len(curve.log_odds) == len(curve.actual) == len(curve.minimum) == 81
    assert bayes_error_curve(y, scores, 0.0).actual == actual_dcf(y, scores)


def test_the_minimum_is_never_above_one_nor_above_the_actual_cost():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    curve = bayes_error_curve(y, rng.normal(size=300) + y, np.linspace(-300, 300, 301))
    assert np.all(curve.minimum <= 1)
    assert np.all(curve.minimum <= curve.actual * (1 + 1e-12))


def test_many_points_of_many_samples():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    scores = rng.normal(size=len(y)) + y
    # one by one these would take hours
    curve = bayes_error_curve(y, scores, np.linspace(-4, 4, 100_000))
    for at in (0, 31_415, 99_999):
        prior = expit(curve.log_odds[at])
        assert curve.actual[at] == pytest.approx(actual_dcf(y, scores, prior))
        assert curve.minimum[at] == pytest.approx(min_dcf(y, scores, prior))
