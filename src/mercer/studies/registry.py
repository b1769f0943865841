"""The studies that there are: Mercer's own, and those that packages register.

A package registers its study with the entry point group ``mercer.studies``::

    [project.entry-points."mercer.studies"]
    my-study = "my_package.my_study.study:MyStudy"
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points

from mercer.exceptions import ParameterError
from mercer.studies.study import Study

GROUP = "mercer.studies"

#: The folders of Mercer's own studies, in the order in which they are listed. A study
#: is called as its folder, with hyphens; its class is the one in ``study.py``.
_OWN = (
    "compare",
    "published.pegasos_grid",
    "published.pegasos_gaussian",
    "published.perceptron_variants",
    "published.digit_classifiers",
    "published.sample_complexity",
    "published.svm_decisions",
)


def study_names() -> list[str]:
    """All names, Mercer's own first.

    >>> study_names()[0]
    'compare'
    """
    return list(_makers())


def get_study(name: str) -> Study:
    """The study of this name."""
    makers = _makers()
    if name not in makers:
        near = get_close_matches(name, makers, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(makers)}."
        raise ParameterError(f"There is no study {name!r}; {hint}")
    study = makers[name]()
    if not isinstance(study, Study):
        raise ParameterError(
            f"The study {name!r} is a {type(study).__name__}, which is no subclass of "
            "mercer.studies.Study."
        )
    if study.name != name:
        raise ParameterError(
            f"The study {name!r} calls itself {study.name!r}; its entry point must "
            "have the same name."
        )
    return study


def _makers() -> dict[str, Callable[[], object]]:
    """What makes each study, so that listing imports only what it must."""
    own: dict[str, Callable[[], object]] = {
        folder.rpartition(".")[2].replace("_", "-"): partial(_make_own, folder)
        for folder in _OWN
    }
    foreign = {
        point.name: (lambda point=point: point.load()())
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
        if point.name not in own
    }
    return own | foreign


def _make_own(folder: str) -> object:
    module = import_module(f"mercer.studies.{folder}.study")
    (study,) = (
        found
        for found in vars(module).values()
        if isinstance(found, type) and found.__module__ == module.__name__
        if issubclass(found, Study)
    )
    return study()
