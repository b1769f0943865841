"""Mercer: fast, exact kernel classifiers, and studies that anyone can run again.

Names are imported when they are first used, so that ``import mercer`` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mercer._version import __version__

if TYPE_CHECKING:
    from mercer import (
        bench,
        calibration,
        datasets,
        estimators,
        evaluation,
        kernels,
        metrics,
    )
    from mercer.datasets import load_dataset
    from mercer.estimators import (
        KernelKNN,
        KernelPegasos,
        KernelPerceptron,
        KernelSVC,
        Winnow,
        load,
        save,
    )
    from mercer.evaluation import evaluate

_HOMES = {
    "KernelKNN": "mercer.estimators",
    "KernelPegasos": "mercer.estimators",
    "KernelPerceptron": "mercer.estimators",
    "KernelSVC": "mercer.estimators",
    "Winnow": "mercer.estimators",
    "evaluate": "mercer.evaluation",
    "load": "mercer.estimators",
    "load_dataset": "mercer.datasets",
    "save": "mercer.estimators",
}
_PACKAGES = {
    "bench",
    "calibration",
    "datasets",
    "estimators",
    "evaluation",
    "exceptions",
    "kernels",
    "metrics",
    "model_selection",
    "report",
    "solvers",
    "studies",
}

__all__ = [
    "KernelKNN",
    "KernelPegasos",
    "KernelPerceptron",
    "KernelSVC",
    "Winnow",
    "__version__",
    "bench",
    "calibration",
    "datasets",
    "estimators",
    "evaluate",
    "evaluation",
    "kernels",
    "load",
    "load_dataset",
    "metrics",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"mercer.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *_HOMES})
