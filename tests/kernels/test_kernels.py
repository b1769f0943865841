import functools
import inspect
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.metrics import pairwise

import mercer.kernels
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import (
    Constant,
    Cosine,
    Exponential,
    Gaussian,
    Gram,
    GramFamily,
    Kernel,
    Linear,
    Polynomial,
    Product,
    Sigmoid,
    Sum,
    is_semidefinite,
    make_kernel,
)
from naive import cosine, exponential, gaussian, gram, polynomial, sigmoid

NAIVE = {
    Linear(): lambda x, y: polynomial(x, y, 1, 0.0, 1.0),
    Polynomial(1): lambda x, y: polynomial(x, y, 1, 0.0, 1.0),
    Polynomial(3): lambda x, y: polynomial(x, y, 3, 0.0, 1.0),
    Polynomial(7, offset=1.0, scale=0.3): lambda x, y: polynomial(x, y, 7, 1.0, 0.3),
    Polynomial(0): lambda x, y: 1.0,
    Polynomial(3, offset=-2.0): lambda x, y: polynomial(x, y, 3, -2.0, 1.0),
    Polynomial(2, offset=1.5, scale=0): lambda x, y: 2.25,
    Sigmoid(0.1, offset=-0.5): lambda x, y: sigmoid(x, y, 0.1, -0.5),
    Sigmoid(0.2) + Linear(): lambda x, y: (
        sigmoid(x, y, 0.2, 0.0) + polynomial(x, y, 1, 0.0, 1.0)
    ),
    Gaussian(0.5): functools.partial(gaussian, gamma=0.5),
    Gaussian.from_width(0.25): functools.partial(gaussian, gamma=2.0),
    Exponential(0.5): functools.partial(exponential, gamma=0.5),
    Exponential.from_width(2.0): functools.partial(exponential, gamma=0.25),
    Cosine(): cosine,
    Constant(2.5): lambda x, y: 2.5,
    Linear() + Constant(4.0): lambda x, y: polynomial(x, y, 1, 4.0, 1.0),
    0.5 * Gaussian(0.1): lambda x, y: 0.5 * gaussian(x, y, 0.1),
    Gaussian(0.1) * Polynomial(2) + 1.0 + Cosine(): lambda x, y: (
        gaussian(x, y, 0.1) * polynomial(x, y, 2, 0.0, 1.0) + 1.0 + cosine(x, y)
    ),
}
KERNELS = list(NAIVE)
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def samples(n, p, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p)).astype(dtype)


@every_kernel
def test_agrees_with_a_double_loop(kernel):
    X, Y = samples(7, 5), samples(4, 5, seed=1)
    np.testing.assert_allclose(kernel(X, Y), gram(NAIVE[kernel], X, Y), rtol=1e-11)
    np.testing.assert_allclose(kernel(X), gram(NAIVE[kernel], X, X), rtol=1e-11)


@every_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 3, 300, 1500])
def test_square_matrix_is_symmetric_with_exact_diagonal(kernel, dtype, n):
    X = samples(n, 70, dtype)
    K = kernel(X)
    assert K.dtype == dtype
    assert K.shape == (n, n)
    assert (K == K.T).all()
    assert (np.diagonal(K) == kernel.diag(X)).all()


@every_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiles_do_not_show(kernel, dtype):
    X, Y = samples(530, 70, dtype), samples(1100, 70, dtype, seed=1)
    whole = kernel(X, Y)
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    scale = np.abs(whole).max()
    pieces = np.vstack([kernel(X[:1], Y), kernel(X[1:], Y)])
    np.testing.assert_allclose(pieces, whole, rtol=tolerance, atol=tolerance * scale)
    np.testing.assert_allclose(
        kernel(X)[:200, 300:],
        kernel(X[:200], X[300:]),
        rtol=tolerance,
        atol=tolerance * scale,
    )


