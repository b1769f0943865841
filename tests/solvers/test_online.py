"""Online learners on a Gram, against one loop over all samples and updates.

Kernel values are whole numbers, so that every sum is exact in any order.
"""

import numpy as np
import pytest

import naive
from mercer.kernels import Gram, Polynomial
from mercer.solvers.online import (
    PegasosRule,
    PerceptronRule,
    Updates,
    fewest_mistakes,
    walk,
)

X = np.random.default_rng(0).integers(-2, 3, (60, 3)).astype(float)
KERNEL = Polynomial(2, offset=1.0)
K = KERNEL(X)
SOURCES = {"in memory": Gram(KERNEL, X), "on demand": Gram(KERNEL, X, budget=1)}
RULES = {
    "margin": PerceptronRule(),
    "sign": PerceptronRule(zero_is_negative=True),
    "pegasos": PegasosRule(0.25),
}
WRONG = {
    "margin": lambda y, score, step: y * score <= 0,
    "sign": lambda y, score, step: y != (1 if score > 0 else -1),
    "pegasos": lambda y, score, step: y * (1 / (0.25 * step)) * score < 1,
}


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def problems(rng, n_problems):
    """Signs with some zeros: samples that a problem does not have."""
    return rng.choice([1.0, -1.0, 0.0], (n_problems, len(X)), p=[0.4, 0.4, 0.2])


def begin(signs):
    return np.zeros(signs.shape), np.zeros(len(signs), np.int64)


def assert_is(updates, expected, n_steps):
    found = zip(updates.samples.tolist(), updates.steps.tolist())
    assert list(found) == expected
    assert updates.n_steps == n_steps


def test_both_kinds_of_sources_are_walked():
    assert [source.in_memory for source in SOURCES.values()] == [True, False]


@pytest.mark.uncompiled
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("own_order", [False, True])
def test_every_problem_walks_as_if_alone(source, rule, own_order, rng):
    signs = problems(rng, 3)
    # more than a chunk, so that scores are brought up to date on the way
    orders = rng.integers(0, len(X), (3 if own_order else 1, 600))
    scores, before = begin(signs)
    found = walk(SOURCES[source], [RULES[rule]] * 3, signs, orders, scores, before)
    for p, updates in enumerate(found):
        order = orders[p if own_order else 0]
        expected, values = naive.walk(K, signs[p], order, WRONG[rule])
        assert_is(updates, expected, np.count_nonzero(signs[p, order]))
        np.testing.assert_array_equal(scores[p], values)


@pytest.mark.parametrize("source", SOURCES)
def test_problems_may_have_rules_of_their_own(source, rng):
    signs = np.repeat(problems(rng, 1), 3, axis=0)
    order = np.arange(len(X))
    scores, before = begin(signs)
    rules = list(RULES.values())
    found = walk(SOURCES[source], rules, signs, order[None], scores, before)
    for updates, name in zip(found, RULES):
        expected, _ = naive.walk(K, signs[0], order, WRONG[name])
        assert_is(updates, expected, np.count_nonzero(signs[0]))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("rule", RULES)
def test_a_walk_goes_on_where_it_ended(source, rule, rng):
    signs = problems(rng, 2)
    orders = rng.integers(0, len(X), (2, 90))
    rules = [RULES[rule]] * 2
    scores, before = begin(signs)
    whole = walk(SOURCES[source], rules, signs, orders, scores, before)
    later_scores, before = begin(signs)
    parts = [Updates.none()] * 2
    for piece in (orders[:, :31], orders[:, 31:]):
        steps = np.array([updates.n_steps for updates in parts])
        new = walk(SOURCES[source], rules, signs, piece, later_scores, steps)
        parts = [one + two for one, two in zip(parts, new)]
    np.testing.assert_array_equal(later_scores, scores)
    for one, two in zip(parts, whole):
        np.testing.assert_array_equal(one.samples, two.samples)
        np.testing.assert_array_equal(one.steps, two.steps)
        assert one.n_steps == two.n_steps


