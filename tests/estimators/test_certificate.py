"""A certificate holds for the model as it is returned, whatever the data."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from mercer import KernelSVC
from mercer.exceptions import DataError
from mercer.kernels import (
    Constant,
    Cosine,
    Exponential,
    Gaussian,
    Linear,
    Polynomial,
    Product,
    Sum,
)

IRIS, LABELS = load_iris(return_X_y=True)
IRIS, LABELS = IRIS[LABELS > 0], LABELS[LABELS > 0]


def kernel_values(kernel, X, Y):
    """By the formulas, pair by pair, in extended precision."""
    dots = np.array([[np.dot(x, y) for y in Y] for x in X])
    squares = ((X[:, None] - Y[None]) ** 2).sum(axis=2)

    def value(kernel):
        wide = np.longdouble
        if isinstance(kernel, Linear):
            return dots
        if isinstance(kernel, Polynomial):
            return (wide(kernel.scale) * dots + wide(kernel.offset)) ** kernel.degree
        if isinstance(kernel, Gaussian):
            return np.exp(-wide(kernel.gamma) * squares)
        if isinstance(kernel, Exponential):
            return np.exp(-wide(kernel.gamma) * np.sqrt(squares))
        if isinstance(kernel, Cosine):
            a, b = (np.sqrt((Z * Z).sum(axis=1)) for Z in (X, Y))
            lengths = np.outer(a, b)
            return np.divide(dots, lengths, out=0 * dots, where=lengths > 0)
        if isinstance(kernel, Constant):
            return np.full(dots.shape, wide(kernel.xi))
        operation = np.add if isinstance(kernel, Sum) else np.multiply
        assert isinstance(kernel, Sum | Product)
        total = value(kernel.parts[0])
        for part in kernel.parts[1:]:
            total = operation(total, value(part))
        return total

    return value(kernel)


def true_objectives(model, X, y):
    """Primal and dual of the one binary problem, from what the model has stored."""
    X = np.asarray(X.todense() if sparse.issparse(X) else X).astype(np.longdouble)
    z = np.where(y == model.classes_[1], 1, -1)
    v = np.zeros(len(X), np.longdouble)
    coefficients = model.dual_coef_
    dense = coefficients.toarray() if sparse.issparse(coefficients) else coefficients
    v[model.support_] = dense[0]
    scores = kernel_values(model.kernel_, X, X) @ v
    free = model.bias == "free"
    xi = 0 if free or model.bias == "none" else model.bias_scale**2
    quadratic = v @ scores + xi * v.sum() ** 2
    slack = 1 - z * (scores + np.longdouble(model.intercept_[0]))
    primal = quadratic / 2 + model.C * np.maximum(slack, 0).sum()
    return float(primal), float(np.abs(v).sum() - quadratic / 2)


def check(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    stated = model.certificate_
    primal, dual = true_objectives(model, X, y)
    rounding = stated.total.rounding + 1e-9 * abs(primal)
    assert abs(primal - stated.primal) <= rounding
    assert abs(dual - stated.dual) <= rounding
    assert primal - dual <= stated.gap + 1e-9 * abs(primal)
    return primal, dual


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_an_offset_in_float32(kind):
    X = kind((IRIS + 1000).astype(np.float32))
    model = KernelSVC(C=10, kernel="linear")
    primal, _ = check(model, X, LABELS)
    assert model.certificate_.converged
    assert primal == pytest.approx(89.8, rel=1e-3)
    assert model.score(X, LABELS) == 0.97
    # what was learned in float64 also answers in it
    assert model.support_vectors_.dtype == np.float64


def test_a_polynomial_of_an_offset_in_float32():
    X = (IRIS + 100).astype(np.float32)
    model = KernelSVC(C=10, kernel="poly", gamma=1.0, max_iter=100_000)
    check(model, X, LABELS)


def test_tiny_numbers_in_float32():
    X = (IRIS * 1e-25).astype(np.float32)
    model = KernelSVC()
    check(model, X, LABELS)
    assert model.score(X, LABELS) == KernelSVC().fit(IRIS, LABELS).score(IRIS, LABELS)


def test_samples_that_behave_stay_in_float32():
    model = KernelSVC(C=10).fit(IRIS.astype(np.float32), LABELS)
    assert model.support_vectors_.dtype == np.float32
    assert model.certificate_.total.rounding < 0.1 * model.certificate_.gap
    model = KernelSVC(C=10).fit(IRIS, LABELS)
    assert model.certificate_.total.rounding < 1e-6 * model.certificate_.gap


def test_what_float64_cannot_carry_is_said():
    X = IRIS + 1e9
    with pytest.warns(ConvergenceWarning):
        model = KernelSVC(C=10, kernel="linear", max_iter=1000).fit(X, LABELS)
    primal, dual = true_objectives(model, X, LABELS)
    assert primal - dual <= model.certificate_.gap


KERNELS = st.sampled_from(
    [
        Linear(),
        Polynomial(2, 1.0),
        Polynomial(3),
        Gaussian(1.0),
        Gaussian(1e-3),
        Exponential(0.3),
        Cosine(),
        Linear() + Constant(1.0),
        2.0 * Gaussian(0.1) + Polynomial(2),
        Gaussian(0.1) * Cosine(),
    ]
)


@settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    kernel=KERNELS,
    seed=st.integers(0, 10**6),
    scale=st.integers(-30, 30),
    offset=st.sampled_from([0.0, 0.0, 1.0, 1e2, 1e4, 1e6]),
    constant=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    kind=st.sampled_from([np.asarray, sparse.csr_matrix]),
    C=st.sampled_from([1e-3, 1.0, 1e3]),
    bias=st.sampled_from(["free", "regularized", "none"]),
)
def test_it_holds_for_any_data(
    kernel, seed, scale, offset, constant, dtype, kind, C, bias
):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 40), rng.integers(1, 12)
    X = rng.normal(size=(n, d)) + offset
    if constant:
        X[:, : d // 2 + 1] = X[0, : d // 2 + 1]
    y = np.arange(n) % 2
    X[:, -1] += y  # something to learn
    X = (X * 10.0**scale).astype(dtype)
    model = KernelSVC(C=C, kernel=kernel, bias=bias, max_iter=20_000)
    try:
        check(model, kind(X), y)
    except DataError as error:
        assert "overflow" in str(error)  # noqa: PT017
