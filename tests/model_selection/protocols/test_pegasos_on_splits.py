"""Pegasos in many splits at once, against loops that do the same in plain words."""

import numpy as np
import pytest

from mercer import load_dataset
from mercer.kernels import Gaussian, Gram
from mercer.model_selection import (
    RotationFolds,
    SplitProblems,
    averaged_errors,
    shuffled_split,
    walk_pegasos,
)

LAM = 1e-3
digits = load_dataset("digits")
X, y = digits.X[:250], digits.y[:250]
gram = Gram(Gaussian(0.001), X)
random = np.random.default_rng(1)
problems = SplitProblems.of(y, list(RotationFolds(5, seed=random).split(X))[:2])
draws = problems.draw(300, random)


def naive_walk(K, signs, draws, lam, n_steps):
    """One problem, hyperplane by hyperplane: their coefficients after every step."""
    alpha, hyperplanes = np.zeros(len(K)), []
    for t, i in enumerate(draws[:n_steps], 1):
        if signs[i] / (lam * t) * (alpha @ K[i]) < 1:
            alpha[i] += signs[i]
        hyperplanes.append(alpha / (lam * t))
    return np.array(hyperplanes)


def last_run(stops):
    return list(walk_pegasos(gram, problems.signs, LAM, draws, stops))[-1]


@pytest.mark.parametrize("stops", [[300], [1, 40, 300]])
def test_stops_do_not_change_the_walk(stops):
    run = last_run(stops)
    for p, signs in enumerate(problems.signs):
        slow = naive_walk(gram.matrix, signs, draws[p], LAM, 300)[-1]
        np.testing.assert_allclose(
            run.sums[p] / (LAM * 300), slow @ gram.matrix, rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(run.coefficients()[p] / (LAM * 300), slow)


def test_the_average_is_that_of_all_hyperplanes():
    fast = last_run([300]).averaged_coefficients()
    for p, signs in enumerate(problems.signs):
        slow = naive_walk(gram.matrix, signs, draws[p], LAM, 300)
        np.testing.assert_allclose(fast[p] / LAM, slow.mean(axis=0), rtol=1e-4)


def test_errors_of_averages_are_those_of_their_scores():
    averages = {stop: last_run([stop]).averaged_coefficients() for stop in (50, 300)}
    for stop, errors in averaged_errors(gram, problems, averages).items():
        scores = averages[stop] @ gram.matrix
        np.testing.assert_allclose(errors, problems.test_errors(scores))


def test_problems_draw_training_samples_only():
    for p, drawn in enumerate(draws):
        train, _ = problems.splits[p // 10]
        assert set(drawn) <= set(train)
    assert (problems.signs[0] == 0).sum() == 50


def test_own_classifiers_decide_by_sign():
    scores = last_run([300]).sums
    errors = []
    for s, (_, test) in enumerate(problems.splits):
        errors.append(np.mean((scores[10 * s + 3, test] > 0) != (y[test] == 3)))
    assert problems.binary_errors(scores)[3] == pytest.approx(np.mean(errors))


def test_a_generator_may_be_the_seed():
    order = np.random.default_rng(5).permutation(250)
    splits = list(RotationFolds(5, seed=np.random.default_rng(5)).split(X))
    assert [test.tolist() for _, test in splits] == order.reshape(5, 50).tolist()
    parts = shuffled_split(250, 0.2, seed=np.random.default_rng(5), test_first=True)
    assert [part.tolist() for part in parts] == [
        order[50:].tolist(),
        order[:50].tolist(),
    ]
