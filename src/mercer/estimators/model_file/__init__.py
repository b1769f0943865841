"""Models as files: built on skops, never pickle, checked before anything is opened.

A file is a header with a checksum and a payload that skops wrote. Reading goes from the
outside in, and each step trusts only what the ones before it have checked: the header,
length and checksum (`_container`); the entries of the payload, and its schema against a
list of types (`_payload`, `_schema`); only then skops builds the objects; and at last
these are looked through for what compiled code would take for granted (`_soundness`).
"""

from __future__ import annotations

import copy
import os
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer.estimators.model_file._atomic_write import write_atomically
from mercer.estimators.model_file._container import pack, read_payload
from mercer.estimators.model_file._faults import Fault, ForeignContent
from mercer.estimators.model_file._payload import check_payload, unpacked
from mercer.estimators.model_file._soundness import check_sound
from mercer.estimators.model_file._types import MODELS, TRUSTED, type_name
from mercer.exceptions import ModelFileError

_ADVICE = (
    "mercer.save did not make it so: beware of where it came from, and save the model "
    "again."
)

__all__ = ["load", "save", "write_atomically"]


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model into a file.

    The file appears under its name only when it is complete; until then what was there
    before stays.

    Parameters
    ----------
    model : estimator
        A fitted classifier of Mercer, such as the ``best_estimator_`` of a search, or a
        scikit-learn ``Pipeline`` that ends in one.
    path : str or path
        Where to write; ``.mercer`` is a good suffix.

    Examples
    --------
    >>> import tempfile
    >>> from mercer import KernelKNN, load, load_dataset, save
    >>> iris = load_dataset("iris")
    >>> model = KernelKNN(n_neighbors=3).fit(iris.X, iris.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/iris.mercer")
    ...     again = load(f"{folder}/iris.mercer")
    >>> bool((again.predict(iris.X) == model.predict(iris.X)).all())
    True
    """
    _check_model(model)
    try:
        content = pack(_dump(_without_callbacks(model)))
    except Fault as fault:
        text = str(fault).rstrip(".")
        raise ModelFileError(f"This model cannot be saved: {text}.") from None
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ModelFileError(
            f"{os.fspath(path)}: the model could not be written "
            f"({error.strerror or error}); nothing was left behind."
        ) from None


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that `save` wrote.

    Nothing in the file is executed, and everything in it is checked before it is used;
    what is not sound is refused with a `ModelFileError` that says why.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        The fitted model; its predictions are the same to the last bit.
    """
    name = os.fspath(path)
    try:
        return _read(name)
    except Fault as fault:
        raise ModelFileError(f"{name}: {fault}") from None
    except OSError as error:
        raise ModelFileError(
            f"{name}: the file cannot be read ({error.strerror or error})."
        ) from None


def _check_model(model: Any) -> None:
    name = type_name(model)
    if name not in MODELS:
        inside = getattr(model, "best_estimator_", None)
        hint = " its best_estimator_" if inside is not None else " one of these"
        raise ModelFileError(
            f"A {name} cannot be saved; Mercer saves its own classifiers and pipelines "
            f"that end in one: save{hint}."
        )
    if isinstance(model, Pipeline) and type_name(model.steps[-1][1]) not in MODELS:
        raise ModelFileError(
            f"This pipeline ends in a {type_name(model.steps[-1][1])}; Mercer saves "
            "pipelines that end in one of its own classifiers."
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(
            f"This {type(model).__name__} is not fitted; call fit before saving it."
        ) from None


def _without_callbacks(model: Any) -> Any:
    """A copy that has the same parts, but no callbacks: they belong to a session."""
    if not isinstance(model, BaseEstimator):
        return model
    bare = copy.copy(model)
    bare.__dict__.pop("_skl_callbacks", None)
    for name, value in vars(bare).items():
        if isinstance(value, BaseEstimator):
            setattr(bare, name, _without_callbacks(value))
        elif name == "machines_":
            setattr(bare, name, [_without_callbacks(machine) for machine in value])
    if isinstance(bare, Pipeline):
        bare.steps = [(name, _without_callbacks(step)) for name, step in bare.steps]
    return bare


def _dump(model: Any) -> bytes:
    # imports all of scikit-learn, which takes a second: only when it is needed
    from skops.io import dumps
    from skops.io.exceptions import UnsupportedTypeException

    try:
        payload = unpacked(dumps(model))
    except (UnsupportedTypeException, TypeError, RecursionError) as error:
        raise Fault(f"skops has no way to store a part of it ({error}).") from None
    check_payload(payload)
    return payload


def _read(name: str) -> Any:
    payload = read_payload(name)
    try:
        check_payload(payload)
        from skops.io import loads

        model = loads(payload, trusted=sorted(TRUSTED))
        check_sound(model)
        check_is_fitted(model)
    except ForeignContent as fault:
        raise Fault(f"{fault}; {_ADVICE}") from None
    except Fault:
        raise
    except Exception as error:  # whatever a forged payload makes others stumble over
        kind = type(error).__name__
        raise Fault(f"its content does not fit together ({kind}); {_ADVICE}") from None
    return model
