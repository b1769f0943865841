"""Models as files: the same model comes back, and nothing else gets in."""

import contextlib
import importlib
import io
import json
import os
import pickle
import stat
import subprocess
import sys
import time
import tracemalloc
import zipfile

import h5py
import joblib
import numpy as np
import pytest
import skops.io
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

import mercer
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
from mercer.estimators import model_file
from mercer.estimators.model_file import _container, _types
from mercer.exceptions import ModelFileError
from mercer.kernels import (
    Constant,
    Cosine,
    Exponential,
    Gaussian,
    Linear,
    Polynomial,
)

HEADER = _container.HEADER_SIZE

MODELS = {
    "perceptron": KernelPerceptron(random_state=0),
    "perceptron averaged ovo": KernelPerceptron(
        "poly", variant="averaged", multiclass="ovo", random_state=0
    ),
    "perceptron best": KernelPerceptron(
        "linear", variant="best", mistake="sign", random_state=0
    ),
    "perceptron laplacian": KernelPerceptron(
        "laplacian", random_state=np.random.RandomState(0)
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


def round_trip(model, path):
    save(model, path)
    return load(path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.mercer"


@pytest.fixture(scope="module")
def model():
    X, y = make_data()
    return KernelPerceptron(kernel=Gaussian(0.2), random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def good(model, tmp_path_factory):
    """The bytes of a good file."""
    path = tmp_path_factory.mktemp("good") / "model.mercer"
    save(model, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def sparse_good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "model.mercer"
    X, y = make_data(sparse_=True)
    save(KernelKNN(kernel=Linear() + Gaussian(0.1)).fit(X, y), path)
    return path.read_bytes()


# ---------------------------------------------------------------- the same model


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
    assert load(path)._memory.keys.size == 0


@pytest.mark.parametrize("name", sorted(_types._TRANSFORMERS))
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


def test_every_public_class_can_be_saved():
    public = {
        f"{cls.__module__}.{cls.__name__}"
        for package in (mercer.estimators, mercer.calibration)
        for cls in map(vars(package).get, package.__all__)
        if isinstance(cls, type) and issubclass(cls, BaseEstimator)
    }
    assert public <= _types.MODELS, "a class that _types.py does not know yet"


def test_every_type_on_the_list_exists():
    for name in _types.LOADERS["ObjectNode"]:
        module, _, kind = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), kind), type), name


# ---------------------------------------------------------------- what save refuses


def test_an_unfitted_model_is_not_saved(path):
    with pytest.raises(
        ModelFileError, match="KernelKNN is not fitted; call fit before"
    ):
        save(KernelKNN(), path)
    assert not path.exists()


def test_foreign_objects_are_not_saved(path):
    X, y = make_data()
    with pytest.raises(ModelFileError, match=r"A builtins.dict cannot be saved"):
        save({}, path)
    with pytest.raises(ModelFileError, match="LogisticRegression cannot be saved"):
        save(LogisticRegression().fit(X, y), path)
    with pytest.raises(
        ModelFileError, match=r"pipeline ends in a .*LogisticRegression"
    ):
        save(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), path)
    search = GridSearchCV(KernelKNN(), {"n_neighbors": [1, 2]}, cv=2).fit(X, y)
    with pytest.raises(ModelFileError, match="save its best_estimator_"):
        save(search, path)
    assert not path.exists()


class MyPerceptron(KernelPerceptron):
    def predict(self, X):
        raise AssertionError


def test_a_foreign_part_is_named(path):
    X, y = make_data()
    model = make_pipeline(FunctionTransformer(np.abs), KernelKNN()).fit(X, y)
    with pytest.raises(ModelFileError, match=r"cannot be saved: .*numpy.*absolute"):
        save(model, path)
    with pytest.raises(ModelFileError, match="MyPerceptron cannot be saved"):
        save(MyPerceptron().fit(X, y), path)
    odd = KernelKNN().fit(X, y)
    odd.note = open  # a function
    with pytest.raises(ModelFileError, match=r"cannot be saved: it holds a "):
        save(odd, path)
    assert not path.exists()


def test_the_file_follows_the_umask_and_replaces_what_was_there(model, path):
    before = os.umask(0o027)
    try:
        save(model, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = path.with_name("link.mercer")
    link.symlink_to(path.name)
    save(model, link)
    assert link.is_symlink()
    assert sorted(p.name for p in path.parent.iterdir()) == [link.name, path.name]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()]
)
def test_an_interrupted_save_leaves_what_was_there(model, path, monkeypatch, error):
    path.write_bytes(b"before")

    def stop(handle):
        raise error

    monkeypatch.setattr(os, "fsync", stop)
    expected = ModelFileError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        save(model, path)
    assert path.read_bytes() == b"before"
    assert os.listdir(path.parent) == [path.name]


