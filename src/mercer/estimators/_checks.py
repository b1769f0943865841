"""Checks of parameters, made when fitting, each with a sentence."""

import math
import operator
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

from mercer.exceptions import ParameterError


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


def check_positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or value <= 0:
        raise ParameterError(f"{name} is {value!r}; it must be a number above 0.")
    return float(value)
