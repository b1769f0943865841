"""Estimators that a user names: an import path, and parameters as Python writes them.

``sklearn.ensemble.RandomForestClassifier(n_estimators=300, max_depth=[None, 8])``: a
list is what the search tries. Naming one imports its module, as any program does.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from typing import Any

from sklearn.base import is_classifier

from mercer.exceptions import ParameterError
from mercer.studies.compare.learners import LEARNERS, Learner, learner_name


def find_learner(key: str) -> Learner:
    """One of the study's own learners, or the one that is named so."""
    if key in LEARNERS:
        return LEARNERS[key]
    path, given = _parse(key)
    cls = _import(path)
    fixed = {name: value for name, value in given.items() if type(value) is not list}
    grid = {name: value for name, value in given.items() if type(value) is list}

    def make(seed: int) -> Any:
        model = cls(**fixed)
        if "random_state" not in given and "random_state" in model.get_params():
            model.set_params(random_state=seed)
        return model

    return Learner(learner_name(key), make, grid, is_ours=False)


def spell_learner(text: str) -> str:
    """The one spelling of a learner's name, which must be one that can be made.

    >>> spell_learner("sklearn.svm.LinearSVC( tol=1e-3, C=[1,10] )")
    'sklearn.svm.LinearSVC(C=[1, 10], tol=0.001)'
    """
    path, given = _parse(text)
    words = ", ".join(f"{name}={given[name]!r}" for name in sorted(given))
    key = f"{path}({words})"
    try:
        model = find_learner(key).make(0)
        known = model.get_params()
    except ParameterError:
        raise
    except Exception as error:  # of any package
        raise ParameterError(
            f"--learner {text}: it cannot be made ({error})."
        ) from None
    if not is_classifier(model):
        raise ParameterError(f"--learner {text}: {path} is no classifier.")
    for name, value in given.items():
        if name not in known:
            raise ParameterError(
                f"--learner {text}: {path} has no parameter {name!r}; it has "
                f"{', '.join(sorted(known))}."
            )
        if value == []:
            raise ParameterError(f"--learner {text}: {name} has no values to try.")
    return key


def _parse(text: str) -> tuple[str, Mapping[str, Any]]:
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else None
        path = ast.unparse(node if call is None else call.func)
        keywords = [] if call is None else call.keywords
        given = {str(word.arg): ast.literal_eval(word.value) for word in keywords}
        good = (call is None or not call.args) and "None" not in given
        if not good or not all(map(str.isidentifier, path.split("."))):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ParameterError(
            f"--learner is {text!r}; it takes an import path and parameters, as in "
            "'sklearn.ensemble.RandomForestClassifier(max_depth=[None, 8])', where a "
            "list is what is tried."
        ) from None
    return path, given


def _import(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        cls = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ParameterError(
            f"--learner {path} cannot be imported ({error}); give the path of a class, "
            "as sklearn.ensemble.RandomForestClassifier."
        ) from None
    if not isinstance(cls, type):
        raise ParameterError(f"--learner {path} is no class.")
    return cls
