"""Classes that a model file may hold, each declared where it is defined.

``@storable`` declares one. A class whose attributes compiled code or indexing rely on
also has a method ``__mercer_check__``, which complains with `need` about attributes
that `fit` cannot have made: objects from a file come to life without their constructor.

A file names Mercer's own classes by their name alone, so that they may move from one
module to another; classes of other packages by module and name. It names only what is
declared: reading a file imports nothing because the file says so.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from scipy import sparse

_Class = TypeVar("_Class", bound=type)
_DECLARED: dict[str, type] = {}


class Unsound(Exception):
    """Something that `mercer.save` does not put into a file; without a full stop."""


def storable(cls: _Class) -> _Class:
    """Let model files hold objects of this class."""
    key = _key(full_name(cls))
    if _DECLARED.setdefault(key, cls).__module__ != cls.__module__:
        raise TypeError(f"{cls} and {_DECLARED[key]} would have one name in files.")
    if cls.__qualname__ == cls.__name__:
        _DECLARED[key] = cls  # which may be defined again, as in a notebook
    return cls


def find_storable(name: str) -> type | None:
    """The declared class that a file calls so."""
    return _DECLARED.get(_key(name))


def storable_classes() -> list[type]:
    """All classes that are declared by now."""
    return list(_DECLARED.values())


def full_name(cls: type) -> str:
    """The module and the name of a class."""
    return f"{cls.__module__}.{cls.__name__}"


def _key(name: str) -> str:
    own = name.startswith("mercer.")
    return f"mercer.{name.rpartition('.')[2]}" if own else name


def need(condition: Any, what: str) -> None:
    """Complain about an object from a file, unless the condition holds."""
    if not condition:
        raise Unsound(what)


def check_classes_stored(model: Any) -> None:
    """What any classifier must know: how many features, and which classes."""
    need(is_count(model.n_features_in_), "it has no number of features")
    classes = model.classes_
    good = type(classes) is np.ndarray and classes.ndim == 1 and len(classes) >= 2
    need(good and len(np.unique(classes)) == len(classes), "it has no classes")


def is_count(value: Any) -> bool:
    """Whether this is a whole number above 0."""
    return type(value) is int and value > 0


def is_floats(array: Any, *shape: int) -> bool:
    """Whether this is an array of float32 or float64 with this shape."""
    good = type(array) is np.ndarray and array.dtype in (np.float32, np.float64)
    return good and array.shape == shape


def is_indices(array: Any, n: int, below: float = np.inf) -> bool:
    """Whether this is an array of n numbers from 0 that are below a bound."""
    good = type(array) is np.ndarray and array.dtype == np.int64 and array.shape == (n,)
    return good and (n == 0 or bool(array.min() >= 0 and array.max() < below))


def is_samples(X: Any, n_samples: int, n_features: int) -> bool:
    """Whether this is a dense or CSR matrix of floats with this shape."""
    if sparse.issparse(X):
        good = X.format == "csr" and X.dtype in (np.float32, np.float64)
        return good and X.shape == (n_samples, n_features)
    return is_floats(X, n_samples, n_features)
