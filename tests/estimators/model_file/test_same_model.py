"""The same model comes back from its file."""

import importlib

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from estimators.model_file.samples_and_answers import answers, make_data
from mercer import (
    KernelKNN,
    KernelPegasos,
    KernelPerceptron,
    KernelSVC,
    Winnow,
    load,
    save,
)
from mercer.calibration import CalibratedClassifier, ScoreCalibrator
from mercer.estimators.model_file import _types
from mercer.kernels import Constant, Cosine, Exponential, Gaussian, Linear, Polynomial

MODELS = {
    "perceptron": KernelPerceptron(random_state=0),
    "perceptron averaged ovo": KernelPerceptron(
        "poly", variant="averaged", multiclass="ovo", random_state=0
    ),
    "perceptron best": KernelPerceptron(
        "linear", variant="best", mistake="sign", random_state=0
    ),
    "perceptron exponential": KernelPerceptron(
        "exponential", random_state=np.random.RandomState(0)
    ),
    "pegasos": KernelPegasos(random_state=0, epochs=1),
    "pegasos averaged ovo": KernelPegasos(
        lam=0.01, average=True, multiclass="ovo", record=3, random_state=0
    ),
    "pegasos C": KernelPegasos(C=10.0, epochs=1, random_state=0),
    "svc": KernelSVC(C=2.0),
    "svc ovr": KernelSVC(
        C={"elm": 1.0, "oak": 2.0, "rose": 3.0},
        kernel="poly",
        multiclass="ovr",
        bias="regularized",
        class_weight={"elm": 2.0, "oak": 1.0, "rose": 1.0},
    ),
    "neighbours": KernelKNN(n_neighbors=3),
    "neighbours rbf": KernelKNN(n_neighbors=2, kernel="rbf"),
    "sum of kernels": KernelPerceptron(
        Gaussian(0.5) + 2.0 * Linear() * (Constant(1.0) + Cosine()), random_state=0
    ),
    "polynomial": KernelPegasos(Polynomial(2, 1.0, 0.1), epochs=1, random_state=0),
    "exponential": KernelKNN(kernel=Exponential(0.3)),
}


def round_trip(model, path):
    save(model, path)
    return load(path)


@pytest.mark.parametrize("sparse_", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MODELS)
def test_bit_identical_answers(name, dtype, sparse_, path):
    X, y = make_data(dtype, sparse_)
    model = MODELS[name].fit(X, y)
    before = answers(model, X)
    again = round_trip(model, path)
    assert answers(again, X) == before
    assert type(again) is type(model)
    assert repr(again.get_params()) == repr(model.get_params()) or "State" in repr(
        model
    )
    assert again.classes_.dtype == model.classes_.dtype


