"""Small inputs on which every compiled loop runs, compared with something obvious.

`make test` runs these a second time with NUMBA_DISABLE_JIT=1: without the compiler an
index out of bounds is an error, where compiled code would read its neighbour.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

import naive
from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC, Winnow
from mercer.explain import shapley_values
from mercer.kernels import Cosine, Exponential, Gaussian, Gram, GramPart, Polynomial
from mercer.model_selection import GramSearchCV
from mercer.solvers.svm import BinaryProblem, solve_smo
from mercer.solvers.svm._newton import climb

pytestmark = pytest.mark.uncompiled

RNG = np.random.default_rng(0)
X = RNG.normal(size=(36, 3))
Y = np.digitize(X[:, 0] + 0.4 * RNG.normal(size=36), [-0.5, 0.5])
KERNELS = {
    Gaussian(0.3): lambda x, y: naive.gaussian(x, y, 0.3),
    Exponential(0.3): lambda x, y: naive.exponential(x, y, 0.3),
    Polynomial(5, 1.0, 0.5): lambda x, y: naive.polynomial(x, y, 5, 1.0, 0.5),
    Cosine(): naive.cosine,
}
MEMORY = {"in memory": None, "on demand": 3000}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_kernel_values(kernel, dtype):
    samples = X.astype(dtype)
    expected = naive.gram(KERNELS[kernel], samples, samples)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(kernel(samples), expected, rtol=rtol, atol=rtol)
    rows, columns = np.array([35, 2, 2, 0]), np.arange(3, 35)[::-1]
    block = GramPart.prepare(kernel, samples).block(rows, columns)
    wanted = expected[np.ix_(rows, columns)]
    np.testing.assert_allclose(block, wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("kernel", [Gaussian(1e-4), Polynomial(2)], ids=str)
def test_kernel_values_of_whole_numbers(kernel):
    # as many features as make so few samples worth it
    numbers = RNG.integers(-9, 10, (34, 4000)) * (RNG.random((34, 4000)) < 0.03)
    dots = numbers @ numbers.T
    norms = np.diagonal(dots)
    expected = dots.astype(float) ** 2
    if isinstance(kernel, Gaussian):
        expected = np.exp(-1e-4 * (norms[:, None] + norms - 2 * dots))
    samples = numbers.astype(float)
    np.testing.assert_allclose(kernel(samples), expected, rtol=1e-12)
    part, rows = GramPart.prepare(kernel, samples), np.array([3, 33, 0])
    for columns in (slice(1, 34), np.arange(34)[::-2]):
        block = part.block(rows, columns)
        np.testing.assert_allclose(block, expected[rows][:, columns], rtol=1e-12)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("C", [0.5, 5.0])
def test_svm(C, bias, multiclass, memory):
    model = KernelSVC(
        C, gamma=0.4, bias=bias, multiclass=multiclass, memory_budget=MEMORY[memory]
    ).fit(X, Y)
    assert model.certificate_.converged
    assert model.certificate_.gap <= 1e-3 * C * 36 * 3
    if bias == "free" and multiclass == "ovo":
        peer = SVC(C=C, gamma=0.4, decision_function_shape="ovo").fit(X, Y)
        assert (model.predict(X) == peer.predict(X)).mean() > 0.97
        np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=0.02 * C)


@pytest.mark.parametrize("bias", ["free", "regularized"])
@pytest.mark.parametrize("source", [Gram, GramPart.prepare])
def test_svm_with_more_violators_than_a_working_set_takes(source, bias):
    rng = np.random.default_rng(1)
    samples, z = rng.normal(size=(160, 2)), np.sign(rng.random(160) - 0.5)
    problem = BinaryProblem(rng.permutation(160), z, 0.5)
    solution = solve_smo(source(Gaussian(1.0), samples), problem, bias=bias)
    assert solution.certificate.converged
    K = Gaussian(1.0)(samples)[np.ix_(problem.rows, problem.rows)]
    K += bias == "regularized"
    v = solution.coef
    assert solution.certificate.dual == pytest.approx(v @ z - v @ K @ v / 2)
    assert solution.certificate.gap < 1e-3 * 0.5 * 160


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Cosine(), Polynomial(3)], ids=str)
def test_neighbours(kernel):
    model = KernelKNN(3, kernel).fit(X[:25], Y[:25])
    found = naive.nearest(kernel(X[25:], X[:25]), kernel.diag(X[:25]), 3)
    votes = [np.bincount(Y[row], minlength=3).argmax() for row in found]
    assert model.predict(X[25:]).tolist() == votes


@pytest.mark.parametrize("balanced", [False, True])
def test_winnow(balanced):
    bits = np.random.default_rng(0).choice([-1.0, 1.0], (40, 6))
    model = Winnow(balanced, epochs=5, shuffle=False).fit(bits, bits[:, 0])
    assert (model.predict(bits) == bits[:, 0]).all()


def test_scores_of_zero():
    # the same sample in both classes: what is left is the rounding of a precomputed K
    samples, kernel = np.array([[1.0, 3.0], [1.0, 3.0]]) / 7, Gaussian(0.3)
    model = KernelPerceptron("precomputed", shuffle=False).fit(kernel(samples), [0, 1])
    at = kernel(X[:, :2], samples) * [1, 1 + 1e-15]
    assert (model.decision_function(at) == 0).all()


def assert_same_search(model, grid, samples, labels):
    options = {"cv": StratifiedKFold(3), "error_score": "raise"}
    plain = GridSearchCV(model, grid, **options).fit(samples, labels)
    ours = GramSearchCV(model, grid, **options).fit(samples, labels)
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(
            ours.cv_results_[name], plain.cv_results_[name], atol=1e-12
        )


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_searches_of_svms(multiclass):
    model = KernelSVC(tol=1e-6, gamma=0.3, multiclass=multiclass)
    assert_same_search(model, {"C": [0.1, 5.0]}, X, Y)


def test_searches_of_neighbours():
    model = KernelKNN(kernel="rbf", gamma=0.3)
    assert_same_search(model, {"n_neighbors": [1, 4]}, X, Y)


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (
            KernelPerceptron(random_state=3),
            {"variant": ["last", "averaged", "best"], "mistake": ["margin", "sign"]},
        ),
        (KernelPegasos(random_state=3), {"lam": [0.01, 0.5], "average": [False, True]}),
    ],
)
def test_searches_of_online_learners(model, grid, kernel):
    # rounded samples in several classes make scores of zero
    samples, labels = np.tile(X[:12].round(), (3, 1)), np.arange(36) % 5 % 3
    assert_same_search(model.set_params(kernel=kernel), grid, samples, labels)


@pytest.mark.parametrize("free_bias", [True, False])
def test_newton_steps(free_bias):
    # as many samples as make the kernel singular, with bounds that are met on the way
    points, z = RNG.normal(size=(9, 3)) * [1.0, 1e3, 1e-3], np.sign(RNG.normal(size=9))
    K, bound = points @ points.T, np.full(9, 2.0)
    state = np.stack([z, np.zeros(9), -bound, bound])
    v, steps, at_top = climb(K, state, free_bias, tol=1e-6, max_steps=100)
    assert at_top
    assert steps > 1
    assert (np.abs(v) <= bound).all()
    inside, gradient = np.abs(v) < bound, z - K @ v
    assert inside.any()
    assert not inside.all()
    if free_bias:
        assert abs(v.sum()) < 1e-12
        gradient -= gradient[inside].mean()
    np.testing.assert_allclose(gradient[inside], 0, atol=1e-6)
    assert not climb(K, state, free_bias, tol=1e-6, max_steps=1)[2]


def test_neighbours_of_sparse_and_of_parallel_rows():
    whole = RNG.integers(-2, 3, (30, 3))
    rows = np.concatenate([whole, 3 * whole, 7 * whole])
    for kernel in (Cosine(), Gaussian(0.1)):
        by_angle = isinstance(kernel, Cosine)
        expected = naive.nearest_of_whole_numbers(whole, rows, 5, by_angle)
        for layout in (np.asarray, sparse.csr_array):
            model = KernelKNN(5, kernel).fit(layout(rows * 1.0), np.arange(90) % 2)
            assert (model.kneighbors(layout(whole * 1.0))[1] == expected).all()


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Polynomial(3, 1.0, 0.5)], ids=str)
def test_shapley_values(kernel):
    model = KernelSVC(kernel=kernel, multiclass="ovr").fit(X, Y)
    found = shapley_values(model, X[:2], X[30:33])
    for x, values in zip(X, found.values):
        expected = naive.shapley(model.decision_function, x, X[30:33])
        np.testing.assert_allclose(values, expected, atol=1e-12)
