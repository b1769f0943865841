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

_PACKAGES = {
    "bench",
    "calibration",
    "cluster",
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
#: Every other name of `__all__` is one of the estimators package.
_HOMES = {"evaluate": "mercer.evaluation", "load_dataset": "mercer.datasets"}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"mercer.{name}")
    if name in __all__:
        home = importlib.import_module(_HOMES.get(name, "mercer.estimators"))
        return getattr(home, name)
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *__all__})
