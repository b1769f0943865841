"""Exact Shapley values against the enumeration of all coalitions."""

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import naive
from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.calibration import CalibratedClassifier
from mercer.exceptions import MissingExtraError, ParameterError
from mercer.explain import _gaussian_values, shapley_values
from mercer.kernels import (
    Constant,
    Cosine,
    Exponential,
    Gaussian,
    Linear,
    Polynomial,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 6))
Y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.2])
BACKGROUND = X[10:15]
KERNELS = [
    Gaussian(0.2),
    Gaussian(3.0),
    2.0 * Gaussian(0.1) * Gaussian(0.3),
    Linear(),
    Polynomial(2, offset=1.0, scale=0.5),
    Polynomial(5, offset=0.3, scale=0.5),
    Linear() * Linear(),
    Polynomial(0),
    Linear() + 0.5 * Gaussian(0.1) + Constant(2.0),
]


def enumerated(model, samples, background):
    def scores(rows):
        return model.binary_scores(np.ascontiguousarray(rows))

    return np.stack([naive.shapley(scores, x, background) for x in samples])


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_equals_the_enumeration_of_all_coalitions(kernel, multiclass):
    model = KernelSVC(kernel=kernel, multiclass=multiclass, max_iter=2000)
    model.fit(X, Y)
    why = shapley_values(model, X[:3], BACKGROUND)
    expected = enumerated(model, X[:3], BACKGROUND)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(why.values, expected, rtol=0, atol=1e-13 * scale)
    total = why.base_values + why.values.sum(axis=1)
    np.testing.assert_allclose(total, why.scores, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("learner", [KernelPerceptron, KernelPegasos])
def test_online_learners_and_two_classes(learner):
    model = learner(gamma=0.3, random_state=0).fit(X, Y > 0)
    why = shapley_values(model, X[:2], BACKGROUND)
    assert why.outputs == ["True"]
    expected = enumerated(model, X[:2], BACKGROUND)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(why.values, expected, rtol=0, atol=1e-13 * scale)
    np.testing.assert_array_equal(why.for_class("True"), -why.for_class("False"))


def test_one_vs_one_tells_pairs_and_sums_them_for_a_class():
    model = KernelSVC().fit(X, Y)
    why = shapley_values(model, X[:2], BACKGROUND)
    assert why.outputs == ["0 against 1", "0 against 2", "1 against 2"]
    of_one = why.values[:, :, 2] - why.values[:, :, 0]
    np.testing.assert_allclose(why.for_class(1), of_one, atol=1e-15)
    with pytest.raises(ParameterError, match="no class 'x'; the model knows 0, 1, 2"):
        why.for_class("x")


@pytest.mark.parametrize("gamma", [0.002, 0.05, 1.0])
@pytest.mark.parametrize("d", [40, 300])
def test_fewer_nodes_lose_nothing(gamma, d, monkeypatch):
    rng = np.random.default_rng(d)
    samples, rows, vectors = (rng.normal(size=(n, d)) for n in (3, 5, 8))
    vectors[0], vectors[1] = samples[0], rows[0]  # kernel values of one
    values = np.zeros((2, 3, d, 1))
    given = samples, rows, vectors, np.ones((8, 1)), gamma
    _gaussian_values.add_gaussian(*given, values[0])
    # as many as the degree of the polynomial asks for
    exact = "node_counts", lambda most: np.array([most])
    monkeypatch.setattr(_gaussian_values, *exact)
    _gaussian_values.add_gaussian(*given, values[1])
    assert np.abs(values[1]).max() > 1e-3
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=2e-14)


def test_features_like_the_background_have_no_value():
    model = KernelSVC(gamma=0.2).fit(X, Y)
    sample, rows = X[:1].copy(), BACKGROUND.copy()
    rows[:, 2:] = sample[:, 2:]
    why = shapley_values(model, sample, rows)
    assert (why.values[:, 2:] == 0).all()
    expected = enumerated(model, sample, rows)
    np.testing.assert_allclose(why.values, expected, rtol=0, atol=1e-13)


