"""What a search asks of certificates: all folds at once, and the same as one by one."""

import numpy as np
import pytest

from mercer.estimators.verification import Verification
from mercer.kernels import Gaussian, Gram, KernelSums
from mercer.solvers.svm import BinaryProblem, solve_smo

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 5)).astype(np.float32)
Z = np.where(X[:, 0] + RANDOM.normal(size=200) > 0, 1.0, -1.0)
GRAM = Gram(Gaussian(0.2), X)


def asked(rows):
    problem = BinaryProblem(rows, Z[rows], 10.0)
    coef = solve_smo(GRAM, problem).coef
    known = (coef != 0) | (RANDOM.random(len(rows)) < 0.3)
    return problem, coef, known


@pytest.fixture
def verification():
    order = RANDOM.permutation(200)
    place = np.argsort(order)  # so that the Gram has samples in the order of X
    known = {"free_bias": True, "xi": 0.0, "tol": 1e-3}
    return Verification.of(GRAM, Gaussian(0.2), X[order], place, **known)


@pytest.mark.parametrize("shared", [True, False])
def test_scores_together_are_those_of_each(verification, monkeypatch, shared):
    numbers = np.arange(200)
    folds = [np.delete(numbers, np.s_[k::5]) for k in range(5)]
    parts = folds if shared else [numbers[k::5] for k in range(5)]
    questions, calls, call = [asked(rows) for rows in parts], [], KernelSums.__call__

    def counting(self, support, others, v):
        calls.append(v.shape)
        return call(self, support, others, v)

    monkeypatch.setattr(KernelSums, "__call__", counting)
    together = verification._joint_scorer(questions)
    for problem, coef, known in questions:
        K = Gaussian(0.2)(X[problem.rows].astype(np.float64))
        found = together(problem, coef, known)
        np.testing.assert_allclose(found, (K @ coef)[known], rtol=1e-11, atol=1e-11)
    # a column for each fold in one call, or a call for each
    assert len(calls) == (1 if shared else 5)
    assert len(calls[0]) == (2 if shared else 1)