@pytest.mark.parametrize("source", SOURCES)
def test_scores_and_steps_from_before_count(source, rng):
    signs = problems(rng, 1)
    scores = rng.integers(-40, 41, (1, len(X))).astype(float)
    order = np.arange(len(X))
    expected, values = naive.walk(
        K, signs[0], order, WRONG["pegasos"], scores[0], step=17
    )
    (updates,) = walk(
        SOURCES[source],
        [RULES["pegasos"]],
        signs,
        order[None],
        scores,
        np.array([17]),
    )
    assert_is(updates, expected, 17 + np.count_nonzero(signs))
    np.testing.assert_array_equal(scores[0], values)


@pytest.mark.parametrize("source", SOURCES)
def test_minus_one_in_an_order_is_nobody(source, rng):
    signs = problems(rng, 2)
    orders = rng.integers(0, len(X), (2, 50))
    orders[0, 20:] = -1
    orders[1, ::3] = -1
    scores, before = begin(signs)
    rules = [PerceptronRule()] * 2
    found = walk(SOURCES[source], rules, signs, orders, scores, before)
    for p, updates in enumerate(found):
        order = orders[p][orders[p] >= 0]
        expected, _ = naive.walk(K, signs[p], order, WRONG["margin"])
        assert_is(updates, expected, np.count_nonzero(signs[p, order]))
    nobody = np.full((2, 5), -1)
    for updates in walk(SOURCES[source], rules, signs, nobody, scores, before):
        assert_is(updates, [], 0)


def test_a_negative_sample_of_score_zero_is_right_by_its_sign_only():
    signs, order = -np.ones((2, len(X))), np.array([[4]])
    rules = [RULES["margin"], RULES["sign"]]
    margin, sign = walk(SOURCES["in memory"], rules, signs, order, *begin(signs))
    assert_is(margin, [(4, 1)], 1)
    assert_is(sign, [], 1)


def test_updates_of_two_runs_and_of_an_earlier_time():
    first = Updates(np.array([5, 2, 5]), np.array([1, 4, 6]), 7)
    both = first + Updates(np.array([3]), np.array([9]), 12)
    assert_is(both, [(5, 1), (2, 4), (5, 6), (3, 9)], 12)
    assert_is(both.until(0), [], 0)
    assert_is(both.until(4), [(5, 1), (2, 4)], 4)
    assert_is(both.until(8), [(5, 1), (2, 4), (5, 6)], 8)
    assert_is(both.until(99), [(5, 1), (2, 4), (5, 6), (3, 9)], 12)
    assert_is(Updates.none(3) + first, [(5, 1), (2, 4), (5, 6)], 7)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("rule", RULES)
def test_until_is_the_walk_cut_short(source, rule, rng):
    signs, order = problems(rng, 1), rng.integers(0, len(X), 80)
    (whole,) = walk(SOURCES[source], [RULES[rule]], signs, order[None], *begin(signs))
    members = order[signs[0, order] != 0]
    for step in (0, 1, 13, len(members)):
        expected, _ = naive.walk(K, signs[0], members[:step], WRONG[rule])
        assert_is(whole.until(step), expected, step)


@pytest.mark.uncompiled
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mistake", ["margin", "sign"])
@pytest.mark.parametrize("first", [0, 1, 20, 10_000])
def test_fewest_mistakes(source, mistake, first, rng):
    (signs,) = problems(rng, 1)
    # more than are added at once
    samples = rng.choice(np.flatnonzero(signs), 300)
    updates = Updates(samples, np.arange(1, 301), 300)
    found = fewest_mistakes(SOURCES[source], RULES[mistake], signs, updates, first)
    expected = naive.fewest_mistakes(K, signs, samples, first, WRONG[mistake])
    assert found == expected


@pytest.mark.parametrize("source", SOURCES)
def test_without_updates_there_is_nothing_to_choose(source, rng):
    rule, signs = PerceptronRule(), problems(rng, 1)[0]
    assert fewest_mistakes(SOURCES[source], rule, signs, Updates.none(5), 0) == 0
