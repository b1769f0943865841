import numpy as np
import pytest
from hypothesis import given, settings

from mercer.metrics import actual_dcf, bayes_threshold, best_threshold, min_dcf
from metrics import naive
from metrics.strategies import COSTS, PRIORS, scored


@settings(deadline=None)
@given(scored(), PRIORS, COSTS, COSTS)
def test_both_costs_equal_brute_force(sample, prior, cost_miss, cost_false_alarm):
    target, scores = sample
    application = (prior, cost_miss, cost_false_alarm)
    for normalize in (True, False):
        how = {"normalize": normalize}
        assert min_dcf(target, scores, *application, **how) == naive.min_dcf(
            target, scores, *application, **how
        )
        assert actual_dcf(target, scores, *application, **how) == naive.actual_dcf(
            target, scores, *application, **how
        )


@settings(deadline=None)
@given(scored(), PRIORS, COSTS, COSTS)
def test_minimum_is_at_most_actual_and_at_most_trivial(
    sample, prior, cost_miss, cost_false_alarm
):
    application = (prior, cost_miss, cost_false_alarm)
    minimum = min_dcf(*sample, *application)
    assert 0 <= minimum <= actual_dcf(*sample, *application)
    assert minimum <= 1


@settings(deadline=None)
@given(scored(), PRIORS, COSTS, COSTS)
def test_best_threshold_reaches_the_minimum(sample, prior, cost_miss, cost_false_alarm):
    application = (prior, cost_miss, cost_false_alarm)
    threshold = best_threshold(*sample, *application)
    reached = actual_dcf(*sample, *application, threshold=threshold)
    assert reached == min_dcf(*sample, *application)


@settings(deadline=None)
@given(scored(), PRIORS)
def test_the_other_class_as_target_swaps_the_errors(sample, prior):
    target, scores = sample
    swapped = min_dcf(target, -scores, 1 - prior, pos_label=False)
    assert swapped == pytest.approx(min_dcf(target, scores, prior), abs=1e-12)


def test_a_score_at_the_threshold_is_decided_negative():
    assert actual_dcf([0, 1], [0.0, 1.0]) == 0.0
    assert actual_dcf([0, 1], [-1.0, 0.0]) == 1.0


def test_tied_scores_are_never_separated():
    assert min_dcf([0, 1, 0, 1], [5.0, 5.0, 5.0, 5.0]) == 1.0
    assert min_dcf([0, 1, 0, 1], [5.0, 5.0, 0.0, 5.0]) == 0.5


def test_neighbouring_floats_are_separated():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert best_threshold([0, 1], [low, high]) == low
    assert min_dcf([0, 1], [low, high]) == 0.0


def test_trivial_systems_cost_one():
    y = [0, 1, 1, 0]
    for prior in (0.1, 0.5, 0.9):
        assert actual_dcf(y, [-99.0] * 4, prior) == pytest.approx(
            max(1, prior / (1 - prior))
        )
        assert actual_dcf(y, [99.0] * 4, prior) == pytest.approx(
            max(1, (1 - prior) / prior)
        )


def test_costs_move_the_threshold_as_priors_do():
    assert bayes_threshold(0.5, cost_miss=9.0) == pytest.approx(bayes_threshold(0.9))
    assert bayes_threshold(0.5) == 0.0


def test_free_mistakes_are_allowed_without_normalising():
    assert min_dcf([0, 1], [1.0, 0.0], cost_miss=0, normalize=False) == 0.0
    assert actual_dcf([0, 1], [1.0, 0.0], cost_miss=0, normalize=False) == 0.0
    assert actual_dcf([0, 1], [1.0, 0.0], cost_false_alarm=0, normalize=False) == 0.0
    with pytest.raises(ValueError, match="nothing to normalise by"):
        min_dcf([0, 1], [1.0, 0.0], cost_miss=0)


@pytest.mark.parametrize("labels", [("bad", "good"), (0, 1), (-1.0, 1.0), (3, 8)])
def test_the_second_of_the_sorted_classes_is_positive(labels):
    y = np.array(labels)[[0, 0, 1, 1]]
    assert min_dcf(y, [1.0, 2.0, 3.0, 4.0]) == 0.0
    assert min_dcf(y, [1.0, 2.0, 3.0, 4.0], pos_label=labels[0]) == 1.0


def test_a_million_scores():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1_000_000)
    scores = rng.normal(size=len(y)) + y
    threshold = best_threshold(y, scores, 0.1)
    assert actual_dcf(y, scores, 0.1, threshold=threshold) == pytest.approx(
        min_dcf(y, scores, 0.1)
    )
