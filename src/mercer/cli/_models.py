"""Models by short names, with parameters as the command line gives them."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import mercer
from mercer.exceptions import ParameterError


def short_name(class_name: str) -> str:
    """What a learner is called on the command line.

    >>> short_name("KernelSVC"), short_name("Winnow"), short_name("VirtualSVC")
    ('svc', 'winnow', 'virtual-svc')
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", class_name)
    return "-".join(words).lower().removeprefix("kernel-")


#: the class in `mercer` behind each short name: those of its estimators package
MODELS = {
    short_name(name): name
    for name in mercer.__all__
    if name[0].isupper() and name not in mercer._HOMES
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


def parse_value(text: str | None) -> Any:
    """A number or another Python value where the text is one, else a word.

    >>> parse_value("0.5"), parse_value("scale"), parse_value("(1, 2)")
    (0.5, 'scale', (1, 2))
    """
    if text is None:
        return None
    for read in (ast.literal_eval, float):
        try:
            return read(text.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
    return text


def describe_model(model: Any) -> str:
    """The class, and the parameters that differ from their defaults.

    >>> describe_model(mercer.KernelKNN(n_neighbors=3))
    'KernelKNN(n_neighbors=3)'
    """
    known = inspect.signature(type(model)).parameters
    words = [
        f"{name}={value!r}"
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(known[name].default)
    ]
    return f"{type(model).__name__}({', '.join(words)})"


def _parse_setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(
            f"--set takes NAME=VALUE, as in shuffle=False; got {text!r}."
        )
    return name, parse_value(value)


def _choices(word: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(word, known, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}? There are " if near else "there are "
    return f"{hint}{', '.join(known)}."


def seed_model(machine: Any, seed: int | None) -> None:
    """The same command gives the same model, unless a seed was set otherwise."""
    if machine.get_params().get("random_state", 0) is None:
        machine.set_params(random_state=seed or 0)


def check_model_file(output: Path | None) -> None:
    """As `check_can_be_written`; nothing but another model is written over."""
    check_can_be_written(output)
    if output is None or not output.is_file() or not output.stat().st_size:
        return
    from mercer.estimators.model_file import is_model_file

    if not is_model_file(output):
        raise ParameterError(
            f"{output} is there and holds no model; give another name, or remove it."
        )


def check_can_be_written(output: Path | None) -> None:
    """Complain before the work, not after it."""
    if output is None:
        return
    folder = output.resolve().parent
    if output.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ParameterError(
            f"The model cannot be written to {output}; give the name of a file in a "
            "folder that is there and can be written to."
        )
