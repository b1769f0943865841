"""Models by short names, with parameters as the command line gives them."""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import mercer
from mercer.exceptions import ParameterError

#: the class in `mercer` behind each name
MODELS = {
    "perceptron": "KernelPerceptron",
    "pegasos": "KernelPegasos",
    "svc": "KernelSVC",
    "knn": "KernelKNN",
    "winnow": "Winnow",
}


def build_model(
    name: str, options: Mapping[str, Any], settings: Sequence[str] = ()
) -> Any:
    """Make the model of a name; options that are None were not given.

    >>> build_model("knn", {"n_neighbors": 3}, ["kernel=rbf"])
    KernelKNN(kernel='rbf', n_neighbors=3)
    """
    if name not in MODELS:
        raise ParameterError(f"There is no model {name!r}; {_choices(name, MODELS)}")
    make = getattr(mercer, MODELS[name])
    given = {key: value for key, value in options.items() if value is not None}
    given |= dict(map(_parse_setting, settings))
    known = inspect.signature(make).parameters
    for key in given:
        if key not in known:
            raise ParameterError(
                f"{make.__name__} has no parameter {key!r}; {_choices(key, known)}"
            )
    return make(**given)


def parse_number(text: str | None) -> Any:
    """A number where the text is one, as gamma is either a number or a word.

    >>> parse_number("0.5"), parse_number("scale"), parse_number("2")
    (0.5, 'scale', 2)
    """
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def changed_parameters(model: Any) -> dict[str, Any]:
    """The parameters that differ from their defaults."""
    known = inspect.signature(type(model)).parameters
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(known[name].default)
    }


def _parse_setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(
            f"--set takes NAME=VALUE, as in shuffle=False; got {text!r}."
        )
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return name, value  # a word


def _choices(word: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(word, known, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}? There are " if near else "there are "
    return f"{hint}{', '.join(known)}."


def seed_model(machine: Any, seed: int | None) -> None:
    """The same command gives the same model, unless a seed was set otherwise."""
    if machine.get_params().get("random_state", 0) is None:
        machine.set_params(random_state=seed or 0)


def check_model_file(output: Path | None) -> None:
    """Complain before the work, not after it."""
    if output is None:
        return
    folder = output.resolve().parent
    if output.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ParameterError(
            f"The model cannot be written to {output}; give the name of a file in a "
            "folder that is there and can be written to."
        )
