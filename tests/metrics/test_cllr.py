import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.isotonic import IsotonicRegression

from mercer.metrics import bayes_error_curve, cllr, min_cllr
from metrics import naive
from metrics.strategies import scored


def isotonic_min_cllr(target, scores):
    """Calibrate with scikit-learn's isotonic regression and measure in bits."""
    weight = np.where(target, 0.5 / target.sum(), 0.5 / (~target).sum())
    fit = IsotonicRegression(y_min=0, y_max=1)
    p = fit.fit(scores, target, sample_weight=weight).predict(scores)
    return -weight @ np.log2(np.where(target, p, 1 - p))


@settings(deadline=None)
@given(scored())
def test_minimum_equals_scikit_learns_isotonic_regression(sample):
    target, scores = sample
    ranks = np.unique(scores, return_inverse=True)[1].astype(float)
    expected = isotonic_min_cllr(target, ranks)
    assert min_cllr(target, scores) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(scored())
def test_minimum_is_at_most_actual_and_at_most_one(sample):
    minimum = min_cllr(*sample)
    assert 0 <= minimum <= 1 + 1e-12
    assert minimum <= cllr(*sample) + 1e-12


@settings(deadline=None)
@given(scored(), st.floats(0.1, 10), st.floats(-5, 5))
def test_rising_maps_do_not_change_the_minimum(sample, slope, offset):
    target, scores = sample
    ranks = np.unique(scores, return_inverse=True)[1]
    mapped = slope * ranks + offset
    assert min_cllr(target, mapped) == min_cllr(target, scores)


def test_formula():
    rng = np.random.default_rng(0)
    target = rng.random(50) < 0.3
    llr = rng.normal(size=50) * 3
    assert cllr(target, llr) == pytest.approx(naive.cllr(target, llr), rel=1e-12)


def test_large_scores_do_not_overflow():
    assert cllr([0, 1], [1000.0, -1000.0]) == pytest.approx(1000 / np.log(2))


def test_cllr_is_the_area_under_the_bayes_error_curve():
    # Unnormalised Bayes error, integrated over the log-odds, is cllr times log 2.
    y, llr = np.array([0, 0, 1, 1]), np.array([-2.0, 0.3, 0.5, 3.0])

    def error(odds):
        curve = bayes_error_curve(y, llr, odds)
        return curve.actual[0] / (1 + np.exp(abs(odds)))

    cuts = [-60.0, *sorted(-llr), 60.0]
    area = sum(quad(error, a, b)[0] for a, b in itertools.pairwise(cuts))
    assert area / (2 * np.log(2)) == pytest.approx(cllr(y, llr), rel=1e-6)
