"""Files with right checksums whose arrays and numbers lie."""

import copy
import io
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.model_file.forging import Touch, entries_of, packed, refused, resaved
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
from mercer.calibration import CalibratedClassifier
from mercer.estimators import Reduction
from mercer.exceptions import ModelFileError
from mercer.kernels import Gaussian, Kernel, Linear, Polynomial
from mercer.model_selection import MachinesPerClass


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


def array_file(header):
    """A file as `numpy.save` writes it, with this for a header and without values."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def test_headers_of_arrays_take_no_time(path, good):
    """In a process that can be ended: a regular expression cannot be interrupted."""
    entries = entries_of(good)
    name = next(name for name in entries if name.endswith(".npy"))
    start = "{'descr': '<f8', 'fortran_order': False, 'shape': "
    shapes = ["1" * 56 + "x", "1" * 60000, "1," * 30000, "1, " * 20000, "0, " * 7]
    for number, shape in enumerate(shapes):
        array = array_file(f"{start}({shape}), }}")
        path.with_suffix(f".{number}").write_bytes(packed({**entries, name: array}))
    code = (
        "import mercer, sys\n"
        "for path in sys.argv[1:]:\n"
        "    try: mercer.load(path)\n"
        "    except mercer.exceptions.ModelFileError as error: print(error)\n"
    )
    paths = [path.with_suffix(f".{number}") for number in range(len(shapes))]
    done = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, timeout=30
    )
    assert done.stdout.count("mercer.save did not make it so") == 5, done.stderr


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
    svc = KernelSVC().fit(X, y)
    for changes in (
        {"n_support_": svc.n_support_[:2]},
        {"n_support_": svc.n_support_ + 1},
        {"n_support_": np.array([-1, 1, len(svc.support_)], np.int32)},
        {"_coefficients": svc._coefficients[:, :1].copy()},
    ):
        refused(path, resaved(svc, **changes), "mercer.save did not make it so")
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
        {"reduction_": Reduction("ovr", 2)},
        {"reduction_": Reduction("evil", 3)},
        {"reduction_": Reduction("ovo", 30_000)},
        {"reduction_": Reduction("ovr", 3.0)},
    ):
        refused(path, resaved(model, **changes), "mercer.save did not make it so")


def learned_numbers(part, where=()):
    """The way to each array and number that a model has learned: attributes."""
    given = part.get_params(deep=False) if isinstance(part, BaseEstimator) else {}
    for name, value in vars(part).items():
        way = (*where, name)
        if name in given or isinstance(value, Kernel | Reduction):
            continue
        if isinstance(value, float | np.floating) or (
            (sparse.issparse(value) or isinstance(value, np.ndarray))
            and value.dtype.kind == "f"
            and 0 not in value.shape
        ):
            yield way
        elif isinstance(value, list | tuple):
            value = value[0]
        if type(value).__module__.startswith("mercer."):
            yield from learned_numbers(value, way)


def with_number(part, way, number):
    """A copy with this number at the end of the way, or within the array there."""
    if isinstance(part, list | tuple):
        return type(part)([with_number(part[0], way, number), *part[1:]])
    if not way:
        changed = number if isinstance(part, float) else part.copy()
        values = changed.data if sparse.issparse(changed) else changed
        if not isinstance(part, float):
            values.flat[-1] = number
        return changed
    changed = copy.copy(part)
    value = with_number(vars(part)[way[0]], way[1:], number)
    object.__setattr__(changed, way[0], value)
    return changed


@pytest.mark.parametrize(
    "model",
    [
        KernelSVC(),
        KernelSVC(kernel="poly", multiclass="ovr"),
        KernelPerceptron(),
        KernelPegasos(),
        KernelKNN(),
        KernelKNN(kernel="precomputed"),
        Winnow(),
        MachinesPerClass(KernelSVC(), [{}, {}, {}]),
        CalibratedClassifier(KernelSVC()),
    ],
    ids=repr,
)
@pytest.mark.parametrize("sparse_", [False, True], ids=["dense", "sparse"])
def test_nothing_that_was_learned_is_infinite_or_nan(path, model, sparse_):
    X, y = make_data(sparse_=sparse_)
    if isinstance(model, Winnow) or getattr(model, "kernel", "") == "precomputed":
        X = np.sign(make_data()[0])
        X = X if isinstance(model, Winnow) else X @ X.T
    model = clone(model).fit(X, y)
    ways = list(learned_numbers(model))
    assert ways
    for way in ways:
        for number in (np.nan, np.inf, -np.inf):
            forged = with_number(model, way, number)
            text = refused(path, resaved(forged), "infinite or not a number")
            assert way[-1] in text
            path.unlink()
            with pytest.raises(ModelFileError, match=r"cannot be saved: .*infinite"):
                save(forged, path)
            assert not path.exists()


def test_scales_of_a_pipeline(path):
    X, y = make_data()
    pipe = make_pipeline(StandardScaler(), KernelSVC()).fit(X, y)
    pipe[0].scale_[2] = np.inf  # would hide the feature
    refused(path, resaved(pipe), "scale_ of a StandardScaler in it is infinite")
    # a column without values, which the imputer fills
    X[:, 3] = np.nan
    imputer = SimpleImputer(keep_empty_features=True)
    with np.errstate(invalid="ignore"):
        pipe = make_pipeline(StandardScaler(), imputer, KernelSVC()).fit(X, y)
    assert np.isnan(pipe[0].scale_[3])
    save(pipe, path)
    assert answers(load(path), X) == answers(pipe, X)


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


@pytest.mark.parametrize("sign", [0xD800, 0x110000, 2**32 - 1])
def test_words_that_are_not_unicode(path, sign):
    X, y = np.arange(12.0).reshape(6, 2), np.array(list("aabbcc"))
    model = KernelSVC().fit(X, y)
    words = np.array([ord("a"), sign, ord("c")], "<u4").view("<U1")
    refused(path, resaved(model, classes_=words), "a text in it is not Unicode")
