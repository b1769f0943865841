"""What must be true of the objects in a file before a program may use them.

Types alone do not make a model: compiled code goes by numbers in arrays without looking
whether they are within bounds, and objects were made without their own checks. Classes
of Mercer say themselves what they need, in ``__mercer_check__``; kernels are made anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from mercer._storable import Unsound, full_name, need
from mercer._validation import is_unicode
from mercer.estimators.model_file._scikit_learn import (
    check_scikit_learn,
    deciding_parts,
)
from mercer.estimators.model_file._types import is_model
from mercer.kernels import Kernel

_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def check_sound(model: Any) -> None:
    """Check a model and everything in it."""
    kind = type(model)
    need(is_model(kind), f"it holds a {full_name(kind)}, which is not a model")
    need(
        all(is_model(type(part)) for part in deciding_parts(model)),
        "it does not end in a classifier of Mercer",
    )
    for part in _parts(model):
        if not _is_untouched(part):
            for kind, check in _CHECKS.items():
                if isinstance(part, kind):
                    check(part)
            check_scikit_learn(part)
            if hasattr(type(part), "__mercer_check__"):
                part.__mercer_check__()


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


def _check_attributes(part: Any) -> None:
    """An attribute must not stand in for a method, and what was learned is finite."""
    kind = type(part).__name__
    given = part.get_params(deep=False) if isinstance(part, BaseEstimator) else ()
    # scikit-learn's transformers put NaN where a column had no value, and what comes
    # out of them is checked by the classifier behind them
    is_bad = (
        np.isinf if type(part).__module__.startswith("sklearn.") else _is_not_finite
    )
    for name, value in vars(part).items():
        need(
            isinstance(name, str) and not callable(getattr(type(part), name, None)),
            f"a {kind} in it has an attribute {str(name)[:40]!r}",
        )
        need(
            name in given or not _has_any(is_bad, value),
            f"{name[:40]} of a {kind} in it is infinite or not a number",
        )


def _is_not_finite(numbers: Any) -> Any:
    return ~np.isfinite(numbers)


def _has_any(is_bad: Callable[[Any], Any], value: Any) -> bool:
    """Whether any of the numbers in an attribute is bad."""
    if isinstance(value, list | tuple):
        return any(_has_any(is_bad, item) for item in value)
    if sparse.issparse(value):
        value = value.data
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    if floats or isinstance(value, float | np.floating):
        return bool(np.any(is_bad(value)))
    return False


def _check_sparse(X: Any) -> None:
    X.check_format(full_check=True)


def _check_texts(array: NDArray) -> None:
    need(array.dtype.kind != "U" or is_unicode(array), "a text in it is not Unicode")


def _check_random_state(random: np.random.RandomState) -> None:
    state = random.get_state(legacy=False)
    need(0 <= state["state"]["pos"] <= 624, "its random numbers have no place")


def _check_kernel(kernel: Any) -> None:
    name, values = type(kernel).__name__, vars(kernel)
    fields = {field.name for field in dataclasses.fields(kernel) if field.init}
    need(values.keys() == fields, f"the kernel {name} in it has other attributes")
    for field, value in values.items():
        need(
            _is_plain(value),
            f"{field} of the kernel {name} in it is a {full_name(type(value))}; files "
            "hold kernels whose fields are numbers, kernels, or tuples of these",
        )
    try:
        type(kernel)(**values)  # runs the checks of its parameters
    except Exception as error:
        raise Unsound(f"the kernel {name} in it is not possible: {error}") from None


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (Kernel, *_NUMBERS))


def _check_pipeline(pipeline: Pipeline) -> None:
    need(pipeline.memory is None, "its pipeline has a cache folder of its own")
    need(
        isinstance(pipeline.steps, list)
        and pipeline.steps
        and all(isinstance(step, tuple) and len(step) == 2 for step in pipeline.steps),
        "its pipeline has no steps",
    )


_CHECKS: dict[Any, Callable[[Any], None]] = {
    np.ndarray: _check_texts,
    sparse.csr_matrix | sparse.csr_array: _check_sparse,
    np.random.RandomState: _check_random_state,
    Kernel: _check_kernel,
    Pipeline: _check_pipeline,
}
