"""Samples, their Gram and the signs of their binary problems, for online learners."""

from itertools import combinations

import numpy as np
from sklearn.datasets import load_digits

from mercer.kernels import Polynomial

DIGITS, LABELS = load_digits(return_X_y=True)
X, Y = DIGITS[:300] / 16.0, LABELS[:300]
KERNEL = Polynomial(3, offset=1.0)
K = KERNEL(X)
TINY = 50_000  # bytes: forces the chunked way


def dense_coefficients(model):
    full = np.zeros((len(model.dual_coef_), len(X)))
    full[:, model.support_] = model.dual_coef_
    return full


def problem_signs(multiclass, y=Y):
    classes = np.unique(y)
    if multiclass == "ovr":
        return [np.where(y == c, 1, -1) for c in classes]
    return [
        np.where(y == a, 1, np.where(y == b, -1, 0))
        for a, b in combinations(classes, 2)
    ]
