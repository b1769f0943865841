"""The studies that there are: Mercer's own, and those that packages register.

A package registers its study with the entry point group ``mercer.studies``::

    [project.entry-points."mercer.studies"]
    my-study = "my_package.my_study.study:MyStudy"
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points

from mercer.exceptions import ParameterError
from mercer.studies.study import Study

GROUP = "mercer.studies"

#: Name of a study and where its class is, so that listing imports only what it must.
_OWN = {
    "compare": "compare.study:Compare",
    "pegasos-grid": "published.pegasos_grid.study:PegasosGrid",
    "pegasos-gaussian": "published.pegasos_gaussian.study:PegasosGaussian",
    "perceptron-variants": "published.perceptron_variants.study:PerceptronVariants",
    "digit-classifiers": "published.digit_classifiers.study:DigitClassifiers",
    "sample-complexity": "published.sample_complexity.study:SampleComplexity",
    "svm-decisions": "published.svm_decisions.study:SvmDecisions",
}


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
    foreign = {
        point.name: (lambda point=point: point.load()())
        for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)
        if point.name not in _OWN
    }
    return {name: _import_later(place) for name, place in _OWN.items()} | foreign


def _import_later(place: str) -> Callable[[], object]:
    module, _, name = place.partition(":")
    return lambda: getattr(import_module(f"mercer.studies.{module}"), name)()
