"""What must be true of the objects in a file before a program may use them.

Types alone do not make a model: compiled code goes by numbers in arrays without looking
whether they are within bounds, and objects were made without their own checks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from mercer.estimators.kernel_machine import KernelEstimator, KernelMachine
from mercer.estimators.model_file._faults import ForeignContent
from mercer.estimators.model_file._types import MODELS, type_name
from mercer.estimators.neighbours import KernelKNN
from mercer.estimators.online_machine import OnlineKernelMachine
from mercer.estimators.reduction import Reduction
from mercer.estimators.winnow import Winnow
from mercer.kernels import Kernel
from mercer.solvers.online import Updates


def check_sound(model: Any) -> None:
    """Check a model and everything in it."""
    if type_name(model) not in MODELS:
        raise ForeignContent(f"it holds a {type_name(model)}, which is not a model")
    for part in _parts(model):
        if not _is_untouched(part):
            for kind, check in _CHECKS.items():
                if isinstance(part, kind):
                    check(part)
            if type_name(part).endswith(".MachinesPerClass"):
                _check_machines_per_class(part)


def _is_untouched(part: Any) -> bool:
    """Whether this is an estimator with parameters only, as a calibration keeps one."""
    if isinstance(part, Pipeline) or not isinstance(part, BaseEstimator):
        return False
    return vars(part).keys() <= part.get_params(deep=False).keys()


def _parts(model: Any) -> Iterator[Any]:
    """The model and every object in it, each once."""
    waiting, seen = [model], set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | int | float | None):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.flat if part.dtype == object else ())
        elif _has_attributes(part):
            _check_attributes(part)
            waiting.extend(vars(part).values())


def _has_attributes(part: Any) -> bool:
    return hasattr(part, "__dict__") and not (
        sparse.issparse(part) or isinstance(part, type)
    )


def _need(condition: Any, what: str) -> None:
    if not condition:
        raise ForeignContent(what)


def _check_attributes(part: Any) -> None:
    """An attribute must not stand in for a method."""
    for name in vars(part):
        _need(
            isinstance(name, str) and not callable(getattr(type(part), name, None)),
            f"a {type(part).__name__} in it has an attribute {str(name)[:40]!r}",
        )


def _check_sparse(X: Any) -> None:
    X.check_format(full_check=True)


def _check_random_state(random: np.random.RandomState) -> None:
    state = random.get_state(legacy=False)
    _need(0 <= state["state"]["pos"] <= 624, "its random numbers have no place")


def _check_kernel(kernel: Kernel) -> None:
    if hasattr(kernel, "parts"):
        parts = kernel.parts
        _need(
            isinstance(parts, tuple)
            and parts
            and all(isinstance(part, Kernel) for part in parts),
            "a kernel in it is made of something else than kernels",
        )
    _need(
        set(vars(kernel)) <= {field.name for field in dataclasses.fields(kernel)},  # type: ignore[arg-type]
        "a kernel in it has attributes that kernels do not have",
    )
    # making it anew runs the checks of its parameters
    dataclasses.replace(kernel)  # type: ignore[type-var]


def _check_pipeline(pipeline: Pipeline) -> None:
    _need(pipeline.memory is None, "its pipeline has a cache folder of its own")
    _need(
        isinstance(pipeline.steps, list)
        and pipeline.steps
        and all(isinstance(step, tuple) and len(step) == 2 for step in pipeline.steps)
        and type_name(pipeline.steps[-1][1]) in MODELS,
        "its pipeline does not end in a classifier of Mercer",
    )


def _check_updates(updates: Updates) -> None:
    _need(
        _is_indices(updates.samples, np.inf)
        and _is_indices(updates.steps, np.inf)
        and len(updates.samples) == len(updates.steps)
        and isinstance(updates.n_steps, int | np.integer)
        and (np.diff(updates.steps, prepend=0) > 0).all()
        and updates.n_steps >= (updates.steps[-1] if len(updates.steps) else 0),
        "the list of updates in it is out of order",
    )


def _check_reduction(reduction: Reduction) -> None:
    kinds = {"binary": "ovr", "ovr": "ovr", "ovo": "ovo"}
    _need(reduction.kind in kinds, "its binary problems are of no known kind")
    codes = reduction.codes
    _need(_is_numbers(codes, 2) and codes.shape[1] <= 2**16, "its codes have no shape")
    made = Reduction.make(kinds[reduction.kind], codes.shape[1])
    _need(
        made.kind == reduction.kind and np.array_equal(made.codes, codes),
        "its binary problems are not those of its classes",
    )


def _check_estimator(model: KernelEstimator) -> None:
    _need(_is_count(model.n_features_in_), "it has no number of features")
    _need(_is_classes(model.classes_), "it has no classes")
    _need(
        model.kernel_ is None
        if model.is_precomputed
        else isinstance(model.kernel_, Kernel),
        "it has no kernel",
    )


def _check_machine(model: KernelMachine) -> None:
    n, problems = len(model.support_), model.reduction_.n_problems
    _need(isinstance(model.reduction_, Reduction), "it has no reduction")
    _need(model.reduction_.codes.shape[1] == len(model.classes_), "its classes differ")
    _need(_is_numbers(model._coefficients, 2, (n, problems)), "it lacks coefficients")
    _need(_is_numbers(model.intercept_, 1, (problems,)), "it has no intercept")
    most = model.n_features_in_ if model.is_precomputed else np.inf
    _need(_is_indices(model.support_, most), "its support vectors are out of bounds")
    if not model.is_precomputed:
        _need(
            _is_samples(model.support_vectors_, n, model.n_features_in_),
            "its support vectors are not of its shape",
        )


def _check_online(model: OnlineKernelMachine) -> None:
    n = len(model._kept_y)
    _need(
        isinstance(model._updates, list)
        and len(model._updates) == model.reduction_.n_problems
        and all(type(updates) is Updates for updates in model._updates)
        and all(_is_indices(updates.samples, n) for updates in model._updates)
        and _is_indices(model._kept_y, len(model.classes_))
        and _is_indices(model._kept_at, np.inf)
        and len(model._kept_at) == n
        and _is_count(model.n_samples_seen_),
        "the samples that it learned from do not fit its updates",
    )
    if not model.is_precomputed:
        _need(
            _is_samples(model._kept, n, model.n_features_in_),
            "the samples that it learned from are not of its shape",
        )
    starts = getattr(model, "_epoch_starts", [0] * len(model._updates))
    _need(
        isinstance(starts, list)
        and len(starts) == len(model._updates)
        and all(
            type(start) is int and 0 <= start <= len(updates.samples)
            for start, updates in zip(starts, model._updates)
        ),
        "its last epoch begins nowhere",
    )


def _check_machines_per_class(model: Any) -> None:
    # known by its name: its module is in a layer above this one
    machines, n = model.machines_, model.reduction_.n_problems
    _need(isinstance(model.reduction_, Reduction), "it has no reduction")
    _need(_is_count(model.n_features_in_), "it has no number of features")
    _need(_is_classes(model.classes_), "it has no classes")
    _need(model.reduction_.codes.shape[1] == len(model.classes_), "its classes differ")
    _need(
        isinstance(machines, list)
        and len(machines) == n
        and all(isinstance(machine, KernelMachine) for machine in machines)
        and all(machine.reduction_.kind == "binary" for machine in machines),
        "it lacks a machine for each of its binary problems",
    )
    _need(_is_numbers(model.scales_, 1, (n,)), "its scores have no scales")
    _need(
        isinstance(model._rows, list)
        and len(model._rows) == n
        and all(_is_indices(rows, np.inf) for rows in model._rows),
        "its machines have no samples",
    )


def _check_neighbours(model: KernelKNN) -> None:
    n = len(model.labels_)
    _need(
        n > 0 and _is_indices(model.labels_, len(model.classes_)),
        "the classes of its samples are out of bounds",
    )
    if model.is_precomputed:
        _need(_is_numbers(model._diagonal, 1, (n,)), "it lacks the kernel's diagonal")
        _need(model.n_features_in_ == n, "its kernel matrix is not square")
    else:
        _need(
            _is_samples(model.X_fit_, n, model.n_features_in_),
            "its samples are not of its shape",
        )
    _need(type_name(model._memory).endswith("._Memory"), "it has no memory")


def _check_winnow(model: Winnow) -> None:
    _need(_is_count(model.n_features_in_), "it has no number of features")
    _need(_is_classes(model.classes_), "it has no classes")
    _need(isinstance(model.reduction_, Reduction), "it has no reduction")
    shape = (model.reduction_.n_problems, model.n_features_in_)
    _need(
        model.reduction_.codes.shape[1] == len(model.classes_)
        and _is_numbers(model.positive_, 2, shape)
        and _is_numbers(model.negative_, 2, shape)
        and _is_numbers(model.intercept_, 1, shape[:1]),
        "its weights are not of its shape",
    )


_CHECKS: dict[Any, Callable[[Any], None]] = {
    sparse.csr_matrix: _check_sparse,
    sparse.csr_array: _check_sparse,
    np.random.RandomState: _check_random_state,
    Kernel: _check_kernel,
    Reduction: _check_reduction,
    Updates: _check_updates,
    Pipeline: _check_pipeline,
    KernelEstimator: _check_estimator,
    KernelMachine: _check_machine,
    OnlineKernelMachine: _check_online,
    KernelKNN: _check_neighbours,
    Winnow: _check_winnow,
}


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


def _is_classes(classes: Any) -> bool:
    good = type(classes) is np.ndarray and classes.ndim == 1 and len(classes) >= 2
    return good and len(np.unique(classes)) == len(classes)


def _is_numbers(
    array: Any, dimensions: int, shape: tuple[int, ...] | None = None
) -> bool:
    return (
        type(array) is np.ndarray
        and array.dtype in (np.float32, np.float64)
        and array.ndim == dimensions
        and shape in (None, array.shape)
    )


def _is_indices(array: Any, end: float) -> bool:
    good = type(array) is np.ndarray and array.ndim == 1 and array.dtype == np.int64
    return good and (not len(array) or bool(array.min() >= 0 and array.max() < end))


def _is_samples(X: Any, n_samples: int, n_features: int) -> bool:
    if sparse.issparse(X):
        good = X.format == "csr" and X.dtype in (np.float32, np.float64)
        return good and X.shape == (n_samples, n_features)
    return _is_numbers(X, 2, (n_samples, n_features))
