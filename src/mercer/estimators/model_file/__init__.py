"""Models as files: built on skops, never pickle, checked before anything is opened.

A file is a header with a checksum and a payload that skops wrote. Reading goes from the
outside in, and each step trusts only what the ones before it have checked: the header,
length and checksum (`_container`); the entries of the payload, and its schema against
the types that are allowed (`_payload`, `_schema`, `_types`); only then skops builds the
objects; and at last these are looked through for what compiled code would take for
granted (`_soundness`).
"""

from __future__ import annotations

import copy
import os
from collections import UserList
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._atomic_write import write_atomically
from mercer._storable import Unsound, full_name
from mercer.estimators.model_file._container import MAGIC, Fault, pack, read_payload
from mercer.estimators.model_file._payload import check_payload, unpacked
from mercer.estimators.model_file._scikit_learn import deciding_parts
from mercer.estimators.model_file._soundness import check_sound
from mercer.estimators.model_file._types import is_model, trusted_names
from mercer.exceptions import ModelFileError

_ADVICE = (
    "mercer.save did not make it so: beware of where it came from, and save the model "
    "again."
)

__all__ = ["is_model_file", "load", "save"]


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as those of `save` do.

    >>> is_model_file(__file__)
    False
    """
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model into a file.

    The file appears under its name only when it is complete; until then what was there
    before stays.

    Parameters
    ----------
    model : estimator
        A fitted classifier of Mercer, such as the ``best_estimator_`` of a search, or a
        ``Pipeline``, ``OneVsRestClassifier`` or ``BaggingClassifier`` of scikit-learn
        that decides by such.
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
        content = pack(_dump(_without_session(model)))
    except (Fault, Unsound) as fault:
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
    if not is_model(type(model)):
        inside = getattr(model, "best_estimator_", None)
        hint = "one of these" if inside is None else "its best_estimator_"
        raise ModelFileError(
            f"A {full_name(type(model))} cannot be saved; Mercer saves its own "
            f"classifiers, and pipelines and ensembles of them: save {hint}."
        )
    for part in map(type, deciding_parts(model)):
        if not is_model(part):
            kind = type(model).__name__
            raise ModelFileError(
                f"This {kind} decides by a {full_name(part)}; Mercer saves a {kind} "
                "that decides by one of its own classifiers."
            )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(
            f"This {type(model).__name__} is not fitted; call fit before saving it."
        ) from None


def _without_session(value: Any) -> Any:
    """A copy of the same parts, without what is of this session or version only."""
    if type(value) in (list, tuple):
        return type(value)(map(_without_session, value))
    if isinstance(value, UserList):  # a ColumnTransformer's, before scikit-learn 1.7
        return list(value.data)
    if not isinstance(value, BaseEstimator):
        return value
    bare = copy.copy(value)
    bare.__dict__.pop("_skl_callbacks", None)
    for name, part in vars(bare).items():
        bare.__dict__[name] = _without_session(part)
    if isinstance(bare, Pipeline):
        bare.memory = None
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
    check_sound(model)
    return payload


def _read(name: str) -> Any:
    payload = read_payload(name)
    # so that their classes are declared
    import mercer.calibration
    import mercer.estimators.scikit_learn_svc  # noqa: F401

    try:
        payload = check_payload(payload)
        from skops.io import loads

        model = loads(payload, trusted=trusted_names())
        check_sound(model)
        check_is_fitted(model)
    except Unsound as fault:
        raise Fault(f"{fault}; {_ADVICE}") from None
    except Fault:
        raise
    except Exception as error:  # whatever a forged payload makes others stumble over
        kind = type(error).__name__
        raise Fault(f"its content does not fit together ({kind}); {_ADVICE}") from None
    return model
