"""The perceptron against a slow obvious loop, and what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from estimators.online_problems import (
    KERNEL,
    TINY,
    K,
    X,
    Y,
    dense_coefficients,
    problem_signs,
)
from mercer import KernelPerceptron
from mercer.kernels import Constant, Gaussian, Linear
from naive import perceptron


@pytest.mark.parametrize("budget", [None, TINY], ids=["in memory", "chunked"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("mistake", ["margin", "sign"])
@pytest.mark.parametrize("variant", ["last", "averaged", "best"])
def test_perceptron_is_the_naive_one(variant, mistake, multiclass, budget):
    model = KernelPerceptron(
        KERNEL,
        variant=variant,
        mistake=mistake,
        multiclass=multiclass,
        epochs=3,
        shuffle=False,
        memory_budget=budget,
    ).fit(X, Y)
    order = [np.arange(len(X))] * 3
    signs = problem_signs(multiclass)
    expected = [perceptron(K, s, order, variant, mistake) for s in signs]
    np.testing.assert_allclose(
        dense_coefficients(model), expected, rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize("shuffle_seed", [0, 1])
def test_perceptron_takes_every_epoch_in_a_new_order(shuffle_seed):
    model = KernelPerceptron(KERNEL, epochs=3, random_state=shuffle_seed).fit(X, Y)
    random = np.random.RandomState(shuffle_seed)
    order = []
    for _ in range(3):
        order.append(np.arange(len(X)))
        random.shuffle(order[-1])
    expected = [perceptron(K, s, order, "last", "margin") for s in problem_signs("ovr")]
    np.testing.assert_array_equal(dense_coefficients(model), expected)


def test_early_stop_changes_nothing_but_the_time():
    few = KernelPerceptron(KERNEL, epochs=50, variant="averaged", shuffle=False)
    few.fit(X, Y)
    assert few.n_iter_ < 50
    assert few.mistakes_[:, few.n_iter_ - 1].sum() == 0
    expected = [
        perceptron(K, s, [np.arange(300)] * 50, "averaged", "margin")
        for s in problem_signs("ovr")[:2]
    ]
    np.testing.assert_allclose(dense_coefficients(few)[:2], expected, rtol=1e-12)


def test_record_of_mistakes():
    model = KernelPerceptron(KERNEL, epochs=4, shuffle=False).fit(X, Y)
    counted = np.abs(dense_coefficients(model)).sum(axis=1)
    np.testing.assert_array_equal(model.mistakes_.sum(axis=1), counted)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), margin=st.floats(0.05, 1.0))
def test_novikoff_bound(seed, margin):
    random = np.random.default_rng(seed)
    direction = random.normal(size=4)
    direction /= np.linalg.norm(direction)
    points = random.normal(size=(60, 4))
    sides = points @ direction
    y = np.where(sides > 0, 1, -1)
    points += np.outer(y * margin, direction)
    if len(np.unique(y)) < 2:
        return
    model = KernelPerceptron(Linear(), epochs=1000, random_state=seed).fit(points, y)
    radius = np.linalg.norm(points, axis=1).max()
    gap = np.abs(points @ direction).min()
    assert model.mistakes_.sum() <= (radius / gap) ** 2 + 1e-9
    assert model.score(points, y) == 1.0


def test_constant_kernel_is_a_bias():
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0] + 100, y[y > 0]
    bare = KernelPerceptron(Gaussian(1.0), epochs=20, random_state=0).fit(X, y)
    biased = KernelPerceptron(Gaussian(1.0) + Constant(1), epochs=20, random_state=0)
    assert biased.fit(X, y).score(X, y) >= bare.score(X, y) - 0.05
