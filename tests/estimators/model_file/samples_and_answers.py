"""Samples to fit, and everything that a model says about them."""

import numpy as np
from scipy import sparse


def make_data(dtype=np.float64, sparse_=False, words=True, n=90):
    random = np.random.default_rng(1)
    y = np.arange(n) % 3
    X = (random.normal(size=(n, 7)) + np.eye(7)[y] * 2).round(3)
    X = np.where(random.random(X.shape) < 0.3, 0, X).astype(dtype)
    y = np.array(["rose", "elm", "oak"])[y] if words else y
    return (sparse.csr_matrix(X) if sparse_ else X), y


def answers(model, X):
    """Everything that a model says about samples, as bytes."""
    names = ("predict", "decision_function", "predict_proba", "transform")
    said = {}
    for name in names:
        if hasattr(model, name):
            values = getattr(model, name)(X)
            said[name] = (values.dtype.str, values.tobytes())
    assert said
    return said