@every_kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_is_dense(kernel, dtype):
    X, Y = samples(40, 30, dtype), samples(25, 30, dtype, seed=1)
    X[X < 0.5] = 0
    Y[Y < 0.5] = 0
    X[3] = 0
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.coo_matrix):
        K = kernel(kind(X))
        assert K.dtype == dtype
        assert (K == K.T).all()
        np.testing.assert_allclose(K, kernel(X), rtol=tolerance, atol=tolerance)
        for a, b in ((kind(X), kind(Y)), (X, kind(Y)), (kind(X), Y)):
            values = kernel(a, b)
            assert isinstance(values, np.ndarray)
            np.testing.assert_allclose(
                values, kernel(X, Y), rtol=tolerance, atol=tolerance
            )


INDEFINITE = [kernel for kernel in KERNELS if not kernel.is_semidefinite]


@pytest.mark.parametrize("kernel", INDEFINITE, ids=str)
def test_values_that_a_majorant_bounds(kernel):
    X, Y = 3 * samples(60, 3), samples(50, 3, seed=1)
    K, bound = kernel(X, Y), kernel.majorant
    assert bound.is_semidefinite
    reach = np.sqrt(np.outer(bound.diag(X), bound.diag(Y)))
    assert (np.abs(K) <= reach * (1 + 1e-12)).all()
    assert not is_semidefinite(kernel(X))


def test_a_majorant_that_overflows_is_an_error_where_the_diagonal_is_finite():
    # (x·x − o) is small, but −(x·y) − o is not
    X = np.array([[1e75], [-1e75]])
    kernel = Polynomial(2, offset=-1e150)
    assert np.isfinite(kernel.combine({next(iter(kernel.bases)): X * X})).all()
    with pytest.raises(DataError, match="overflows"):
        kernel(1e3 * X)


def test_what_rounding_makes_of_a_matrix_is_not_indefinite():
    K = Gaussian(0.1)(samples(300, 2, np.float32))
    assert np.linalg.eigvalsh(K.astype(np.float64)).min() < 0
    assert is_semidefinite(K)
    distances = -((samples(50, 2)[:, None] - samples(50, 2)[None]) ** 2).sum(axis=2)
    assert not is_semidefinite(distances)
    assert is_semidefinite(distances, sums_to_zero=True)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.is_semidefinite], ids=str)
@settings(max_examples=25, deadline=None)
@given(
    X=arrays(
        np.float64,
        st.tuples(st.integers(1, 8), st.integers(1, 4)),
        elements=st.floats(-3, 3, width=32),
    )
)
def test_positive_semidefinite(kernel, X):
    K = kernel(X)
    smallest = np.linalg.eigvalsh(K).min()
    # a root of distances that cancel rounds to half the digits
    rounding = len(X) * Gram(kernel, X).bound_rounding().error.max()
    assert smallest >= -max(1e-9 * max(1.0, np.abs(K).max()), rounding)


@pytest.mark.parametrize(
    ("kernel", "reference"),
    [
        (Linear(), pairwise.linear_kernel),
        (
            Polynomial(3, 1.0, 0.2),
            lambda X, Y: pairwise.polynomial_kernel(X, Y, 3, 0.2, 1.0),
        ),
        (Gaussian(0.3), lambda X, Y: pairwise.rbf_kernel(X, Y, 0.3)),
        (
            Exponential(0.3),
            lambda X, Y: np.exp(-0.3 * pairwise.euclidean_distances(X, Y)),
        ),
        (Cosine(), pairwise.cosine_similarity),
        (Sigmoid(0.2, -1.0), lambda X, Y: pairwise.sigmoid_kernel(X, Y, 0.2, -1.0)),
    ],
    ids=["linear", "polynomial", "gaussian", "exponential", "cosine", "sigmoid"],
)
def test_agrees_with_scikit_learn(kernel, reference):
    X, Y = samples(60, 20), samples(50, 20, seed=1)
    np.testing.assert_allclose(kernel(X, Y), reference(X, Y), rtol=1e-10, atol=1e-12)


