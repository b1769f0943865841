"""Machines with fewer support vectors: what they lose is told, and bounded."""

import numpy as np
import pytest
from scipy import sparse

import naive
from mercer import (
    KernelKNN,
    KernelPegasos,
    KernelPerceptron,
    KernelSVC,
    compress,
    load,
    load_dataset,
    save,
    to_onnx,
)
from mercer.exceptions import ParameterError
from mercer.explain import support_vectors
from mercer.kernels import Gaussian, Polynomial, Sigmoid
from mercer.solvers.reduced_set import choose_points, learn_points, solve_weights

DIGITS = load_dataset("digits")
X, Y = DIGITS.X[:1200] / 16, DIGITS.y[:1200]
TEST, TEST_Y = DIGITS.X[1200:] / 16, DIGITS.y[1200:]
MODELS = {
    "pairs": KernelSVC(C=10),
    "classes": KernelSVC(C=10, multiclass="ovr"),
    "polynomial": KernelSVC(kernel=Polynomial(3, 1.0, 0.1)),
    "perceptron": KernelPerceptron(random_state=0, variant="averaged"),
    "pegasos": KernelPegasos(random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def both(request):
    model = MODELS[request.param].fit(X, Y)
    return model, compress(model, len(model.support_) // 4, X)


def test_few_vectors_decide_nearly_the_same(both):
    model, small = both
    lost = small.compression_
    assert lost.n_before == len(model.support_)
    assert lost.n_after == len(small.support_) == len(model.support_) // 4
    assert lost.agreement == (small.predict(X) == model.predict(X)).mean() > 0.99
    assert model.score(TEST, TEST_Y) - small.score(TEST, TEST_Y) < 0.02


def test_errors_bound_every_score(both):
    model, small = both
    lost, anywhere = small.compression_, np.random.default_rng(0).random((500, 64))
    for samples in (X, TEST, anywhere):
        apart = np.abs(small.binary_scores(samples) - model.binary_scores(samples))
        reach = np.sqrt(model.kernel_.diag(samples))[:, None]
        assert (apart <= lost.errors * reach + 1e-9).all()
    assert (lost.largest_difference <= 1.001 * lost.errors * reach.max() + 1e-9).all()
    assert (lost.errors < lost.norms).all()


def test_errors_are_those_of_the_kernels_norm():
    model = KernelSVC(gamma=0.05, C=10).fit(X[:200], Y[:200] > 4)
    small = compress(model, 20, X[:200])
    rows = np.vstack([model.support_vectors_, small.support_vectors_])
    signed = np.concatenate([model.dual_coef_[0], -small.dual_coef_[0]])
    K = naive.gram(lambda x, y: naive.gaussian(x, y, 0.05), rows, rows)
    wanted = np.sqrt(signed @ K @ signed)
    assert small.compression_.errors[0] == pytest.approx(wanted, rel=1e-9)


def test_more_vectors_and_moved_points_lose_less():
    model = KernelSVC(C=10, multiclass="ovr").fit(X, Y)
    apart = {
        key: np.abs(compress(model, *key[:1], X, passes=key[1]).binary_scores(TEST)
                    - model.binary_scores(TEST)).mean()
        for key in ((40, 0), (40, 4), (160, 0))
    }  # fmt: skip
    assert apart[40, 4] < 0.95 * apart[40, 0]
    assert apart[160, 0] < 0.6 * apart[40, 0]


def test_points_are_chosen_by_what_they_add():
    # two samples carry the function, the others are far away
    K = np.eye(6) + 0.5 * (np.arange(6)[:, None] // 2 == np.arange(6) // 2) * (
        1 - np.eye(6)
    )
    alpha = np.array([0, 3.0, 0, 0, -1.0, 0])
    chosen = choose_points(lambda j: K[j], np.diag(K), (K @ alpha)[:, None], 2)
    assert chosen.tolist() == [1, 4]
    everything = choose_points(lambda j: K[j], np.diag(K), (K @ alpha)[:, None], 6)
    assert everything[:2].tolist() == [1, 4]  # nothing is left to choose for
    # repeated samples are combinations of each other: none is chosen twice
    same = np.ones((4, 4))
    assert len(choose_points(lambda j: same[j], np.ones(4), np.ones((4, 1)), 3)) == 1


def test_points_move_towards_the_function():
    truth = np.array([[0.5, -0.5]])
    samples = np.random.default_rng(0).normal(size=(400, 2))
    target = Gaussian(0.5)(samples, truth)
    batches = [(samples, target, np.ones_like(target))] * 200
    start, weights = np.zeros((1, 2)), np.ones((1, 1))
    steps = {"pace": 0.05, "n_batches": 200}
    found, weight = learn_points(start, weights, 0.5, batches, **steps)
    np.testing.assert_allclose(found, truth, atol=0.02)
    np.testing.assert_allclose(weight, [[1.0]], atol=0.02)
    assert (start == 0).all()
    assert (weights == 1).all()


def test_normal_equations_that_rounding_made_indefinite():
    values = np.array([[1.0], [1.0]])
    normal = np.ones((2, 2)) - 1e-8 * np.eye(2)  # sums in float32 of a repeated point
    found = solve_weights(normal, values, np.ones((2, 2)), values, 0.0)
    np.testing.assert_allclose(normal @ found, values, atol=1e-3)


def test_it_can_be_saved_explained_and_exported(both, tmp_path):
    _, small = both
    save(small, tmp_path / "small.mercer")
    again = load(tmp_path / "small.mercer")
    assert (again.decision_function(TEST) == small.decision_function(TEST)).all()
    assert again.compression_.agreement == small.compression_.agreement
    why = support_vectors(small, TEST[:1])
    total = why.shares(0).sum(axis=0) + why.intercept
    np.testing.assert_allclose(total, why.scores[0], rtol=1e-9, atol=1e-9)
    pytest.importorskip("onnx")
    assert to_onnx(small).graph.output[0].name == "label"


def test_sparse_and_float32_samples():
    for to in (sparse.csr_array, np.float32):
        model = KernelSVC(C=10).fit(to(X), Y)
        small = compress(model, 100, to(X), passes=2)
        assert small.compression_.agreement > 0.98
        assert (small.predict(to(TEST)) == model.predict(to(TEST))).mean() > 0.95


def test_what_cannot_be_compressed_is_a_sentence():
    model = KernelSVC().fit(X, Y)
    with pytest.raises(ParameterError, match="nothing to compress"):
        compress(model, 1200, X)
    with pytest.raises(ParameterError, match="n_vectors is 0"):
        compress(model, 0, X)
    with pytest.raises(ParameterError, match="KernelKNN has no support vectors"):
        compress(KernelKNN().fit(X, Y), 10, X)
    K = X @ X.T
    with pytest.raises(ParameterError, match="support vectors are not known"):
        compress(KernelSVC(kernel="precomputed").fit(K, Y), 10, K)
    with pytest.raises(ParameterError, match="no norm"):
        compress(KernelPerceptron(Sigmoid(), random_state=0).fit(X, Y), 10, X)
    with pytest.raises(ParameterError, match="fit a machine, and compress that"):
        compress(model, 10, X).fit(X, Y)
