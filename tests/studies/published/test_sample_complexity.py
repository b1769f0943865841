"""The study sample-complexity: parts against plain versions, and end to end."""

import numpy as np
import pytest

from mercer.estimators import Winnow
from mercer.studies import Store, get_study, group_by, make_plan, run_plan
from mercer.studies.published.sample_complexity import study as module
from mercer.studies.published.sample_complexity.bounds import find_bounds
from mercer.studies.published.sample_complexity.estimators import (
    draw_codes,
    draw_points,
    lucky,
    unbiased,
)
from mercer.studies.published.sample_complexity.fits import fit
from mercer.studies.published.sample_complexity.linear import (
    LINEAR,
    errors,
    errors_if_small,
)
from mercer.studies.published.sample_complexity.nearest import (
    error_if_small,
    growing_errors,
)
from mercer.studies.published.sample_complexity.theory import (
    expected_error,
    growth_base,
    samples_needed,
)


def as_points(codes, n):
    return (codes[:, None] >> np.arange(n)) & 1


def wrong_points(n, samples, points):
    """Whether the first of the nearest samples has another label, by searching all."""
    apart = (as_points(points, n)[:, None] != as_points(samples, n)).sum(2)
    return (samples[apart.argmin(axis=1)] ^ points) & 1


@pytest.mark.parametrize("n", [1, 4, 9])
def test_every_corner_goes_by_the_first_of_the_nearest(n):
    samples, corners = draw_codes(n, 12, np.random.default_rng(n)), np.arange(1 << n)
    found = [error_if_small(n, samples, corner, 1.0) for corner in corners[:, None]]
    assert np.array_equal(found, wrong_points(n, samples, corners))


def test_errors_of_a_growing_set_are_those_of_each_set():
    random = np.random.default_rng(0)
    samples, points = draw_codes(6, 30, random), draw_codes(6, 200, random)
    found = growing_errors(samples, points)
    for m in (1, 2, 10, 30):
        assert found[m - 1] == wrong_points(6, samples[:m], points).mean()


@pytest.mark.parametrize("n", [1, 3, 8, 12])
@pytest.mark.parametrize("m", [1, 2, 40, 3000])
def test_the_error_of_a_set_is_that_of_searching_it(n, m):
    random = np.random.default_rng([n, m])
    samples, points = draw_codes(n, m, random), draw_codes(n, 50, random)
    error = wrong_points(n, samples, points).mean()
    assert error_if_small(n, samples, points, 1.0) == error
    for small in (0.0, 0.1, 0.3):
        found = error_if_small(n, samples, points, small)
        assert (found <= small) == (error <= small)


@pytest.mark.parametrize("m", [2000, 5000])
def test_wide_keys_are_as_good_as_narrow_ones(m):
    samples, corners = draw_codes(12, m, np.random.default_rng(5)), np.arange(1 << 12)
    error = wrong_points(12, samples, corners).mean()
    assert error_if_small(12, samples, corners, 1.0) == error


def test_winnow_is_the_estimator():
    random = np.random.default_rng(1)
    X, points = draw_points(10, 25, random), draw_points(10, 500, random)
    model = Winnow(epochs=1, shuffle=False).fit((X + 1) / 2, X[:, 0])
    expected = np.mean(model.predict((points + 1) / 2) != points[:, 0])
    assert errors([LINEAR["winnow"](X)], points)[0] == expected


def test_least_squares_is_the_pseudo_inverse():
    random = np.random.default_rng(2)
    for m in (3, 8, 20):
        X = draw_points(8, m, random)
        weights = LINEAR["least squares"](X)[:-1]
        assert np.allclose(
            weights, np.linalg.pinv(X.astype(float)) @ X[:, 0], atol=1e-6
        )


def test_hopeless_weights_are_not_tested_to_the_end():
    points = draw_points(5, 3000, np.random.default_rng(3))
    good, bad = np.eye(6)[0], np.eye(6)[1]
    assert errors_if_small([good, bad], points)[0] == 0
    assert errors_if_small([good, bad], points)[1] > 0.4


def test_the_published_estimate_is_lower():
    published = np.mean(lucky("perceptron", 15, 0, fresh=True))
    assert published < unbiased("perceptron", 15, 0)


def test_the_exact_error_of_one_nearest_neighbour_is_the_drawn_one():
    random, found = np.random.default_rng(0), []
    for _ in range(400):
        samples, points = draw_codes(6, 20, random), draw_codes(6, 50, random)
        found.append(wrong_points(6, samples, points).mean())
    standard_error = np.std(found) / 20
    assert abs(np.mean(found) - expected_error(6, 20)) < 4 * standard_error


def test_samples_needed_are_the_fewest():
    for n in (3, 11):
        m = samples_needed(n)
        assert expected_error(n, m) <= 0.1 < expected_error(n, m - 1)


def test_exact_numbers_grow_by_the_base():
    many = samples_needed(400) / samples_needed(300)
    assert many ** (1 / 100) == pytest.approx(growth_base(), rel=0.005)


def test_an_exponential_is_found():
    n = np.arange(1, 18)
    found = fit("exponential", n, 2.9 * 1.47**n)
    assert found.a == pytest.approx(2.9)
    assert found.b == pytest.approx(1.47)
    assert found.r2 == pytest.approx(1)


def test_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_QUICK", 6)
    monkeypatch.setattr(module, "_NEAREST_QUICK", 5)
    study = get_study("sample-complexity")
    plan = make_plan(study, None, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan.id)
    story = study.story(rows, {})
    assert [section.title for section in story.sections][1:5] == list(module.KINDS)
    assert len(study.published()) == 9
    for learner, part in group_by(rows, "learner").items():
        low, high = find_bounds(learner, part)
        assert 0 < low < high
