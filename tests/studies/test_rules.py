"""Every rule at its border, by numbers that can be checked by hand or with SciPy."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.rules import RULES
from mercer.studies.verdicts import Verdict, judge

AGREES, DIFFERS, OPEN = Verdict.AGREES, Verdict.DIFFERS, Verdict.INCOMPARABLE


def number(value, rule, **more):
    return PublishedNumber("t", "r", "q", value, rule, **more)


@pytest.mark.parametrize(
    ("published", "ours", "verdict"),
    [
        (number("0.125", "exact"), [0.12549], AGREES),
        (number("0.125", "exact"), [0.12551], DIFFERS),
        (number("0.125", "exact"), [0.125, 0.126], DIFFERS),
        (number("-1.508e-2", "exact"), [-0.015084], AGREES),
        # both standard errors are 0.1: 2·√0.02 = 0.28
        (number("5.00", "mean", std="0.2", runs=4), [5.2, 5.3, 5.4], DIFFERS),
        (number("5.10", "mean", std="0.2", runs=4), [5.2, 5.3, 5.4], AGREES),
        (number("5.0", "mean"), [5.0], OPEN),
        (number("5.0", "mean"), [4.9, 5.2], AGREES),
        # a bare 0 is not rounded, and its spread of 0 is not believed
        (number("0", "mean", std="0", runs=20), [0.4, 0.41, 0.42], DIFFERS),
        (number("0", "mean", std="0", runs=3), [0.0, 0.0, 0.3], AGREES),
        (number("0.000", "mean", std="0", runs=3), [0.0004] * 3, AGREES),
        # Student's t of three runs is 4.303, times 0.5·√(4/3) is 2.484
        (number("7.00", "single"), [4.0, 5.0, 4.5], DIFFERS),
        (number("6.98", "single"), [4.0, 5.0, 4.5], AGREES),
        (number("6.0", "single"), [6.0], OPEN),
        (number("6.0", "single"), [5.9, 6.1], OPEN),
        (number("6.0", "none"), [6.0], OPEN),
        (number("6.0", "mean"), [], Verdict.MISSING),
        # no test where a spread is 0, unless both are
        (number("0", "spread", runs=5), [1.0, 2.0], OPEN),
        (number("0.3", "spread", runs=5), [1.0, 1.0], OPEN),
        (number("0", "spread", runs=5), [1.0, 1.0], AGREES),
    ],
)
def test_rules(published, ours, verdict):
    assert judge(published, ours).verdict is verdict


def scattered(std, n):
    """Some numbers whose standard deviation is that."""
    base = np.arange(n, dtype=float)
    return (5 + std * base / base.std(ddof=1)).tolist()


@pytest.mark.parametrize("n", [3, 8, 20])
def test_single_runs_go_by_student_at_five_per_cent(n):
    ours = scattered(0.5, n)
    away = stats.t.ppf(0.975, n - 1) * 0.5 * sqrt(1 + 1 / n)
    for factor, verdict in ((0.999, AGREES), (1.001, DIFFERS)):
        printed = f"{np.mean(ours) + factor * away:.9f}"
        judged = judge(number(printed, "single"), ours)
        assert judged.verdict is verdict
        # the border is at the same place for all n: the 97.5 % point of a normal
        assert judged.z == pytest.approx(-1.96, abs=0.01)


@pytest.mark.parametrize(("n", "runs"), [(5, 20), (20, 20), (30, 4)])
def test_spreads_go_by_an_f_test(n, runs):
    for tail, inwards in ((0.025, 1.001), (0.975, 0.999)):
        border = sqrt(stats.f.ppf(tail, n - 1, runs - 1))
        published = number("1.000000000", "spread", runs=runs)
        assert judge(published, scattered(border * inwards, n)).verdict is AGREES
        assert judge(published, scattered(border / inwards, n)).verdict is DIFFERS


def test_runs_that_are_far_from_normal_say_so():
    """One run of twenty that went astray makes all of the spread."""
    published = number("1.0", "spread", runs=20)
    words = "far from normal"
    assert words in judge(published, [*scattered(0.01, 19), 9.0]).reason
    assert words not in judge(published, scattered(1.0, 20)).reason


def test_a_tolerance_as_large_as_the_number_says_so():
    words = "as large as the number"
    assert words in judge(number("0.013", "mean"), [0.01, 0.05]).reason
    assert words in judge(number("0.00", "single"), [0.01, 0.05, 0.02]).reason
    assert words not in judge(number("8.79", "mean"), [8.7, 8.9]).reason


CERTIFIED = {"bound": "6.663628e+00", "certified_by": {"part": "iris"}}


@pytest.mark.parametrize(
    ("value", "ours", "optimum", "verdict"),
    [
        # printed 3.8e-5 above its own bound, which is the optimum
        ("6.663666e+00", 6.663629, (6.6636279, 6.6636281), AGREES),
        # below the optimum: no such point
        ("6.663600e+00", 6.663629, (6.6636279, 6.6636281), DIFFERS),
        # its bound is above what is the optimum for certain
        ("6.663666e+00", 6.663629, (6.66, 6.6635), DIFFERS),
        # a gap that is too wide to certify anything
        ("6.700000e+00", 6.663629, (6.6636279, 6.6636281), DIFFERS),
        ("6.663666e+00", 6.7, (6.6636279, 6.6636281), DIFFERS),
        ("6.663666e+00", 6.663629, None, OPEN),
    ],
)
def test_optimised_values_go_by_their_duality_gap(value, ours, optimum, verdict):
    judged = judge(number(value, "certified", **CERTIFIED), [ours], optimum)
    assert judged.verdict is verdict


def test_digits_stay_a_remark_of_certified_values():
    optimum = (6.6636279, 6.6636281)
    for ours, words in ((6.6636659, "to all printed"), (6.66363, "the last printed")):
        judged = judge(number("6.663666", "certified", **CERTIFIED), [ours], optimum)
        assert words in judged.reason
        assert judged.tolerance == "gap of 4e-05"


def test_z_of_honest_numbers_is_standard_normal():
    """Published means of the same law, judged by ours: z must be calibrated."""
    random = np.random.default_rng(0)
    z = {"mean": [], "single": []}
    for _ in range(2000):
        ours = random.normal(5, 1, 20)
        theirs = random.normal(5, 1, 20)
        printed = {"std": f"{theirs.std(ddof=1):.6f}", "runs": 20}
        mean = number(f"{theirs.mean():.6f}", "mean", **printed)
        single = number(f"{theirs[0]:.6f}", "single")
        z["mean"].append(judge(mean, ours.tolist()).z)
        z["single"].append(judge(single, ours.tolist()).z)
    for found in z.values():
        assert np.mean(found) == pytest.approx(0, abs=0.08)
        assert np.std(found) == pytest.approx(1, abs=0.08)
        assert np.mean(np.abs(found) > 2) == pytest.approx(0.0455, abs=0.02)


def test_what_was_changed_later_says_so():
    assert not RULES["exact"].changed
    for name in ("certified", "mean", "single", "spread", "growth"):
        assert "at first" in RULES[name].changed
