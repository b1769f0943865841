"""Files with right checksums whose arrays and numbers lie."""

import io

import numpy as np
import skops.io

from estimators.model_file.forging import Touch, entries_of, packed, refused
from estimators.model_file.samples_and_answers import make_data
from mercer import KernelKNN, KernelPerceptron, Winnow
from mercer.estimators.model_file import _container
from mercer.kernels import Gaussian, Linear, Polynomial


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
