import numpy as np
import pytest
from hypothesis import given, settings

from mercer.metrics import (
    actual_dcf,
    bayes_cost,
    bayes_decisions,
    bayes_threshold,
    normalized_bayes_cost,
)
from metrics.strategies import COSTS, PRIORS, scored


def expected_cost(log_likelihood, priors, costs, decision):
    joint = [p * np.exp(value) for p, value in zip(priors, log_likelihood)]
    return sum(j / sum(joint) * costs[i][decision] for i, j in enumerate(joint))


def test_decisions_have_the_smallest_expected_cost():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 4))
    costs = rng.random((4, 4))
    priors = [0.1, 0.2, 0.3, 0.4]
    for row, decision in zip(values, bayes_decisions(values, costs, priors)):
        all_costs = [expected_cost(row, priors, costs, d) for d in range(4)]
        assert decision == np.argmin(all_costs)


def test_equal_costs_and_priors_decide_the_greatest_and_ties_the_first():
    values = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 0.0], [-np.inf, 0.0, -1.0]])
    assert bayes_decisions(values).tolist() == [2, 0, 1]
    assert bayes_decisions(values, classes=["x", "y", "z"]).tolist() == ["z", "x", "y"]


def test_posteriors_and_log_likelihoods_agree():
    rng = np.random.default_rng(1)
    posteriors = rng.dirichlet([1, 1, 1], size=30)
    costs = 1 - np.eye(3) + rng.random((3, 3))
    priors = np.array([0.2, 0.3, 0.5])
    likelihoods = np.log(posteriors / priors)
    np.testing.assert_array_equal(
        bayes_decisions(posteriors, costs, posteriors=True),
        bayes_decisions(likelihoods, costs, priors),
    )


@settings(deadline=None)
@given(scored(), PRIORS, COSTS, COSTS)
def test_two_classes_give_the_detection_cost(sample, prior, miss, false_alarm):
    target, scores = sample
    decisions = scores > bayes_threshold(prior, miss, false_alarm)
    application = ([[0, false_alarm], [miss, 0]], [1 - prior, prior])
    labels = [False, True]
    cost = normalized_bayes_cost(target, decisions, *application, labels=labels)
    plain = bayes_cost(target, decisions, *application, labels=labels)
    expected = (prior, miss, false_alarm)
    assert cost == pytest.approx(actual_dcf(target, scores, *expected))
    assert plain == pytest.approx(
        actual_dcf(target, scores, *expected, normalize=False)
    )


def test_the_best_system_that_sees_only_priors_costs_one():
    y = np.array([0, 1, 2, 2])
    costs, priors = [[0, 1, 5], [2, 0, 1], [1, 4, 0]], [0.2, 0.5, 0.3]
    best = min(normalized_bayes_cost(y, np.full(4, k), costs, priors) for k in range(3))
    assert best == pytest.approx(1.0)
