"""The 14 rows that report 004 prints for Iris, to all digits."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris

from mercer.metrics import actual_dcf, min_dcf

ROWS = [
    # kernel, its parameter, K, C, dual, error in %, minDCF, actDCF
    ("linear", None, 1, 0.1, "3.774974e+00", "2.9", "0.0556", "0.0625"),
    ("linear", None, 1, 1.0, "1.577993e+01", "5.9", "0.0556", "0.1181"),
    ("linear", None, 1, 10.0, "7.896893e+01", "5.9", "0.0556", "0.1181"),
    ("linear", None, 10, 0.1, "2.983576e+00", "11.8", "0.0000", "0.2222"),
    ("linear", None, 10, 1.0, "1.131707e+01", "5.9", "0.0556", "0.1181"),
    ("linear", None, 10, 10.0, "5.464483e+01", "5.9", "0.0625", "0.1181"),
    ("poly", 0, 0, 1.0, "6.663628e+00", "8.8", "0.0625", "0.1736"),
    ("poly", 0, 1, 1.0, "6.296912e+00", "8.8", "0.0625", "0.1736"),
    ("poly", 1, 0, 1.0, "3.592918e+00", "2.9", "0.0556", "0.0556"),
    ("poly", 1, 1, 1.0, "3.569987e+00", "2.9", "0.0556", "0.0556"),
    ("rbf", 1.0, 0, 1.0, "1.198930e+01", "8.8", "0.0625", "0.1736"),
    ("rbf", 1.0, 1, 1.0, "1.197813e+01", "8.8", "0.0625", "0.1736"),
    ("rbf", 10.0, 0, 1.0, "1.842757e+01", "11.8", "0.1736", "0.2292"),
    ("rbf", 10.0, 1, 1.0, "1.839182e+01", "8.8", "0.1736", "0.1736"),
]


def split_iris():
    """Versicolor against virginica, 66 to train and 34 to test."""
    iris = load_iris()
    X, y = iris.data[iris.target > 0], iris.target[iris.target > 0]
    order = np.random.RandomState(0).permutation(100)
    train, test = order[:66], order[66:]
    sign = np.where(y == 1, 1.0, -1.0)
    return X[train], sign[train], X[test], sign[test]


def gram(A, B, kernel, parameter, K):
    if kernel == "rbf":
        values = np.exp(-parameter * ((A[:, None] - B[None]) ** 2).sum(axis=2))
    elif kernel == "poly":
        values = (A @ B.T + parameter) ** 2
    else:
        values = A @ B.T
    return values + K**2


def solve_dual(H, C):
    """Minimise ½αᵀHα - Σα on the box 0 ≤ α ≤ C."""
    alpha = np.zeros(len(H))
    for _ in range(50):
        result = minimize(
            lambda a: (a @ H @ a / 2 - a.sum(), H @ a - 1),
            alpha,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, C)] * len(H),
            options={"ftol": 0, "gtol": 1e-5, "maxiter": 10**6, "maxfun": 10**6},
        )
        alpha = result.x
        step = np.clip(alpha - result.jac, 0, C) - alpha
        if np.abs(step).max() <= 1e-5:
            break
        # a step that rounding made vain ended it, which depends on the processor
    return alpha, -result.fun


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(map(str, row[:4])))
def test_printed_row(row):
    kernel, parameter, K, C, *printed = row
    X_train, z_train, X_test, z_test = split_iris()
    H = np.outer(z_train, z_train) * gram(X_train, X_train, kernel, parameter, K)
    alpha, dual = solve_dual(H, C)
    scores = (alpha * z_train) @ gram(X_train, X_test, kernel, parameter, K)
    error = 100 * np.mean((scores > 0) != (z_test > 0))
    assert [
        f"{dual:.6e}",
        f"{error:.1f}",
        f"{min_dcf(z_test, scores, prior=0.5):.4f}",
        f"{actual_dcf(z_test, scores, prior=0.5):.4f}",
    ] == printed
