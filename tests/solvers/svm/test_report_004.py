"""The fourteen rows of report 004's two tables, with both solvers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mercer.kernels import Gaussian, Gram, Linear, Polynomial
from mercer.solvers.svm import BinaryProblem, LBFGSOptions, Limits, solve_many

SQUARE, SHIFTED = Polynomial(2), Polynomial(2, offset=1.0)
ROWS = [  # K, C, kernel, primal, dual, error in %
    (1, 0.1, Linear(), 3.774974e00, 3.774974e00, 2.9),
    (1, 1.0, Linear(), 1.577993e01, 1.577993e01, 5.9),
    (1, 10.0, Linear(), 7.896896e01, 7.896893e01, 5.9),
    (10, 0.1, Linear(), 2.983577e00, 2.983576e00, 11.8),
    (10, 1.0, Linear(), 1.131707e01, 1.131707e01, 5.9),
    (10, 10.0, Linear(), 5.464486e01, 5.464483e01, 5.9),
    (0, 1.0, SQUARE, 6.663666e00, 6.663628e00, 8.8),
    (1, 1.0, SQUARE, 6.296913e00, 6.296912e00, 8.8),
    (0, 1.0, SHIFTED, 3.592924e00, 3.592918e00, 2.9),
    (1, 1.0, SHIFTED, 3.569991e00, 3.569987e00, 2.9),
    (0, 1.0, Gaussian(1.0), 1.198932e01, 1.198930e01, 8.8),
    (1, 1.0, Gaussian(1.0), 1.197814e01, 1.197813e01, 8.8),
    (0, 1.0, Gaussian(10.0), 1.842762e01, 1.842757e01, 11.8),
    (1, 1.0, Gaussian(10.0), 1.839186e01, 1.839182e01, 8.8),
]


@pytest.fixture(scope="module")
def split():
    X, y = load_iris(return_X_y=True)
    X, z = X[y != 0], np.where(y[y != 0] == 1, 1.0, -1.0)
    order = np.random.RandomState(0).permutation(100)
    train, test = order[:66], order[66:]
    return X[train], z[train], X[test], z[test]


@pytest.mark.parametrize("solver", ["smo", "lbfgs"])
@pytest.mark.parametrize("row", ROWS, ids=[f"{r[2]}, K={r[0]}, C={r[1]}" for r in ROWS])
def test_as_printed(row, solver, split):
    K, C, kernel, primal, dual, error = row
    X, z, X_test, z_test = split
    gram = Gram(kernel, X)
    (solution,) = solve_many(
        gram,
        [BinaryProblem(np.arange(66), z, C)],
        solver=solver,
        bias="regularized",
        xi=float(K**2),
        limits=Limits(tol=1e-6 if solver == "smo" else 2e-5),
        options=LBFGSOptions(factr=np.nan, pgtol=1e-5),
    )
    certificate = solution.certificate
    assert certificate.dual == pytest.approx(dual, rel=1e-6)
    assert certificate.primal == pytest.approx(primal, rel=1e-5)
    scores = gram.cross(X_test) @ solution.coef + solution.bias
    wrong = np.where(scores > 0, 1.0, -1.0) != z_test
    assert round(100 * wrong.mean(), 1) == error
    assert certificate.gap < 1e-4
    assert certificate.converged
