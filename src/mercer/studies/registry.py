"""The studies that there are: Mercer's own, and those that packages register.

A package registers its study with the entry point group ``mercer.studies``::

    [project.entry-points."mercer.studies"]
    my-study = "my_package.my_study.study:MyStudy"
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

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
    "records",
)


def study_names() -> list[str]:
    """All names, Mercer's own first.

    >>> study_names()[0]
    'compare'
    """
    return list(_makers())


def study_place(study: Study) -> str:
    """What `get_study` takes for this study: its name, or its folder.

    >>> study_place(get_study("compare"))
    'compare'
    """
    return f"{study.folder()}" if study.name in _FOLDERS else study.name


def get_study(name: str) -> Study:
    """The study of this name, or in the folder of this path, whose code is then run."""
    if os.sep in name or name in (".", ".."):
        return _load_folder(Path(name))
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
        folder.rpartition(".")[2].replace("_", "-"): partial(
            _make, f"mercer.studies.{folder}.study"
        )
        for folder in _OWN
    }
    foreign = {
        point.name: (lambda point=point: point.load()())
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
        if point.name not in own
    }
    return own | foreign | _FOLDERS


#: Studies that were loaded from folders of the user.
_FOLDERS: dict[str, Callable[[], object]] = {}


def _load_folder(path: Path) -> Study:
    """Import ``study.py`` of a folder, as a package of that name."""
    folder = path.resolve()
    if not (folder / "study.py").is_file():
        raise ParameterError(f"{path} is no study: it has no file study.py.")
    package = folder.name
    if not package.isidentifier():
        raise ParameterError(
            f"{path}: the folder of a study is a package; give it a name of letters, "
            "digits and underscores."
        )
    # processes that help look there too
    sys.path.insert(0, str(folder.parent))
    try:
        make = partial(_make, f"{package}.study")
        study = make()
    except Exception as error:  # of any code
        sys.path.remove(str(folder.parent))
        kind = type(error).__name__
        raise ParameterError(f"{path} cannot be loaded ({kind}: {error}).") from None
    assert isinstance(study, Study)
    if study.folder().resolve() != folder:
        raise ParameterError(
            f"{path}: a package {package} is loaded already, from {study.folder()}; "
            "give the folder another name."
        )
    if study.name in _makers() and study.name not in _FOLDERS:
        raise ParameterError(f"{path}: there is a study {study.name!r} already.")
    _FOLDERS[study.name] = make
    return study


def _make(module_name: str) -> object:
    module = import_module(module_name)
    found = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__
        if issubclass(one, Study)
    ]
    if len(found) != 1:
        raise ParameterError(
            f"{module_name} defines {len(found)} subclasses of Study; one is needed"
        )
    return found[0]()