def test_factors_that_underflow():
    model = KernelSVC(gamma=1e4).fit(X, Y)
    why = shapley_values(model, X[:2], BACKGROUND)

    def scores(rows):  # of differences: the kernel's own distances are rounded
        squares = ((rows[:, None] - model.support_vectors_) ** 2).sum(axis=2)
        return np.exp(-1e4 * squares) @ model.binary_coefficients()

    expected = np.stack([naive.shapley(scores, x, BACKGROUND) for x in X[:2]])
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(why.values, expected, rtol=0, atol=1e-13)


def test_sparse_and_float32_samples():
    model = KernelSVC(gamma=0.2, multiclass="ovr").fit(X, Y)
    wanted = shapley_values(model, X[:2], BACKGROUND).values
    for to in (sparse.csr_array, np.float32):
        other = KernelSVC(gamma=0.2, multiclass="ovr").fit(to(X), Y)
        found = shapley_values(other, to(X[:2]), to(BACKGROUND)).values
        np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_scalers_keep_features_apart_and_other_steps_are_refused():
    pipeline = make_pipeline(StandardScaler(), KernelSVC(multiclass="ovr")).fit(X, Y)
    why = shapley_values(pipeline, X[:2], BACKGROUND)
    expected = np.stack(
        [naive.shapley(pipeline.decision_function, x, BACKGROUND) for x in X[:2]]
    )
    np.testing.assert_allclose(why.values, expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(why.data, X[:2])
    mixed = make_pipeline(PCA(3), KernelSVC()).fit(X, Y)
    with pytest.raises(ParameterError, match="PCA mixes features"):
        shapley_values(mixed, X[:2], BACKGROUND)


def test_calibrated_models_are_explained_before_calibration():
    inner = KernelSVC(multiclass="ovr").fit(X, Y)
    model = CalibratedClassifier(inner, cv="prefit").fit(X, Y)
    found = shapley_values(model, X[:2], BACKGROUND).values
    np.testing.assert_array_equal(
        found, shapley_values(inner, X[:2], BACKGROUND).values
    )


@pytest.mark.parametrize(
    ("kernel", "named"),
    [
        (Cosine(), "Cosine"),
        (Exponential(0.2), "Exponential"),
        (Linear() * Gaussian(0.1), "this product"),
    ],
    ids=str,
)
def test_kernels_without_an_exact_way_are_refused(kernel, named):
    model = KernelSVC(kernel=kernel).fit(X, Y)
    with pytest.raises(ParameterError, match=f"No exact way .* for {named}"):
        shapley_values(model, X[:2], BACKGROUND)


def test_models_that_are_no_sums_over_support_vectors_are_refused():
    with pytest.raises(ParameterError, match="its kneighbors tells"):
        shapley_values(KernelKNN().fit(X, Y), X[:2], BACKGROUND)
    K = X @ X.T
    with pytest.raises(ParameterError, match="no features are known"):
        shapley_values(KernelSVC(kernel="precomputed").fit(K, Y), K[:2], K[:3])


@pytest.mark.filterwarnings("ignore")  # of shap, when it is imported
@pytest.mark.parametrize("labels", [Y, Y > 0], ids=["three classes", "two classes"])
def test_as_an_explanation_of_shap(labels):
    shap = pytest.importorskip("shap")
    model = KernelSVC(multiclass="ovr").fit(X, labels)
    why = shapley_values(model, X[:2], BACKGROUND)
    explanation = why.to_shap()
    assert isinstance(explanation, shap.Explanation)
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, model.decision_function(X[:2]), atol=1e-12)


def test_without_shap_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    why = shapley_values(KernelSVC().fit(X, Y), X[:1], BACKGROUND)
    with pytest.raises(MissingExtraError, match=r"mercer\[explain\]"):
        why.to_shap()