def test_places_where_nothing_can_be_written(model, tmp_path):
    with pytest.raises(ModelFileError, match=r"could not be written .Is a directory"):
        save(model, tmp_path)
    with pytest.raises(ModelFileError, match=r"could not be written .No such file"):
        save(model, tmp_path / "none" / "model.mercer")


# ---------------------------------------------------------------- what load refuses


def refused(path, content, match):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


class Touch:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return os.system, (f"touch {self.trace}",)


@pytest.fixture
def trace(tmp_path):
    trace = tmp_path / "trace"
    yield trace
    assert not trace.exists(), "code from the file was executed"


def test_pickles_are_not_opened(path, trace):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        refused(path, pickle.dumps(Touch(trace), protocol), "this is a pickle")
    refused(path, pickle.dumps(Touch(trace), 0), "not a Mercer model file")
    joblib.dump(Touch(trace), path)
    refused(path, path.read_bytes(), "this is a pickle .or joblib. file")
    joblib.dump(Touch(trace), path, compress=3)
    refused(path, path.read_bytes(), "not a Mercer model file")
    refused(path, _container.pack(pickle.dumps(Touch(trace))), "does not fit together")


def test_other_files(path, tmp_path, good, model):
    refused(path, b"", "the file is empty")
    refused(path, b"hello\n", "not a Mercer model file")
    refused(path, b"sepal,petal\n1,2\n" * 99, "not a Mercer model file")
    refused(path, skops.io.dumps(model), "this is a zip archive")
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5)
    refused(path, path.read_bytes(), "this is an HDF5 file")
    with pytest.raises(ModelFileError, match="this is a folder"):
        load(tmp_path)
    with pytest.raises(ModelFileError, match="there is no such file"):
        load(tmp_path / "none.mercer")
    with pytest.raises(ModelFileError, match="cannot be the name of a file"):
        load("zero\0byte")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="not a regular file"):
        load(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_must_not_be_read(path, good):
    path.write_bytes(good)
    path.chmod(0)
    with pytest.raises(ModelFileError, match=r"cannot be read .Permission denied"):
        load(path)


def test_newer_and_impossible_formats(path, good):
    payload = good[HEADER:]
    newer = _container.pack(payload, version="9.1.0", format=2)
    refused(path, newer, r"by a newer Mercer \(9.1.0, model format 2\).*upgrade Mercer")
    refused(path, _container.pack(payload, format=0), "format 0 does not exist")
    odd = _container.pack(payload, version="\x1b[31m\n", format=2)
    assert "\x1b" not in refused(path, odd, "newer")


def test_cut_off_anywhere(path, good):
    cuts = [*range(HEADER + 2), *range(HEADER + 2, len(good), len(good) // 60)]
    for cut in cuts:
        refused(path, good[:cut], "empty|ends within its header|cut off|not a Mercer")
    refused(path, good + b"\0", "followed by other bytes")


def test_one_bit_anywhere(path, good):
    places = [*range(HEADER), *range(HEADER, len(good), len(good) // 200)]
    for place in places:
        bad = bytearray(good)
        bad[place] ^= 1 << place % 8
        refused(path, bytes(bad), "checksum|not a Mercer|newer|not exist|cut|followed")


def test_a_length_that_is_not_there_takes_no_memory(path, good):
    start = _container._FIELDS.pack(_container.MAGIC, 1, b"0.1.0", 2**50)
    tracemalloc.start()
    refused(path, start + good[40:], "cut off")
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_the_memory_budget_is_kept(path, good, monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "2KB")
    refused(path, good, "memory budget is 2 KB; raise it with MERCER_MEMORY_BUDGET")


# ------------------------------------------- hostile payloads with right checksums


def entries_of(content):
    with zipfile.ZipFile(io.BytesIO(content[HEADER:])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return _container.pack(buffer.getvalue())


def forge(content, change):
    """The same file with a changed schema and a right checksum."""
    entries = entries_of(content)
    schema = json.loads(entries["schema.json"])
    changed = change(schema)
    entries["schema.json"] = json.dumps(schema if changed is None else changed)
    return packed(entries)


def node(loader, module, kind, number=10**6, **rest):
    return {
        "__class__": kind,
        "__module__": module,
        "__loader__": loader,
        "__id__": number,
        **rest,
    }


def json_node(value, number=10**6 + 1):
    return node("JsonNode", "builtins", "str", number, content=json.dumps(value))


def attributes(schema):
    return schema["content"]["content"]


def set_attribute(schema, name, value):
    schema["content"]["content"][name] = value
    types = schema["content"]["key_types"]["content"]
    if len(types) < len(schema["content"]["content"]):
        types.append(node("TypeNode", "builtins", "str", types[0]["__id__"]))


def test_a_forged_file_that_changes_nothing_loads(path, good, model):
    path.write_bytes(forge(good, lambda schema: None))
    X, _ = make_data()
    assert answers(load(path), X) == answers(model, X)


def hostile_nodes(trace):
    command = node(
        "TupleNode",
        "builtins",
        "tuple",
        10**6 + 2,
        content=[json_node(f"touch {trace}")],
    )
    function = node("FunctionNode", "posix", "system", 10**6 + 3)
    empty = node("TupleNode", "builtins", "tuple", 10**6 + 4, content=[])
    keys = node("ListNode", "builtins", "list", 10**6 + 5, content=[])
    nothing = node(
        "DictNode", "builtins", "dict", 10**6 + 6, content={}, key_types=keys
    )
    return {
        "function": node("FunctionNode", "os", "system"),
        "ufunc": node("FunctionNode", "numpy", "add"),
        "old function": node(
            "FunctionNode",
            "numpy",
            "add",
            content={"module_path": "os", "function": "system"},
        ),
        "type": node("TypeNode", "os", "system"),
        "builtin": node("TypeNode", "builtins", "eval"),
        "object": node("ObjectNode", "os", "system", content=command),
        "constructor": node(
            "ConstructorFromReduceNode", "os", "system", content=command
        ),
        "popen": node(
            "ConstructorFromReduceNode", "subprocess", "Popen", content=command
        ),
        "kernel constructor": node(
            "ConstructorFromReduceNode",
            "mercer.kernels._distance",
            "Gaussian",
            content=empty,
        ),
        "list": node("ListNode", "os", "system", content=[json_node("touch")]),
        "list of kernel": node(
            "ListNode", "mercer.kernels._distance", "Gaussian", content=[]
        ),
        "tuple": node("TupleNode", "collections", "namedtuple", content=[]),
        "set": node("SetNode", "builtins", "eval", content=[]),
        "dict": node("DictNode", "os", "system", content={}, key_types=keys),
        "default": node(
            "DefaultDictNode",
            "collections",
            "defaultdict",
            content={"main": nothing, "default_factory": function},
        ),
        "partial": node(
            "PartialNode",
            "functools",
            "partial",
            content={
                "func": function,
                "args": command,
                "kwds": nothing,
                "namespace": nothing,
            },
        ),
        "operator": node("OperatorFuncNode", "operator", "methodcaller", attrs=command),
        "method": node(
            "MethodNode",
            "mercer.kernels._distance",
            "Gaussian",
            content={"func": "__call__", "obj": json_node(1)},
        ),
        "reduce": node(
            "LossNode", "os", "system", __reduce__={"args": command}, content=nothing
        ),
        "tree": node(
            "TreeNode",
            "sklearn.tree._tree",
            "Tree",
            __reduce__={"args": command},
            content=nothing,
        ),
        "generator": node(
            "RandomGeneratorNode",
            "numpy.random._generator",
            "Generator",
            content={"bit_generator": nothing, "seed_seq": nothing},
        ),
        "dtype": node("DTypeNode", "numpy", "load", content=json_node(1)),
        "bytes": node("BytesNode", "builtins", "bytes", file="schema.json"),
        "masked": node(
            "MaskedArrayNode",
            "numpy.ma",
            "MaskedArray",
            content={"data": nothing, "mask": nothing},
        ),
        "foreign class": node(
            "ObjectNode", "test_model_file", "Hostile", content=nothing
        ),
        "scikit-learn": node(
            "ObjectNode",
            "sklearn.preprocessing._function_transformer",
            "FunctionTransformer",
            content=nothing,
        ),
        "dotted": node("ObjectNode", "mercer.kernels", "_distance.Gaussian"),
        "no class": node("ObjectNode", None, None),
        "unknown loader": node("EvilNode", "builtins", "str"),
        "loader of no text": node(["ListNode"], "builtins", "list"),
        "cached": node("CachedNode", "builtins", "str"),
    }


class Hostile:
    """Must never be made: says so when it is."""

    def __new__(cls, *args):
        raise AssertionError("executed")

    def __setstate__(self, state):
        raise AssertionError("executed")


@pytest.mark.parametrize("name", hostile_nodes("x"))
def test_hostile_nodes_anywhere(name, path, good, trace, monkeypatch):
    """As the whole, as an attribute, in a list; and skops is not even asked."""
    hostile = hostile_nodes(trace)[name]
    monkeypatch.setattr(skops.io, "loads", lambda *a, **k: pytest.fail("opened"))
    match = "not one of the types|does not fit together|not a model"
    for protocol in (0, 1, 2):

        def whole(schema, protocol=protocol):
            return {**hostile, "protocol": protocol}

        def attribute(schema, protocol=protocol):
            schema["protocol"] = protocol
            set_attribute(schema, "gamma", hostile)

        def item(schema, protocol=protocol):
            schema["protocol"] = protocol
            attributes(schema)["_updates"]["content"].append(hostile)

        def hidden(schema, protocol=protocol):
            schema["extra"] = {"deep": [hostile]}

        for change in (whole, attribute, item, hidden):
            refused(path, forge(good, change), match)


def test_a_skops_file_with_a_foreign_class(path, trace):
    class Local:
        def __init__(self):
            self.a = 1

    payload = skops.io.dumps([Local(), os.system])
    refused(path, _container.pack(payload), "not one of the types")
    refused(path, payload, "this is a zip archive")


@pytest.mark.parametrize("kind", ["list", "str", "dict"])
def test_a_payload_that_holds_no_model(path, kind):
    payload = skops.io.dumps({"list": [1], "str": "a", "dict": {"a": 1}}[kind])
    refused(path, _container.pack(payload), "which is not a model|does not say what")
    refused(path, packed({"schema.json": "[1]"}), "does not say what it holds")
    refused(path, packed({"schema.json": "{"}), "does not fit together")
    refused(path, packed({"schema.json": b"\xff"}), "does not fit together")
    refused(path, packed({}), "does not say what it holds")


def test_foreign_models_in_the_right_clothes(path):
    X, y = make_data()
    for model in (
        LogisticRegression().fit(X, y),
        make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y),
        StandardScaler().fit(X),
    ):
        payload = skops.io.dumps(model)
        refused(path, _container.pack(payload), "not one of the types|not a model")
    payload = skops.io.dumps(make_pipeline(KernelKNN(), StandardScaler()))
    refused(path, _container.pack(payload), "does not end in a classifier of Mercer")
    pipe = make_pipeline(StandardScaler(), KernelKNN(), memory="/tmp/cache").fit(X, y)
    refused(path, _container.pack(skops.io.dumps(pipe)), "cache folder of its own")
    refused(path, _container.pack(skops.io.dumps(KernelKNN())), "not.*fit|does not fit")


def test_zip_bombs(path, good):
    zeros = bytes(200 * 2**20)
    array = io.BytesIO()
    np.save(array, np.zeros(2**20))
    entries = entries_of(good)
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        bomb = packed(
            {**entries, "1.npy": zeros[: 10**7]}, compression=method, compresslevel=9
        )
        assert len(bomb) < 10**6
        refused(path, bomb, "could be a zip bomb and was not unpacked")
    bomb = packed({"schema.json": zeros}, compression=zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    start = time.perf_counter()
    refused(path, bomb, "could be a zip bomb")
    assert time.perf_counter() - start < 1
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def test_entries_that_overlap(path, good):
    """Every entry is the same megabyte: a bomb without compression."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("1.npy", bytes(10**6))
        first = archive.infolist()[0]
        for number in range(2, 500):
            info = zipfile.ZipInfo(f"{number}.npy")
            info.header_offset = first.header_offset
            info.CRC, info.file_size = first.CRC, first.file_size
            info.compress_size = first.compress_size
            archive.filelist.append(info)
            archive.NameToInfo[info.filename] = info
    refused(path, _container.pack(buffer.getvalue()), "overlap|does not fit together")


def test_a_bomb_within_a_sparse_matrix(path, sparse_good):
    entries = entries_of(sparse_good)
    name = next(name for name in entries if name.endswith(".npz"))
    X, _ = make_data(sparse_=True)
    buffer = io.BytesIO()
    sparse.save_npz(buffer, X, compressed=True)
    refused(path, packed({**entries, name: buffer.getvalue()}), "could be a zip bomb")
    sparse.save_npz(path, X.tocsc(), compressed=False)
    content = path.with_name(path.name + ".npz").read_bytes()
    refused(path, packed({**entries, name: content}), "not in CSR form")
    refused(path, packed({**entries, name: b"PK"}), "does not fit together")


@pytest.mark.parametrize(
    "name", ["../../evil.npy", "/etc/x.npy", "a/b.npy", "evil.py", "1.npy/", "\x1b[2J"]
)
def test_entries_with_odd_names(path, good, name):
    text = refused(path, packed({**entries_of(good), name: b"x"}), "it has an entry")
    assert "\x1b" not in text


def test_entries_twice_and_entries_that_nobody_speaks_of(path, good):
    entries = entries_of(good)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("schema.json", entries["schema.json"])
    refused(path, _container.pack(buffer.getvalue()), "same name|overlap|fit together")
    refused(path, packed({**entries, "7.npy": b"x"}), "not those that it speaks of")
    one = next(name for name in entries if name.endswith(".npy"))
    missing = {name: c for name, c in entries.items() if name != one}
    refused(path, packed(missing), "not those that it speaks of")


def test_arrays_that_lie_about_their_size(path, good):
    entries = entries_of(good)
    name = next(
        n for n, c in entries.items() if b"'shape': (63, 7)" in c or b", 7)" in c
    )
    content = entries[name]
    digits = content[content.index(b"(") : content.index(b")") + 1]
    huge = b"(9999999999999, 7)"
    longer = content.replace(
        digits + b", }" + b" " * (len(huge) - len(digits)), huge + b", }"
    )
    assert longer != content
    refused(path, packed({**entries, name: longer}), "is not what its shape needs")
    objects = io.BytesIO()
    np.save(objects, np.array([{}, Touch("x")]), allow_pickle=True)
    refused(
        path, packed({**entries, name: objects.getvalue()}), "of a kind no model has"
    )
    records = io.BytesIO()
    np.save(records, np.zeros(3, "i4,f8"))
    refused(
        path, packed({**entries, name: records.getvalue()}), "of a kind no model has"
    )


def test_one_array_for_many_objects(path, good):
    def share(schema):
        array = attributes(schema)["classes_"]
        content = [{**array, "__id__": 10**6 + i} for i in range(1000)]
        set_attribute(
            schema, "gamma", node("ListNode", "builtins", "list", content=content)
        )

    refused(path, forge(good, share), r"several objects in it share \d+\.npy")


def test_objects_that_contain_themselves(path, good):
    def inside(schema):
        attributes(schema)["_updates"]["content"].append(
            {**attributes(schema)["_updates"], "content": []}
        )

    refused(path, forge(good, inside), "contradicts itself")


def test_a_billion_laughs(path, good):
    """Each list holds the one before it twice, by its number alone."""

    def laughs(schema):
        lists = [node("ListNode", "builtins", "list", 10**6, content=[])]
        for level in range(1, 60):
            short = node("ListNode", "builtins", "list", 10**6 + level - 1, content=[])
            lists.append(
                node("ListNode", "builtins", "list", 10**6 + level, content=[short] * 2)
            )
        attributes(schema)["_updates"]["content"].extend(lists)

    start = time.perf_counter()
    refused(path, forge(good, laughs), "contradicts itself")
    assert time.perf_counter() - start < 1


def test_deep_nesting(path, good):
    def deep(schema):
        inner = json_node(1)
        for level in range(300):
            inner = node("ListNode", "builtins", "list", 10**7 + level, content=[inner])
        set_attribute(schema, "gamma", inner)

    refused(path, forge(good, deep), "nested too deeply")
    entries = entries_of(good)
    entries["schema.json"] = "[" * 10**5
    refused(path, packed(entries), "does not fit together")


def test_a_schema_larger_than_any_model_has(path, good, monkeypatch):
    entries = entries_of(good)
    entries["schema.json"] = b"[" + b"[],[]," * 6 * 10**6 + b"[]]"
    start = time.perf_counter()
    refused(path, packed(entries), "describes its objects in")
    assert time.perf_counter() - start < 2


def test_keys_that_would_be_called(path, good):
    def call(schema):
        schema["content"]["key_types"]["content"][0] = json_node("x")

    refused(path, forge(good, call), "keys of no type")

    def kernel(schema):
        types = schema["content"]["key_types"]
        types["content"][0] = attributes(schema)["kernel"]

    refused(path, forge(good, kernel), "keys of no type")


def test_attributes_that_stand_in_for_methods(path, good):
    for name in ("predict", "_validate_new", "__class__", "fit", "__reduce__"):
        refused(
            path,
            forge(
                good,
                lambda schema, name=name: set_attribute(schema, name, json_node(1)),
            ),
            "has an attribute|does not fit together",
        )


def resaved(model, **changes):
    """A file as a forger makes it who knows the format: sound outside, wrong inside."""
    import copy

    from mercer.estimators.model_file._payload import unpacked

    forged = copy.copy(model)
    for name, value in changes.items():
        object.__setattr__(forged, name, value)
    return _container.pack(unpacked(skops.io.dumps(forged)))


def test_numbers_out_of_bounds_for_compiled_code(path, model):
    X, y = make_data()
    knn = KernelKNN().fit(X, y)
    big = knn.labels_ + 10**12
    for changes in (
        {"labels_": big},
        {"labels_": -big},
        {"labels_": knn.labels_.astype(float)},
        {"labels_": knn.labels_[:5]},
        {"X_fit_": X[:, :3]},
        {"X_fit_": X[:9]},
        {"n_features_in_": 3},
        {"n_features_in_": "7"},
        {"classes_": knn.classes_[:2]},
        {"classes_": knn.classes_[[0, 0, 1]]},
        {"kernel_": None},
        {"kernel_": 1.0},
        {"_memory": None},
        {"labels_": None},
    ):
        refused(path, resaved(knn, **changes), "mercer.save did not make it so")
    given = KernelKNN(kernel="precomputed").fit(X @ X.T, y)
    for diagonal in (given._diagonal[:3], None):
        forged = resaved(given, _diagonal=diagonal)
        refused(path, forged, "mercer.save did not make it so")
    winnow = Winnow().fit(np.sign(X), y)
    for changes in (
        {"positive_": winnow.positive_[:, :2]},
        {"negative_": winnow.negative_[:1]},
        {"intercept_": winnow.intercept_[:1]},
        {"n_features_in_": 10**6},
    ):
        refused(path, resaved(winnow, **changes), "mercer.save did not make it so")
    updates = model._updates
    moved = [type(u)(u.samples + 10**9, u.steps, u.n_steps) for u in updates]
    backward = [type(u)(u.samples, u.steps[::-1].copy(), u.n_steps) for u in updates]
    for changes in (
        {"_updates": moved},
        {"_updates": backward},
        {"_updates": updates[:1]},
        {"_kept_y": model._kept_y + 3},
        {"_kept_at": model._kept_at[:1]},
        {"_kept": model._kept[:, :2]},
        {"support_": model.support_ - 10**6},
        {"support_vectors_": model.support_vectors_[:2]},
        {"_coefficients": model._coefficients[:, :1].copy()},
        {"_epoch_starts": [-1, 0, 0]},
        {"intercept_": np.array(["a", "b", "c"])},
        {"reduction_": type(model.reduction_)("ovr", -model.reduction_.codes)},
        {"reduction_": type(model.reduction_)("evil", model.reduction_.codes)},
    ):
        refused(path, resaved(model, **changes), "mercer.save did not make it so")


def test_kernels_are_checked_though_they_are_made_without_their_own_checks(path, model):
    def kernel(cls, **attributes):
        made = cls.__new__(cls)
        made.__dict__.update(attributes)
        return made

    Sum = type(Linear() + Linear())
    for bad in (
        kernel(Gaussian, gamma=float("nan")),
        kernel(Gaussian, gamma=-1.0),
        kernel(Gaussian, gamma="1"),
        kernel(Gaussian, gamma=1.0, bases="x"),
        kernel(Polynomial, degree=-2, offset=0.0, scale=1.0),
        kernel(Sum, parts=(1, 2)),
        kernel(Sum, parts=()),
    ):
        refused(path, resaved(model, kernel_=bad), "mercer.save")


def test_sparse_matrices_with_indices_out_of_bounds(path):
    X, y = make_data(sparse_=True)
    model = KernelKNN().fit(X, y)
    bad = model.X_fit_.copy()
    bad.indices = bad.indices + 10**6
    refused(path, resaved(model, X_fit_=bad), "does not fit together")
    bad = model.X_fit_.copy()
    bad.indices[0] = -5
    refused(path, resaved(model, X_fit_=bad), "does not fit together")


def test_random_states_that_point_outside(path):
    X, y = make_data()
    model = KernelPerceptron(random_state=np.random.RandomState(0)).fit(X, y)
    state = model.random_state.get_state(legacy=False)
    state["state"]["pos"] = 10**6
    model.random_state.set_state(state)
    refused(path, resaved(model), "random numbers have no place")


# ---------------------------------------------------------------- fuzzing


def only_refused(path, content, seconds=2.0):
    path.write_bytes(content)
    start = time.perf_counter()
    with contextlib.suppress(ModelFileError):
        load(path)
    assert time.perf_counter() - start < seconds


mutations = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert", "swap", "zero"]),
        st.floats(0, 1, exclude_max=True),
        st.binary(min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=4,
)


def mutate(content, changes):
    content = bytearray(content)
    for how, where, what in changes:
        place = int(where * len(content))
        if how == "flip":
            content[place : place + 1] = bytes([content[place] ^ (what[0] or 1)])
        elif how == "cut":
            del content[place : place + what[0] + 1]
        elif how == "insert":
            content[place:place] = what
        elif how == "swap":
            content[place : place + len(what)] = what
        else:
            content[place : place + 64] = bytes(len(content[place : place + 64]))
    return bytes(content)


fuzz = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@fuzz
@given(changes=mutations)
def test_any_change_of_a_file_is_refused(path, good, changes):
    content = mutate(good, changes)
    if content != good:
        path.write_bytes(content)
        with pytest.raises(ModelFileError):
            load(path)


@fuzz
@given(changes=mutations, kind=st.booleans())
def test_any_change_of_a_payload_with_a_right_checksum(
    path, good, sparse_good, changes, kind
):
    source = sparse_good if kind else good
    only_refused(path, _container.pack(mutate(source[HEADER:], changes)))


@fuzz
@given(changes=mutations, kind=st.booleans())
def test_any_change_of_a_schema_with_a_right_checksum(
    path, good, sparse_good, changes, kind
):
    entries = entries_of(sparse_good if kind else good)
    entries["schema.json"] = mutate(entries["schema.json"], changes)
    only_refused(path, packed(entries))


@fuzz
@given(data=st.data())
def test_any_value_in_the_place_of_another(path, good, sparse_good, data):
    entries = entries_of(data.draw(st.sampled_from([good, sparse_good])))
    schema = json.loads(entries["schema.json"])
    places = []

    def collect(value):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            places.append((value, key))
            if isinstance(item, dict | list):
                collect(item)

    collect(schema)
    holder, key = data.draw(st.sampled_from(places))
    other, other_key = data.draw(st.sampled_from(places))
    simple = st.sampled_from([None, True, -1, 10**30, 1.5, "", "x", [], {}])
    value = data.draw(
        st.one_of(simple, st.just(json.loads(json.dumps(other[other_key]))))
    )
    holder[key] = value
    entries["schema.json"] = json.dumps(schema)
    only_refused(path, packed(entries))


@settings(
    max_examples=100, deadline=None, suppress_health_check=fuzz.suppress_health_check
)
@given(content=st.binary(max_size=300), header=st.booleans())
def test_any_bytes_at_all(path, content, header):
    path.write_bytes(_container.pack(content) if header else content)
    with pytest.raises(ModelFileError):
        load(path)


def test_reading_a_hostile_file_imports_nothing_of_it(path, good, tmp_path):
    """In a process of its own, where the module would be found."""
    (tmp_path / "evil.py").write_text("open('trace', 'w').close()\nclass Evil: pass\n")
    path.write_bytes(
        forge(
            good,
            lambda schema: set_attribute(
                schema, "gamma", node("ObjectNode", "evil", "Evil")
            ),
        )
    )
    code = (
        "import mercer, sys\n"
        "try: mercer.load(sys.argv[1])\n"
        "except mercer.exceptions.ModelFileError as error: print(error)\n"
        "print('evil' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=True,
    )
    assert "holds a evil.Evil" in result.stdout
    assert result.stdout.endswith("False\n")
    assert not (tmp_path / "trace").exists()


def test_the_header_is_as_documented(good):
    assert good[:8] == b"\x93MERCER\n"
    assert good[8:12] == b"\x01\0\0\0"
    assert good[12:32].rstrip(b"\0").decode() == mercer.__version__
    assert int.from_bytes(good[32:40], "little") == len(good) - 72
    assert good[72:76] == b"PK\x03\x04"


def test_names():
    assert model_file.load is mercer.load
    assert model_file.save is mercer.save
