"""The best estimator of a search, written to a file and read again."""

import numpy as np
import pytest

import mercer
from estimators.model_file.forging import refused, resaved
from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.exceptions import ModelFileError
from mercer.kernels import Gaussian, Linear
from mercer.model_selection import GramSearchCV

MODELS = {
    "perceptron": (KernelPerceptron(random_state=0), {"gamma": [0.1, 1.0]}),
    "pegasos": (
        KernelPegasos(multiclass="ovo", random_state=np.random.RandomState(1)),
        {"lam": [0.1, 0.001], "kernel": [Gaussian(0.5), Linear() + 1.0]},
    ),
    "svc": (KernelSVC(), {"C": [0.1, 10.0], "gamma": ["scale", 1.0]}),
    "weighted": (KernelSVC(class_weight="balanced"), {"C": [0.1, 10.0]}),
}


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    return random.normal(size=(90, 4)) + y[:, None], np.array(list("abc"))[y]


def check_round_trip(model, X, path):
    mercer.save(model, path)
    again = mercer.load(path)
    assert type(again) is type(model)
    assert (again.predict(X) == model.predict(X)).all()
    if hasattr(model, "decision_function"):
        one, other = model.decision_function(X), again.decision_function(X)
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()
    return again


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MODELS)
def test_a_machine_for_each_problem(name, dtype, data, tmp_path):
    X, y = data[0].astype(dtype), data[1]
    search = GramSearchCV(*MODELS[name], cv=3, per_class=True).fit(X, y)
    model = search.best_estimator_
    again = check_round_trip(model, X, tmp_path / "model.mercer")
    assert again.params == model.params
    # what was read can be written: nothing was lost on the way
    check_round_trip(again, X, tmp_path / "again.mercer")


def test_a_precomputed_kernel(data, tmp_path):
    X, y = data
    model, grid = KernelSVC(kernel="precomputed", multiclass="ovo"), {"C": [1.0, 9.0]}
    K = Gaussian(0.5)(X)
    search = GramSearchCV(model, grid, cv=3, per_class=True).fit(K, y)
    check_round_trip(search.best_estimator_, K, tmp_path / "model.mercer")


@pytest.mark.parametrize(
    ("model", "grid"),
    [*MODELS.values(), (KernelKNN(), {"n_neighbors": [1, 5]})],
    ids=[*MODELS, "neighbours"],
)
def test_shared_parameters(model, grid, data, tmp_path):
    search = GramSearchCV(model, grid, cv=3).fit(*data)
    check_round_trip(search.best_estimator_, data[0], tmp_path / "model.mercer")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda m: m.machines_.pop(), "machine for each"),
        (lambda m: m.machines_.__setitem__(0, m.machines_[0].kernel_), "machine for"),
        (lambda m: setattr(m, "scales_", m.scales_[:1]), "scales"),
        (lambda m: m._rows.pop(), "samples"),
        (lambda m: setattr(m, "classes_", m.classes_[:2]), "classes"),
    ],
    ids=["missing", "no machine", "scales", "rows", "classes"],
)
def test_parts_that_do_not_fit_are_refused(change, match, data, tmp_path):
    search = GramSearchCV(*MODELS["svc"], cv=3, per_class=True).fit(*data)
    change(search.best_estimator_)
    path = tmp_path / "model.mercer"
    with pytest.raises(ModelFileError, match=f"cannot be saved: .*{match}"):
        mercer.save(search.best_estimator_, path)
    refused(path, resaved(search.best_estimator_), match)
