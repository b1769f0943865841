"""Every public kernel and estimator can be saved; whoever adds one is told here."""

import importlib
import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import mercer
from estimators.model_file.forging import forge
from estimators.model_file.samples_and_answers import answers, make_data
from mercer import KernelKNN, KernelSVC, VirtualSVC, load, save
from mercer.calibration import CalibratedClassifier, ScoreCalibrator
from mercer.estimators import (
    BinaryMachine,
    KernelEstimator,
    KernelMachine,
    OnlineKernelMachine,
)
from mercer.estimators.model_file import _types
from mercer.exceptions import ModelFileError
from mercer.images import Brighten, Centre, Deslant, EqualInk, Smooth
from mercer.kernels import Gaussian, Kernel, Linear, Product, Sum
from mercer.model_selection import MachinesPerClass


def public(package, kind):
    classes = {getattr(package, name) for name in package.__all__}
    return sorted(
        (c for c in classes if inspect.isclass(c) and issubclass(c, kind)),
        key=lambda cls: cls.__name__,
    )


KERNELS = [k for k in public(mercer.kernels, Kernel) if not inspect.isabstract(k)]
BASES = {BinaryMachine, KernelEstimator, KernelMachine, OnlineKernelMachine}
ESTIMATORS = [e for e in public(mercer.estimators, BaseEstimator) if e not in BASES]
OTHERS = [
    *public(mercer.calibration, BaseEstimator),
    *public(mercer.images, BaseEstimator),
]
#: what the constructors of some classes need
ARGUMENTS = {
    Sum: {"parts": (Linear(), Gaussian(0.5))},
    Product: {"parts": (Linear(), Gaussian(0.5))},
    CalibratedClassifier: {"estimator": KernelSVC()},
    MachinesPerClass: {"estimator": KernelSVC(), "params": [{"C": 1}, {"C": 2}, {}]},
    VirtualSVC: {"image_shape": (1, 7)},
    Deslant: {"image_shape": (1, 7)},
    Brighten: {"image_shape": (1, 7)},
    Centre: {"image_shape": (1, 7)},
    EqualInk: {"image_shape": (1, 7)},
    Smooth: {"image_shape": (1, 7)},
}


@pytest.mark.parametrize("kind", KERNELS, ids=lambda kind: kind.__name__)
def test_every_kernel_round_trips(kind, path):
    kernel = kind(**ARGUMENTS.get(kind, {}))
    X, y = make_data()
    model = KernelKNN(kernel=kernel).fit(X, y)
    save(model, path)
    again = load(path)
    assert again.kernel == again.kernel_ == kernel
    assert answers(again, X) == answers(model, X)


@pytest.mark.parametrize("kind", ESTIMATORS + OTHERS, ids=lambda kind: kind.__name__)
def test_every_estimator_round_trips(kind, path):
    X, y = make_data()
    X = np.sign(X)
    if kind is ScoreCalibrator:
        X, y = X[:, 0], y == "elm"
    model = kind(**ARGUMENTS.get(kind, {})).fit(X, y)
    save(model, path)
    assert answers(load(path), X) == answers(model, X)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator_says_how_it_is_checked(kind):
    assert hasattr(kind, "__mercer_check__"), "see mercer._storable"


def test_every_type_on_the_list_exists():
    for name in _types.LOADERS["ObjectNode"]:
        module, _, kind = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), kind), type), name


def moved(schema, name, module):
    """Give all classes of a name in a schema another module."""
    if isinstance(schema, dict):
        if schema.get("__class__") == name:
            schema["__module__"] = module
        for value in schema.values():
            moved(value, name, module)
    elif isinstance(schema, list):
        for value in schema:
            moved(value, name, module)


@pytest.mark.parametrize(
    "name", ["MachinesPerClass", "KernelSVC", "Gaussian", "Reduction"]
)
def test_files_from_before_a_class_moved_are_read(name, path):
    X, y = make_data()
    svc = KernelSVC(kernel=Gaussian(0.2))
    model = MachinesPerClass(svc, [{"C": c} for c in (1, 2, 3)]).fit(X, y)
    save(model, path)
    content = path.read_bytes()
    path.write_bytes(forge(content, lambda s: moved(s, name, "mercer.once.was_here")))
    again = load(path)
    assert type(again) is MachinesPerClass
    assert answers(again, X) == answers(model, X)
    path.write_bytes(forge(content, lambda s: moved(s, name, "mercerlike.kernels")))
    with pytest.raises(ModelFileError, match=f"holds a mercerlike.kernels.{name}"):
        load(path)
