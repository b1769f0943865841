"""A path of C: what two solutions say of the third, and what its end is worth."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from mercer.kernels import Gaussian, Gram
from mercer.solvers.svm import (
    BinaryProblem,
    Limits,
    extrapolated,
    grown,
    solve_next,
    solve_smo,
)

X, Y = make_classification(400, 8, flip_y=0.2, random_state=0)
Z = np.where(Y == 1, 1.0, -1.0)
GRAM = Gram(Gaussian(0.1), X)


def problem(C, weights=1.0):
    return BinaryProblem(np.arange(len(Z)), Z, C * weights)


def dual(K, solution):
    return solution.coef @ Z - solution.coef @ K @ solution.coef / 2


def follow(Cs, gram, bias="free", tol=1e-3):
    solved = []
    for C in Cs:
        own = problem(C)
        (found,) = solve_next(
            gram, [own], [solved[-2:]], limits=Limits(tol=tol), bias=bias
        )
        solved.append((own, found))
    return solved


@pytest.mark.parametrize("weights", [1.0, np.linspace(0.5, 2, len(Z))])
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_two_solutions_lead_near_the_third(bias, weights):
    own = [problem(C, weights) for C in (0.4, 0.405, 0.41)]
    fine = Limits(tol=1e-9)
    solved = [(p, solve_smo(GRAM, p, bias=bias, limits=fine)) for p in own[:2]]
    start = extrapolated(
        GRAM, own[2], *solved, bias == "free", float(bias == "regularized")
    )
    K = GRAM.matrix + (bias == "regularized")
    assert (start.alpha >= 0).all()
    assert (start.alpha <= own[2].upper).all()
    if bias == "free":
        assert abs(start.coef.sum()) < 1e-9
    np.testing.assert_allclose(start.gradient, Z - K @ start.coef, atol=1e-9)
    found = solve_smo(GRAM, own[2], bias=bias, limits=fine, start=start)
    only_grown = grown(solved[1][1], own[2])
    most = dual(K, found)
    assert most - dual(K, start) < (most - dual(K, only_grown)) / 4
    assert found.certificate.converged


def test_bounds_that_do_not_grow_alike_lead_nowhere():
    weights = np.linspace(0.5, 2, len(Z))
    own = [problem(0.3), problem(0.4), problem(0.5, weights)]
    solved = [(p, solve_smo(GRAM, p)) for p in own[:2]]
    assert extrapolated(GRAM, own[2], *solved, True) is None
    again = [solved[1], solved[1]]
    assert extrapolated(GRAM, problem(0.5), *again, True) is None


def test_rounding_does_not_grow_along_a_path():
    for own, found in follow(np.geomspace(1e-3, 1e3, 80), GRAM):
        true = Z - GRAM.matrix @ found.coef
        # in parts of what a gradient is summed from
        size = 1 + (GRAM.matrix @ found.alpha).max()
        assert np.abs(true - found.gradient).max() < 2e-6 * size, own.upper[0]


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_the_end_of_a_path_is_certified_for_each_c(bias):
    """A gap that was stated for the first of them is too small for the others."""
    gram = Gram(Gaussian(2.0), X)
    K = gram.matrix + (bias == "regularized")
    path = follow(np.geomspace(1, 1e6, 7), gram, bias)
    assert path[-1][1].alpha.max() < 1e3
    for own, found in path:
        stated, v = found.certificate, found.coef
        scores = gram.matrix @ v + found.bias
        loss = own.upper @ np.maximum(1 - Z * scores, 0)
        assert stated.primal == pytest.approx(v @ K @ v / 2 + loss, rel=1e-6)
        assert stated.dual == pytest.approx(v @ Z - v @ K @ v / 2, rel=1e-6)
        assert stated.gap == pytest.approx(stated.primal - stated.dual, rel=1e-3)
        assert stated.gap < 1e-3 * stated.primal
        assert stated.violation <= 2e-3  # a little more of α doubles it


def test_a_path_ends_where_single_fits_do():
    for own, found in follow(np.geomspace(0.01, 100, 12), GRAM, tol=1e-6):
        alone = solve_smo(GRAM, own, limits=Limits(tol=1e-6))
        assert found.certificate.dual == pytest.approx(alone.certificate.dual, rel=1e-6)