@pytest.mark.parametrize(
    "make", [KernelPerceptron, KernelPegasos, KernelKNN, KernelSVC]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bit_identical_answers_of_precomputed_kernels(make, dtype, path):
    X, y = make_data(dtype)
    K = X @ X.T
    model = make(kernel="precomputed").fit(K, y)
    assert answers(round_trip(model, path), K) == answers(model, K)


@pytest.mark.parametrize("balanced", [False, True])
def test_winnow(balanced, path):
    X, y = make_data()
    X = np.sign(X)
    model = Winnow(balanced=balanced, epochs=3, random_state=1).fit(X, y)
    again = round_trip(model, path)
    assert answers(again, X) == answers(model, X)
    again.partial_fit(X[:30], y[:30])
    model.partial_fit(X[:30], y[:30])
    assert again.coef_.tobytes() == model.coef_.tobytes()


@pytest.mark.parametrize("sparse_", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize(
    "name",
    [n for n in MODELS if hasattr(MODELS[n], "partial_fit") and n != "pegasos C"],
)
def test_learning_goes_on_as_if_nothing_had_happened(name, sparse_, path):
    X, y = make_data(sparse_=sparse_)
    model = MODELS[name].fit(X[:60], y[:60])
    for _ in range(2):  # a second file holds what partial_fit left behind
        again = round_trip(model, path)
        for piece in (slice(60, 75), slice(75, 90)):
            again.partial_fit(X[piece], y[piece])
            model.partial_fit(X[piece], y[piece])
        assert again.dual_coef_.tobytes() == model.dual_coef_.tobytes()
        assert again.support_.tobytes() == model.support_.tobytes()
        assert answers(again, X) == answers(model, X)


def test_new_classes_are_taken_after_loading(path):
    X, y = make_data()
    known = y != "elm"
    model = KernelPerceptron().partial_fit(X[known][:20], y[known][:20])
    again = round_trip(model, path)
    for one in (model, again):
        one.partial_fit(X, y)
    assert again.classes_.tolist() == ["elm", "oak", "rose"]
    assert again.dual_coef_.tobytes() == model.dual_coef_.tobytes()


def test_a_random_state_goes_on_where_it_was(path):
    X, y = make_data()
    random = np.random.RandomState(7)
    model = KernelPerceptron(random_state=random).fit(X, y)
    again = round_trip(model, path)
    assert again.random_state.randint(1 << 30) == random.randint(1 << 30)


def test_data_frames_and_labels_of_objects(path):
    import pandas

    X, y = make_data()
    frame = pandas.DataFrame(X, columns=list("abcdefg"))
    labels = pandas.Series(y.astype(object))
    model = KernelPegasos(random_state=0, epochs=1).fit(frame, labels)
    again = round_trip(model, path)
    assert again.feature_names_in_.tolist() == list("abcdefg")
    assert again.predict(frame).tolist() == model.predict(frame).tolist()


def test_the_neighbours_that_are_remembered_stay_behind(path):
    X, y = make_data(n=900)
    model = KernelKNN(n_neighbors=50).fit(X, y)
    save(model, path)
    size = path.stat().st_size
    model.predict(np.tile(X, (20, 1)))
    save(model, path)
    assert abs(path.stat().st_size - size) < 100
    assert load(path)._memory.kept[1].size == 0


#: test_scikit_learn_parts.py gives these what they need
NEEDY = {"ColumnTransformer", "CountVectorizer", "TfidfVectorizer"}


@pytest.mark.parametrize(
    "name", sorted(t for t in _types.TRANSFORMERS if t.rpartition(".")[2] not in NEEDY)
)
def test_pipelines_that_end_in_mercer(name, path):
    X, y = make_data()
    module, _, kind = name.rpartition(".")
    transformer = getattr(importlib.import_module(module), kind)()
    if hasattr(transformer, "n_quantiles"):
        transformer.set_params(n_quantiles=10)
    model = make_pipeline(MinMaxScaler(), transformer, KernelPegasos(random_state=0))
    model.fit(X, y)
    assert answers(round_trip(model, path), X) == answers(model, X)


def test_calibrated_models(path):
    X, y = make_data(words=False)
    model = CalibratedClassifier(KernelPerceptron(random_state=0), cv=3).fit(X, y)
    assert answers(round_trip(model, path), X) == answers(model, X)
    two = y < 2
    model = CalibratedClassifier(KernelPerceptron(random_state=0), cv=3)
    model.fit(X[two], y[two])
    assert answers(round_trip(model, path), X) == answers(model, X)
    scores = model.estimator_.decision_function(X[two])
    for method in ("logistic", "pav"):
        calibrator = ScoreCalibrator(method).fit(scores, y[two])
        assert answers(round_trip(calibrator, path), scores) == answers(
            calibrator, scores
        )


def test_callbacks_belong_to_the_session(path):
    callback = pytest.importorskip("sklearn.callback")
    X, y = make_data()
    bar = callback.ScoringMonitor(scoring="accuracy")
    model = KernelPerceptron(random_state=0).fit(X, y).set_callbacks(bar)
    assert answers(round_trip(model, path), X) == answers(model, X)
    assert model._skl_callbacks == [bar]
    assert not hasattr(load(path), "_skl_callbacks")