def test_float32_is_exact_to_a_millionth_far_from_the_origin():
    X = samples(300, 64) + 1000.0
    exact = pairwise.rbf_kernel(X - 1000.0, gamma=0.02)
    X = X.astype(np.float32)
    rounded = pairwise.rbf_kernel(X.astype(np.float64) - 1000.0, gamma=0.02)
    np.testing.assert_allclose(Gaussian(0.02)(X), rounded, rtol=2e-6)
    assert np.abs(rounded / exact - 1).max() > 1e-6  # the data's own rounding


def test_distances_are_never_negative():
    X = np.repeat(samples(2, 9, np.float32) * 1e3, 50, axis=0)
    assert Gaussian(1.0)(X).max() == 1.0
    assert Exponential(1.0)(X, X.copy()).max() <= 1.0


def test_far_points_have_kernel_zero_and_not_nan():
    for dtype in (np.float32, np.float64):
        K = Gaussian(1.0)(np.array([[0.0], [1e4]], dtype))
        assert K.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("gamma", [0.0, 1e-300, 0.1, 80.0, 1e300])
def test_exp_against_numpy(gamma):
    for dtype, tolerance in ((np.float32, 5e-7), (np.float64, 1e-14)):
        X = np.linspace(0, 1, 50, dtype=dtype)[:, None]
        squares = (X - X.T).astype(np.float64) ** 2
        expected = np.exp(-gamma * squares)
        tiny = np.finfo(dtype).tiny * 2
        np.testing.assert_allclose(
            Gaussian(gamma)(X), expected, rtol=tolerance * max(1, min(gamma, 100)),
            atol=tiny,
        )  # fmt: skip


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_values_do_not_depend_on_the_number_of_threads(monkeypatch, threads):
    X = samples(700, 200, np.float32)
    monkeypatch.setenv("MERCER_NUM_THREADS", "2")
    expected = Gaussian(0.01)(X)
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    assert (Gaussian(0.01)(X) == expected).all()


def test_family_gives_what_each_member_gives():
    X, Y = samples(300, 20), samples(150, 20, seed=1)
    for members in (
        [Gaussian(g) for g in (0.01, 0.1, 1.0)] + [Exponential(0.2)],
        [Polynomial(d) for d in range(1, 8)] + [Linear(), Linear() + Constant(1)],
        [Cosine(), 2 * Cosine()],
        [Constant(1.0)],
        [Gaussian(0.1) + Linear(), Gaussian(0.2), Polynomial(2)],
    ):
        square, across = GramFamily(members[0], X), GramFamily(members[0], X, Y)
        for kernel in members:
            K = square.matrix(kernel)
            assert (kernel(X) == K).all()
            assert (square.gram(kernel).matrix == K).all()
            np.testing.assert_allclose(across.matrix(kernel), kernel(X, Y), rtol=1e-11)


def test_family_refuses_a_stranger():
    family = GramFamily(Gaussian(), samples(5, 2))
    with pytest.raises(ParameterError, match="does not come from squared distances"):
        family.matrix(Polynomial(2))


