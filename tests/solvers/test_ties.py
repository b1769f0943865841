"""What counts as zero, and what as equal."""

import numpy as np
import pytest

from mercer import KernelPerceptron
from mercer.kernels import Gaussian
from mercer.solvers.ties import settle_ties

EPSILON = float(np.finfo(np.float32).eps)


def settled(kind, scores, sums):
    scores, sums = np.array([scores]), np.array([sums])
    reach = np.array([2.0])
    return settle_ties(
        kind, scores, EPSILON, reach, sums[0], lambda rows, _: sums[rows]
    )[0]


@pytest.mark.parametrize("kind", ["binary", "ovo", "ovr"])
def test_what_is_below_the_rounding_of_its_sum_is_zero(kind):
    found = settled(kind, [3e-6, -3e-6, 3e-6, 1.0], [1.0, 1.0, 1e-3, 1.0])
    assert found.tolist() == [0.0, 0.0, 3e-6, 1.0]


def test_what_is_nearly_the_largest_is_the_largest():
    scores, sums = [-5.0, 2.0, 2.000001, 1.9], [6.0, 3.0, 3.0, 3.0]
    found = settled("ovr", scores, sums)
    assert found.tolist() == [-5.0, 2.000001, 2.000001, 1.9]
    assert found.argmax() == 1
    # votes go by the sign alone
    assert settled("ovo", scores, sums).tolist() == scores


def test_overflow_is_left_alone():
    scores = [np.inf, np.inf, 1.0]
    assert settled("ovr", scores, [np.inf, np.inf, 1.0])[2] == 1.0


@pytest.mark.parametrize("precomputed", [False, True])
def test_samples_that_contradict_each_other(precomputed):
    # + and - of the same sample: all scores are zero, which is a vote for the second
    X = np.array([[1.0, 3.0], [1.0, 3.0]]) / 7
    new = np.random.default_rng(0).normal(size=(50, 2))
    kernel = Gaussian(0.3)
    model = KernelPerceptron("precomputed" if precomputed else kernel, shuffle=False)
    model.fit(kernel(X) if precomputed else X, [0, 1])
    assert len(model.support_) == 2
    at = kernel(new, X) * [1, 1 + 1e-15] if precomputed else new
    assert (model.decision_function(at) == 0).all()
    assert (model.predict(at) == 0).all()


def test_a_narrow_kernel_decides_by_tiny_scores():
    # scores of 1e-20 are small beside k(x, x) but not beside their own sums
    X = np.array([[0.0], [1.0]], np.float32)
    model = KernelPerceptron(Gaussian(40.0), epochs=3, shuffle=False).fit(X, [0, 1])
    far = np.array([[-1.0], [2.0]], np.float32)
    assert 0 < np.abs(model.decision_function(far)).max() < 1e-15
    assert model.predict(far).tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["ovo", "ovr"])
def test_sums_that_are_not_asked_for_do_not_matter(kind):
    random = np.random.default_rng(0)
    scores = random.integers(-2, 3, (5000, 4)) * random.choice([1e-7, 1e-5, 1.0], 5000)[
        :, None
    ] + random.normal(scale=3e-6, size=(5000, 4))
    reach, totals = random.uniform(0.5, 2, 5000), random.uniform(0.1, 1, 4)
    sums = np.outer(reach, totals) * random.uniform(0, 1, scores.shape)

    def settle(answer):
        return settle_ties(kind, scores.copy(), EPSILON, reach, totals, answer)

    found = settle(lambda rows, asked: np.where(asked, sums[rows], 0.0))
    assert (found != scores).any(axis=1).sum() > 500
    assert np.array_equal(found, settle(lambda rows, _: sums[rows]))
    assert np.array_equal(found, settled_slowly(kind, scores, 64 * EPSILON * sums))


def settled_slowly(kind, scores, errors):
    scores = np.where(np.abs(scores) <= errors, 0.0, scores)
    if kind == "ovr":
        for row, error in zip(scores, errors):
            top = row.argmax()
            row[row[top] - row <= error + error[top]] = row[top]
    return scores
