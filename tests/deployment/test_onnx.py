"""ONNX models say what the models say that they were written of."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import mercer
from mercer import (
    KernelKNN,
    KernelPegasos,
    KernelPerceptron,
    KernelSVC,
    Winnow,
    to_onnx,
)
from mercer.calibration import CalibratedClassifier
from mercer.estimators import MachinesPerClass
from mercer.evaluation import remember_training
from mercer.exceptions import MissingExtraError, ParameterError
from mercer.kernels import (
    Constant,
    Cosine,
    Exponential,
    Gaussian,
    Linear,
    Polynomial,
    Sigmoid,
)
from mercer.preparation import prepare

onnxruntime = pytest.importorskip("onnxruntime")
DIGITS = mercer.load_dataset("digits")
TRAIN, TEST = slice(0, 300), slice(300, 900)
X, Y = DIGITS.X / 16, DIGITS.y
NAMES = np.array(["zero", "one", "two", "three", "four", "five", "six"])
TWO = Y % 2 == 1
TYPES = [np.float64, np.float32]


def run(model, samples, dtype=np.float64):
    content = to_onnx(model, dtype).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": samples.astype(dtype)})))


def assert_same(model, samples, dtype=np.float64):
    said = run(model, samples, dtype)
    rtol = 1e-11 if dtype == np.float64 else 1e-5
    methods = {"scores": "decision_function", "probabilities": "predict_proba"}
    for name, method in methods.items():
        assert (name in said) == hasattr(model, method)
        if name in said:
            wanted = getattr(model, method)(samples)
            assert said[name].shape == wanted.shape
            atol = rtol * np.abs(wanted).max()
            np.testing.assert_allclose(said[name], wanted, rtol=0, atol=atol)
    assert said["label"].tolist() == model.predict(samples).tolist()


MODELS = {
    "svc, pairs": KernelSVC(C=10),
    "svc, pairs in scores": KernelSVC(decision_function_shape="ovo"),
    "svc, ties by scores": KernelSVC(break_ties=True),
    "svc, classes": KernelSVC(multiclass="ovr", bias="regularized"),
    "perceptron": KernelPerceptron("poly", random_state=0),
    "averaged": KernelPerceptron(variant="averaged", multiclass="ovo", random_state=0),
    "pegasos": KernelPegasos(random_state=0),
    "knn": KernelKNN(5),
    "knn by distance": KernelKNN(4, "rbf"),
    "knn by values": KernelKNN(3, Polynomial(2, 1.0)),
    "calibrated": CalibratedClassifier(KernelSVC(), cv=3, random_state=0),
    "calibrated knn": CalibratedClassifier(KernelKNN(9), cv=3, random_state=0),
    "costs": CalibratedClassifier(
        KernelSVC(),
        cost_matrix=np.arange(100).reshape(10, 10) % 7 + 1 - 99 * np.eye(10) + 99,
        cv=3,
        random_state=0,
    ),
    "scaled": make_pipeline(StandardScaler(), KernelSVC()),
    "scaled knn": make_pipeline(MinMaxScaler(), KernelKNN(3)),
    "scaled, calibrated": make_pipeline(
        StandardScaler(), CalibratedClassifier(KernelSVC(), cv=3, random_state=0)
    ),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", MODELS)
def test_ten_digits(name, dtype):
    model = MODELS[name].fit(X[TRAIN], Y[TRAIN])
    assert_same(model, X[TEST], dtype)


@pytest.mark.parametrize("method", ["logistic", "pav"])
@pytest.mark.parametrize("costs", [None, [[0, 1], [5, 0]]])
@pytest.mark.parametrize("inner", [KernelSVC(C=0.1), KernelKNN(7)], ids=["svc", "knn"])
def test_two_classes_calibrated(inner, costs, method):
    model = CalibratedClassifier(
        inner, method=method, cost_matrix=costs, prior=0.3, cv=3, random_state=0
    )
    assert_same(model.fit(X[TRAIN], TWO[TRAIN]), X[TEST])


@pytest.mark.parametrize(
    "kernel",
    [
        Linear(),
        Polynomial(3, offset=1.0, scale=0.1),
        Cosine(),
        Sigmoid(),
        Gaussian(0.1),
        Exponential(0.5),
        Constant(2.0),
        Linear() + 0.5 * Gaussian(0.1) * Cosine() + 1.0,
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_kernel(kernel):
    model = KernelSVC(kernel=kernel, multiclass="ovr", max_iter=3000)
    assert_same(model.fit(X[TRAIN], Y[TRAIN]), X[TEST], np.float64)


@pytest.mark.parametrize(
    "labels", [TWO, NAMES[Y % 7], Y * 2.0], ids=["truth values", "words", "numbers"]
)
def test_labels_keep_their_type(labels):
    assert_same(KernelSVC().fit(X[TRAIN], labels[TRAIN]), X[TEST])


def test_words_as_labels_of_a_pipeline():
    model = make_pipeline(StandardScaler(), KernelSVC())
    assert_same(model.fit(X[TRAIN], NAMES[Y % 7][TRAIN]), X[TEST])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_words_as_features_are_columns_of_their_own(dtype):
    runtime = pytest.importorskip("onnxruntime")
    random = np.random.default_rng(0)
    table = np.empty((90, 3), object)
    table[:, 0] = random.normal(size=90) * 50
    table[:, 1] = random.choice(["red", "green", "blue"], 90)
    table[:, 2] = random.normal(size=90)
    labels = np.where(table[:, 1] == "red", table[:, 2] > 0, table[:, 0] > 0)
    model = prepare(table, categorical=[1]).before(KernelSVC(C=10))
    model.fit(table[:60], labels[:60])
    new = table[60:].copy()
    new[:5, 1] = "grey"  # never seen: none of its categories
    remember_training(model, table, np.arange(60), ["size (cm)", "colour", "x"])
    session = runtime.InferenceSession(to_onnx(model, dtype).SerializeToString())
    assert [one.name for one in session.get_inputs()] == ["size__cm_", "colour", "x"]
    columns = {
        "size__cm_": new[:, :1].astype(dtype),
        "colour": new[:, 1:2],
        "x": new[:, 2:].astype(dtype),
    }
    label, scores = session.run(None, columns)
    assert (label == model.predict(new)).all()
    np.testing.assert_allclose(scores.ravel(), model.decision_function(new), 1e-4, 1e-5)


def test_votes_that_are_equal_go_to_the_first_class():
    rng = np.random.default_rng(0)
    model = KernelSVC(gamma=1.0).fit(rng.normal(size=(60, 2)), np.arange(60) % 3)
    samples = rng.normal(size=(2000, 2))
    votes = model.reduction_.votes(model.binary_scores(samples))
    assert (votes == 1).all(axis=1).any()
    assert_same(model, samples)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_scores_that_are_equal_but_for_rounding(multiclass):
    # the same whole-number samples in several classes
    samples = np.tile(np.random.default_rng(0).integers(-3, 4, (12, 3)), (3, 1)) / 7
    model = KernelPerceptron("poly", multiclass=multiclass, shuffle=False)
    assert_same(model.fit(samples, np.arange(36) % 5 % 3), samples)


def test_winnow_and_machines_per_class():
    bits = np.sign(X - 0.4)
    bits[bits == 0] = 1
    for labels in (Y, TWO):
        assert_same(Winnow(balanced=True).fit(bits[TRAIN], labels[TRAIN]), bits[TEST])
        assert_same(Winnow().fit(bits[TRAIN], labels[TRAIN]), bits[TEST])
    each = [{"gamma": 0.02 * (i + 1)} for i in range(10)]
    model = MachinesPerClass(KernelPerceptron(random_state=0), each)
    assert_same(model.fit(X[TRAIN], Y[TRAIN]), X[TEST])


def test_precomputed_and_sparse():
    kernel = Gaussian(0.1)
    K, new = kernel(X[TRAIN]), kernel(X[TEST], X[TRAIN])
    assert_same(KernelSVC(kernel="precomputed").fit(K, Y[TRAIN]), new)
    assert_same(KernelKNN(3, "precomputed").fit(K, Y[TRAIN]), new)
    model = KernelSVC(kernel=kernel).fit(sparse.csr_array(X[TRAIN]), Y[TRAIN])
    assert run(model, X[TEST])["label"].tolist() == model.predict(X[TEST]).tolist()


def test_images_of_mnist():
    data = mercer.load_dataset("mnist5k")
    pixels = (data.X / data.X.max()).astype(np.float32)
    model = KernelSVC(C=10, gamma=0.02).fit(pixels[::2], data.y[::2])
    for dtype in TYPES:
        said = run(model, pixels[1::2], dtype)
        assert (said["label"] == model.predict(pixels[1::2])).all()
        wanted = model.decision_function(pixels[1::2])
        assert np.abs(said["scores"] - wanted).max() < 1e-5 * np.abs(wanted).max()


@dataclass(frozen=True)
class Doubled(Linear):
    def combine(self, tiles):
        return 2 * super().combine(tiles)


def test_what_cannot_be_written_is_a_sentence(monkeypatch):
    model = KernelSVC(kernel=Doubled()).fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(ParameterError, match=r"Doubled\(\) has no formula in ONNX"):
        to_onnx(model)
    with pytest.raises(ParameterError, match="float16; ONNX is written in float32"):
        to_onnx(model, np.float16)
    other = LogisticRegression(max_iter=1000).fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(ParameterError, match="LogisticRegression cannot be written"):
        to_onnx(other)
    function = KernelSVC(kernel=lambda a, b: a @ b.T).fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(ParameterError, match="a function of Python"):
        to_onnx(function)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"mercer\[onnx\]"):
        to_onnx(model)