def test_family_over_budget_says_what_it_needs():
    with pytest.raises(MemoryError, match=r"needs 156 KB and the budget is 97.7 KB"):
        GramFamily(Gaussian(), samples(100, 2), budget=100_000)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Gaussian(-1), "gamma is -1; it must be a finite number of at least 0"),
        (lambda: Gaussian(float("nan")), "gamma is nan"),
        (lambda: Gaussian("scale"), "gamma is 'scale'"),
        (
            lambda: Gaussian.from_width(0),
            "width is 0; it must be a finite number above",
        ),
        (lambda: Polynomial(2.5), "degree is 2.5; it must be a whole number"),
        (lambda: Polynomial(-1), "degree is -1"),
        (lambda: Polynomial(2, offset=np.inf), "offset is inf"),
        (lambda: Polynomial(2, scale=-1), "scale is -1"),
        (lambda: Sigmoid(-1), "scale is -1"),
        (lambda: Constant(-1), "xi is -1"),
        (lambda: -2.0 * Gaussian(), "xi is -2.0"),
        (lambda: make_kernel("rbg"), "Did you mean 'rbf'"),
        (
            lambda: make_kernel("laplacian"),
            r"'laplacian', which in scikit-learn is .*‖₁.*kernel='exponential', or "
            r"mercer.kernels.Exponential\(gamma\)",
        ),
        (lambda: Sum(()), r"parts is \(\); it must be a tuple of kernels"),
        (lambda: Product((Linear(), 2.0)), "must be a tuple of kernels"),
        (lambda: make_kernel("rbf", gamma="skale"), "gamma is 'skale'"),
        (lambda: make_kernel("rbf", gamma=True), "gamma is True"),
        # estimators and their users know these by other names than the kernel
        (lambda: make_kernel("poly", gamma=-1.0), "^gamma is -1"),
        (lambda: make_kernel("poly", coef0=float("nan")), "^coef0 is nan"),
    ],
)
def test_impossible_parameters_get_a_sentence(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("X", "Y", "sentence"),
    [
        ([[1.0, np.nan]], None, r"X holds nan in row 0, column 1 \(counted from 0\)"),
        ([[1.0], [np.inf]], None, "X holds inf in row 1, column 0"),
        (sparse.csr_array([[0.0, 0], [0, np.nan]]), None, "nan in row 1, column 1"),
        ([1.0, 2.0], None, "X has 1 dimension"),
        ([["a"]], None, "not numbers"),
        (np.empty((3, 0)), None, "no features"),
        ([[1.0, 2.0]], [[1.0]], "X has 2 features and Y has 1"),
    ],
)
def test_bad_arrays_get_a_sentence(X, Y, sentence):
    with pytest.raises(DataError, match=sentence):
        Gaussian()(X, Y)


def test_composites_read_like_the_formula():
    kernel = (Linear() + 1.0) * Gaussian(0.5) + Cosine()
    text = "(Linear() + Constant(xi=1.0)) * Gaussian(gamma=0.5) + Cosine()"
    assert repr(kernel) == text


def test_names_as_in_scikit_learn():
    X = samples(50, 4) * 3
    assert make_kernel("linear", X=X) == Linear()
    assert make_kernel("poly", 0.5, 2, 1.0) == Polynomial(2, 1.0, 0.5)
    assert make_kernel("rbf", "auto", X=X) == Gaussian(0.25)
    assert make_kernel("rbf", X=X).gamma == pytest.approx(1 / (4 * X.var()))
    assert make_kernel("rbf", X=sparse.csr_array(X)).gamma == pytest.approx(
        1 / (4 * X.var())
    )
    assert make_kernel("rbf", X=np.ones((3, 2))).gamma == 1.0
    assert make_kernel("cosine") == Cosine()
    assert make_kernel("sigmoid", 0.5, coef0=-1.0) == Sigmoid(0.5, -1.0)
    assert make_kernel("exponential", "auto", X=X) == Exponential(0.25)
    assert make_kernel(Gaussian(3.0)) == Gaussian(3.0)


PUBLIC = [
    kind
    for kind in map(vars(mercer.kernels).get, mercer.kernels.__all__)
    if inspect.isclass(kind)
    and issubclass(kind, Kernel)
    and not inspect.isabstract(kind)
]


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
def test_every_kernel_has_a_formula_here_and_a_place_in_the_docs(kind):
    assert kind in {type(kernel) for kernel in NAIVE}, "add it to NAIVE"
    docs = Path(__file__).parents[2] / "docs" / "kernels.md"
    assert f"`{kind.__name__}(" in docs.read_text(), "add it to docs/kernels.md"
