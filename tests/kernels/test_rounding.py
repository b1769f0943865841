"""Bounds of rounding hold, and are not idle."""

import numpy as np
import pytest
from scipy import sparse

from mercer.exceptions import DataError
from mercer.kernels import (
    Cosine,
    Exponential,
    Gaussian,
    Gram,
    GramPart,
    Kernel,
    Linear,
    Polynomial,
    Sigmoid,
)
from mercer.kernels._bases import Base
from mercer.kernels._rounding import Products, bound_most

GAMMA = 0.05
FORMULAS = {
    Linear(): lambda dots, squares: dots,
    Polynomial(3, 1.0, GAMMA): lambda dots, squares: (GAMMA * dots + 1) ** 3,
    Gaussian(GAMMA): lambda dots, squares: np.exp(-GAMMA * squares),
    Exponential(GAMMA): lambda dots, squares: np.exp(-GAMMA * np.sqrt(squares)),
    2.0 * Gaussian(GAMMA) + Linear(): lambda dots, squares: (
        2 * np.exp(-GAMMA * squares) + dots
    ),
    Gaussian(GAMMA) * Polynomial(2): lambda dots, squares: (
        np.exp(-GAMMA * squares) * dots**2
    ),
}


def samples(seed, dtype):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(2, 20), rng.integers(1, 200)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-4, 3)
    X += rng.integers(0, 2) * 10.0 ** rng.integers(-2, 4)
    if seed % 3 == 0:
        X[:, : d // 2 + 1] = X[0, : d // 2 + 1]
    return (np.rint(X) if seed % 5 == 0 else X).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", FORMULAS, ids=str)
def test_no_value_is_further_off(kernel, dtype):
    closest = 0.0
    for seed in range(30):
        X = samples(seed, dtype)
        wide = X.astype(np.longdouble)
        dots = np.array([[np.dot(x, y) for y in wide] for x in wide])
        squares = ((wide[:, None] - wide[None]) ** 2).sum(axis=2)
        truth = FORMULAS[kernel](dots, squares)
        for Z in (X, sparse.csr_matrix(np.pad(X, ((0, 0), (0, 50 * X.shape[1]))))):
            gram, part = Gram(kernel, Z), GramPart.prepare(kernel, Z)
            everything = slice(0, len(X))
            for values, bound in (
                (gram.matrix, gram.bound_rounding()),
                (part.block(everything, everything), part.bound_rounding()),
            ):
                off = np.abs(values - truth).max(axis=1)
                assert (off <= bound.error).all()
                assert (np.abs(truth).max(axis=1) <= bound.size * (1 + 1e-6)).all()
                reached = off.max() / bound.error.max()
                closest = max(closest, float(reached))
    assert closest > 1e-3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [*FORMULAS, Sigmoid(0.1, 0.2)], ids=str)
def test_what_is_known_at_once_is_no_less(kernel, dtype):
    found = 0
    for seed in range(60):
        X = samples(seed, dtype)
        for own in (Gram(kernel, X), GramPart.prepare(kernel, X)):
            for asked in (None, np.float32, np.float64):
                most, bound = own.bound_most(asked), own.bound_rounding(asked)
                if most is not None:
                    assert most.size >= bound.size.max()
                    assert most.error >= bound.error.max()
                    found += 1
    usual = type(kernel) in (Gaussian, Linear, Polynomial, Sigmoid)
    assert (found > 0) == usual


def test_at_once_nothing_is_known_of_what_overflows():
    long = Products({Base.DOT: np.array([1e40])}, 1, None)
    assert bound_most(Polynomial(7), long, np.float64).size == pytest.approx(1e280)
    assert bound_most(Polynomial(9), long, np.float64) is None


