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
        deployment,
        estimators,
        evaluation,
        explain,
        images,
        kernels,
        metrics,
        model_selection,
        preparation,
        studies,
    )
    from mercer.calibration import CalibratedClassifier
    from mercer.datasets import load_dataset
    from mercer.deployment import to_onnx
    from mercer.estimators import (
        KernelKNN,
        KernelPegasos,
        KernelPerceptron,
        KernelSVC,
        VirtualSVC,
        Winnow,
        compress,
        load,
        save,
    )
    from mercer.evaluation import evaluate
    from mercer.model_selection import GramSearchCV

__all__ = [
    "CalibratedClassifier",
    "GramSearchCV",
    "KernelKNN",
    "KernelPegasos",
    "KernelPerceptron",
    "KernelSVC",
    "VirtualSVC",
    "Winnow",
    "__version__",
    "bench",
    "calibration",
    "compress",
    "datasets",
    "deployment",
    "estimators",
    "evaluate",
    "evaluation",
    "explain",
    "images",
    "kernels",
    "load",
    "load_dataset",
    "metrics",
    "model_selection",
    "preparation",
    "save",
    "studies",
    "to_onnx",
]

_PACKAGES = {
    "bench",
    "calibration",
    "cluster",
    "datasets",
    "deployment",
    "estimators",
    "evaluation",
    "exceptions",
    "explain",
    "images",
    "kernels",
    "metrics",
    "model_selection",
    "preparation",
    "report",
    "solvers",
    "studies",
    "svm",
}
#: Every other name of `__all__` is one of the estimators package.
_HOMES = {
    "CalibratedClassifier": "mercer.calibration",
    "GramSearchCV": "mercer.model_selection",
    "evaluate": "mercer.evaluation",
    "load_dataset": "mercer.datasets",
    "to_onnx": "mercer.deployment",
}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"mercer.{name}")
    if name in __all__:
        home = importlib.import_module(_HOMES.get(name, "mercer.estimators"))
        return getattr(home, name)
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *__all__})
