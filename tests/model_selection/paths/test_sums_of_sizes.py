"""Σ|α·k| behind what is read of a run, against the sums written out."""

import numpy as np
import pytest

from mercer.kernels import Gram, Linear, Polynomial
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.sums_of_sizes import (
    Bounds,
    SumsOfSizes,
    UpdateSizes,
)
from mercer.solvers.online import PegasosRule, PerceptronRule
from mercer.solvers.predictors import AVERAGED, LAST, predictors_of

END = 40


def sizes_of(rule, kind, steps):
    """How much updates at these steps count after END steps, by the definitions."""
    averaged = [1 / t for t in range(1, END + 1)]
    if isinstance(rule, PerceptronRule):
        return [(END - t + 1) / END if kind == AVERAGED else 1.0 for t in steps]
    return [
        (sum(averaged[t - 1 :]) if kind == AVERAGED else 1.0) / (rule.lam * END)
        for t in steps
    ]


def grams(X, kernel):
    dots = np.ascontiguousarray(X @ X.T)
    yield Gram(kernel, X)
    yield Gram(kernel, X, budget=1)
    yield PolynomialRows(kernel, dots)


@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(0), Polynomial(3, 1.0), Polynomial(4)]
)
@pytest.mark.parametrize("rule", [PerceptronRule(), PegasosRule(0.1)])
def test_sums_and_totals(kernel, rule):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    K = kernel(X)
    lengths = np.sqrt(np.diagonal(K))
    predictors, kinds = predictors_of(rule, END), [LAST, AVERAGED]
    problems, expected, totals = [], np.zeros((2, 300, 3)), np.zeros((2, 3))
    for p, count in enumerate([25, 0, 7]):
        samples = random.integers(0, 300, count)
        steps = np.sort(random.choice(np.arange(1, END + 1), count, replace=False))
        updates = UpdateSizes(2)
        for some in np.array_split(np.arange(count), 3):
            updates.append(samples[some], predictors.rho(steps[some]))
        for number, kind in enumerate(kinds):
            updates.note([number], count, *predictors.slope(kind, END))
            sizes = np.array(sizes_of(rule, kind, steps))
            expected[number, :, p] = np.abs(K[:, samples]) @ sizes
            totals[number, p] = sizes @ lengths[samples]
        problems.append(updates)
    asked = random.random((300, 3)) < 0.5
    for gram in grams(X, kernel):
        sums = SumsOfSizes(gram, Bounds.of(gram, False), problems)
        np.testing.assert_allclose(sums.totals, totals, rtol=1e-9)
        for number in range(2):
            found = sums.sums(number, np.arange(300), asked)
            np.testing.assert_allclose(
                found, np.where(asked, expected[number], 0.0), rtol=1e-9
            )


def test_bounds_hold_for_any_matrix():
    K = np.random.default_rng(0).normal(size=(20, 20))
    K += K.T
    bounds = Bounds.of(Gram.from_matrix(K), True)
    assert (np.abs(K) <= np.outer(bounds.reach, bounds.lengths)).all()
