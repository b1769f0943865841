"""Checks of parameters and classes, made when fitting, each with a sentence."""

import math
import operator
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import DataError, ParameterError


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Complain about a word that is not one of those to choose from."""
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        near = get_close_matches(str(value), choices, 1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        options = ", ".join(map(repr, choices))
        raise ParameterError(f"{name} is {value!r}; it must be one of {options}{hint}")


def check_count(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ParameterError(
            f"{name} is {value!r}; it must be a whole number of at least {least}."
        )
    return number


def check_positive(name: str, value: Any, infinite: bool = False) -> float:
    """A number above zero, finite unless infinity has a meaning."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not value > 0 or not (infinite or math.isfinite(value)):
        raise ParameterError(f"{name} is {value!r}; it must be a number above 0.")
    return float(value)


def check_classes(classes: NDArray) -> NDArray:
    """Complain when there is nothing to tell apart."""
    if len(classes) < 2:
        raise DataError(
            f"y holds one class only ({classes.tolist()[0]!r}); a classifier needs "
            "samples of at least two classes. With partial_fit, name all of them in "
            "the first call: partial_fit(X, y, classes=[...])."
        )
    return classes


def check_known(y: NDArray, declared: Any, model: Any = None) -> NDArray:
    """All classes after a call of partial_fit: the known ones, and those of y.

    Complain about a label outside of what the first call declared; `model` is None in
    that call.
    """
    if model is None:
        known = np.unique(y if declared is None else declared)
        open_to_more = declared is None
    else:
        known, open_to_more = model.classes_, not model.classes_declared_
    unknown = np.setdiff1d(y, known)
    if len(unknown) and not open_to_more:
        raise DataError(
            f"y holds {unknown.tolist()[0]!r}, a class that partial_fit has not been "
            f"told of; the classes it knows are {known.tolist()}."
        )
    return check_classes(np.union1d(known, unknown))
