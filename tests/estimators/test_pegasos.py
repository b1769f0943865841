"""Pegasos against a slow obvious loop, and what it promises."""

import numpy as np
import pytest

from estimators.online_problems import (
    KERNEL,
    TINY,
    K,
    X,
    Y,
    dense_coefficients,
    problem_signs,
)
from mercer import KernelPegasos
from mercer.estimators import TrainingSet
from naive import pegasos


def drawn(model, signs, stops=None):
    """What each binary problem of a Pegasos draws."""
    everything = TrainingSet(np.arange(signs.shape[1]), np.zeros(signs.shape[1]), [])
    if stops is None:
        sizes = np.count_nonzero(signs, axis=1)
        stops = [[model.reading(int(size)).n_steps] for size in sizes]
    courses = model.courses(everything, signs, stops)
    return [np.concatenate(course.pieces) for course in courses]


@pytest.mark.parametrize("budget", [None, TINY], ids=["in memory", "chunked"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("lam", [1e-5, 0.1])
def test_pegasos_is_the_naive_one(lam, average, multiclass, budget):
    model = KernelPegasos(
        KERNEL,
        lam=lam,
        average=average,
        multiclass=multiclass,
        epochs=1.5,
        random_state=3,
        memory_budget=budget,
    ).fit(X, Y)
    signs = problem_signs(multiclass)
    draws = drawn(model, np.array(signs, float))
    expected = [pegasos(K, s, d, lam, average) for s, d in zip(signs, draws)]
    np.testing.assert_allclose(
        dense_coefficients(model), expected, rtol=1e-10, atol=1e-12 / lam
    )


def test_each_pegasos_problem_has_its_own_draws_from_its_own_samples():
    model = KernelPegasos(multiclass="ovo", n_steps=200, random_state=0)
    signs = np.array(problem_signs("ovo"), float)
    draws = np.array(drawn(model, signs))
    for p in range(len(signs)):
        assert (signs[p, draws[p]] != 0).all()
    assert not (draws[0] == draws[1]).all()
    assert (draws == drawn(model, signs)).all()


def test_fewer_draws_are_the_beginning_of_more():
    signs = np.ones((3, 97))
    signs[1, ::2] = 0
    model = KernelPegasos(random_state=4)
    long = np.array(drawn(model, signs, [[1000]] * 3))
    for steps in (1, 2, 7, 500, 999):
        short = drawn(model, signs, [[steps]] * 3)
        assert (short == long[:, :steps]).all()
    uneven = drawn(model, signs, [[5], [20, 1000], [20]])
    for own, all_of_them in zip(uneven, long):
        assert (own == all_of_them[: len(own)]).all()
    assert [len(own) for own in uneven] == [5, 1000, 20]


def test_pegasos_C_is_one_over_lambda_n():
    by_lam = KernelPegasos(KERNEL, lam=1 / (2.0 * len(X)), random_state=0).fit(X, Y)
    by_C = KernelPegasos(KERNEL, C=2.0, random_state=0).fit(X, Y)
    np.testing.assert_allclose(by_lam.dual_coef_, by_C.dual_coef_, rtol=1e-12)


@pytest.mark.parametrize("budget", [None, TINY])
def test_pegasos_records_the_objective(budget):
    model = KernelPegasos(
        KERNEL, lam=1e-3, epochs=4, record=4, random_state=0, memory_budget=budget
    ).fit(X, Y)
    assert model.recorded_steps_[0].tolist() == [300, 600, 900, 1200]
    for s, coefficients, objective in zip(
        problem_signs("ovr"), dense_coefficients(model), model.objective_
    ):
        scores = K @ coefficients
        hinge = np.maximum(0, 1 - s * scores).mean()
        expected = 0.5e-3 * coefficients @ scores + hinge
        assert objective[-1] == pytest.approx(expected, rel=1e-9)
    assert (model.objective_[:, -1] < model.objective_[:, 0]).all()


def test_pegasos_partial_fit_takes_the_samples_as_its_draws():
    draws = np.random.default_rng(0).integers(0, len(X), 400)
    model = KernelPegasos(KERNEL, lam=1e-3)
    for part in np.split(draws, [100, 101]):
        model.partial_fit(X[part], Y[part], classes=np.arange(10))
    folded = np.zeros((10, len(X)))
    for column, at in enumerate(model.support_):
        folded[:, draws[at]] += model.dual_coef_[:, column]
    expected = [pegasos(K, s, draws, 1e-3, False) for s in problem_signs("ovr")]
    np.testing.assert_allclose(folded, expected, rtol=1e-10)
