"""A path of C: where each start comes from, and how good each cell is."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from mercer import KernelKNN, KernelSVC
from mercer.kernels import Gaussian, Gram
from mercer.model_selection import GramSearchCV
from mercer.solvers.svm import BinaryProblem, grown, solve_smo

X, Y = make_classification(240, 6, flip_y=0.3, random_state=0)
GRID = {"C": np.logspace(-2, 2, 9).tolist()}


def problem(C):
    return BinaryProblem(np.arange(len(Y)), np.where(Y == 1, 1.0, -1.0), C)


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_a_grown_start_is_feasible_and_better(bias):
    gram = Gram(Gaussian(0.1), X)
    before = solve_smo(gram, problem(0.01), bias=bias)
    start = grown(before, problem(0.1))
    K = gram.matrix + (bias == "regularized")
    z = problem(0.1).signs
    np.testing.assert_allclose(start.gradient, z - K @ start.coef, atol=1e-9)
    assert (start.alpha <= 0.1).all()
    duals = [s.coef @ z - s.coef @ K @ s.coef / 2 for s in (before, start)]
    assert duals[1] > 2 * duals[0]
    warm = solve_smo(gram, problem(0.1), bias=bias, start=start)
    cold = solve_smo(gram, problem(0.1), bias=bias)
    assert warm.certificate.iterations < cold.certificate.iterations
    assert warm.certificate.primal == pytest.approx(cold.certificate.primal, rel=1e-3)


def test_nothing_grows_where_nothing_is_at_its_bound():
    gram = Gram(Gaussian(5.0), X)
    before = solve_smo(gram, problem(100.0))
    assert before.alpha.max() < 100
    start = grown(before, problem(1000.0))
    np.testing.assert_allclose(start.alpha, before.alpha, rtol=0.02)


def test_the_gap_of_every_cell_is_stated():
    model = KernelSVC(gamma=0.1)
    search = GramSearchCV(model, GRID, cv=3).fit(X, Y)
    assert search.relative_gaps_.shape == (9, 3)
    gaps = search.relative_gaps_.max(axis=1)
    assert gaps.min() >= 0
    assert 0 < gaps.max() < 1e-2
    folds = StratifiedKFold(3).split(X, Y)
    stated = [
        KernelSVC(100.0, gamma=0.1).fit(X[i], Y[i]).certificate_ for i, _ in folds
    ]
    alone = max(certificate.gap / certificate.primal for certificate in stated)
    assert alone / 10 < gaps[-1] < 10 * alone
    alone = GridSearchCV(model, GRID, cv=3).fit(X, Y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"],
        alone.cv_results_["mean_test_score"],
        atol=0.02,
    )


def test_what_certifies_nothing_states_no_gap():
    search = GramSearchCV(KernelKNN(), {"n_neighbors": [1, 3]}, cv=3).fit(X, Y)
    assert np.isnan(search.relative_gaps_).all()


def test_what_grows_to_a_bound_arrives_there():
    upper = np.random.default_rng(0).uniform(0.5, 2, len(Y))
    signs = np.where(Y == 1, 1.0, -1.0)
    small, large = (
        BinaryProblem(np.arange(len(Y)), signs, C * upper) for C in (0.1, 1)
    )
    before = solve_smo(Gram(Gaussian(1e-3), X), small)
    at_bound = before.alpha == small.upper
    assert at_bound.sum() > 100
    # as far as the bounds let it, and not a bit less
    after = grown(before, large).alpha
    nearly = after >= large.upper * (1 - 1e-12)
    assert nearly.any()
    assert (after[nearly] == large.upper[nearly]).all()