@pytest.mark.parametrize("d", [257, 1025, 3000, 9000])
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(1e-4)], ids=str)
def test_wide_samples_are_summed_in_groups_that_round_less(kernel, d):
    unit, everything = float(np.finfo(np.float32).eps) / 2, slice(0, 8)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        # of one sign and nearly alike: nothing cancels, and all errors may add up
        X = 1.1 + 0.01 * rng.normal(size=(8, d)) if seed % 2 else rng.random((8, d))
        X = X.astype(np.float32)
        wide = X.astype(np.longdouble)
        dots = np.array([[np.dot(x, y) for y in wide] for x in wide])
        squares = ((wide[:, None] - wide[None]) ** 2).sum(axis=2)
        truth = dots if kernel == Linear() else np.exp(-1e-4 * squares)
        gram, part = Gram(kernel, X), GramPart.prepare(kernel, X)
        for values, bound in (
            (gram.matrix, gram.bound_rounding()),
            (part.block(everything, everything), part.bound_rounding()),
        ):
            off = np.abs(values - truth).max(axis=1)
            assert (off <= bound.error).all()
            if kernel == Linear() and d > 1024:
                assert bound.error.max() < d * unit * dots.max() / 3


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_samples_of_very_different_lengths(kind):
    """The bound of a Gaussian takes into account that long samples are far away."""
    rng = np.random.default_rng(0)
    for turn in range(60):
        n, d = rng.integers(2, 30), rng.integers(1, 300)
        X = rng.normal(size=(n, d)) * np.exp(rng.normal(size=(n, 1)) * (turn % 3))
        X = (np.abs(X) if turn % 2 else X).astype(np.float32)
        gamma = float(np.exp(3 * rng.normal()) / (d * X.var()))
        wide = X.astype(np.longdouble)
        squares = ((wide[:, None] - wide[None]) ** 2).sum(axis=2)
        part, everything = GramPart.prepare(Gaussian(gamma), kind(X)), slice(0, n)
        off = np.abs(part.block(everything, everything) - np.exp(-gamma * squares))
        assert (off.max(axis=1) <= part.bound_rounding().error).all()


def test_a_long_sample_does_not_loosen_the_bounds_of_others():
    X = np.random.default_rng(0).normal(size=(200, 300)).astype(np.float32)
    kernel = Gaussian(1 / 300)
    usual = GramPart.prepare(kernel, X).bound_rounding().error
    X[0] *= 30
    assert GramPart.prepare(kernel, X).bound_rounding().error[1:].max() < 2 * max(usual)


def test_of_an_unknown_kernel_nothing_is_known():
    class Other(Linear):
        def combine(self, tiles):
            return np.sin(1e9 * super().combine(tiles))

    assert issubclass(Other, Kernel)
    bound = Gram(Other(), [[1.0], [2.0]]).bound_rounding()
    assert np.isinf(bound.error).all()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1.0, 1e19, 1e25])
def test_cosines_do_not_depend_on_lengths(scale, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 7))
    X[3] = 0
    expected = Cosine()(X)
    scaled = kind((X * scale).astype(np.float32))
    np.testing.assert_allclose(Cosine()(scaled), expected, atol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cosines_of_one_feature_are_exactly_one(kind, dtype):
    x = np.random.default_rng(0).normal(size=(100, 1)).astype(dtype)
    np.testing.assert_array_equal(Cosine()(kind(x)), np.sign(x) * np.sign(x.T))


def test_the_sum_of_squares_of_one_sample_overflows():
    X = np.array([[1e30, 1.0], [1.0, 2.0]], np.float32)
    with pytest.raises(DataError, match="overflows float32 at sample 0"):
        Gram(Linear(), X)


@pytest.mark.parametrize("kind", [Gram, GramPart.prepare])
@pytest.mark.parametrize("d", [3, 20, 300])
def test_sums_are_no_further_off_than_their_own_bounds(kind, d):
    closer = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, d)) * rng.choice([0.1, 1.0, 3.0])
        X[0] *= rng.choice([1.0, 30.0])  # a long one
        X = (X + rng.choice([0.0, 5.0])).astype(np.float32)
        rows, weights = (
            rng.permutation(60)[:40],
            rng.random(40) * rng.integers(0, 2, 40),
        )
        kernel = Gaussian(rng.choice([0.01, 1.0]) / d)
        source, everything = kind(kernel, X), slice(0, 60)
        bounds = source.bound_sums(rows, weights)
        if bounds is None:
            continue
        wide = X.astype(np.longdouble)
        squares = ((wide[:, None] - wide[None]) ** 2).sum(axis=2)
        values = source.block(everything, everything).astype(np.longdouble)
        off = np.abs(values - np.exp(-np.longdouble(kernel.gamma) * squares))
        assert (off[np.ix_(rows, rows)] @ weights <= bounds).all()
        # where one is far longer than others they say more than those of values
        worst = source.bound_rounding().error[rows] * weights.sum()
        closer += (bounds < worst).mean() > 0.5
    assert closer > 2 or (d == 3 and kind is not Gram)  # or it takes differences


def test_of_other_sums_no_more_is_known_than_of_values():
    X = np.random.default_rng(0).normal(size=(9, 40))
    known = np.arange(9), np.ones(9)
    assert Gram(Gaussian(0.1), X).bound_sums(*known) is None  # in float64 they are fine
    X = X.astype(np.float32)
    assert Gram(Polynomial(2), X).bound_sums(*known) is None
    assert Gram(Gaussian(1e5), X).bound_sums(*known) is None  # nothing is left of it
