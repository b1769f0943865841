"""Mercer: fast, exact kernel classifiers, and studies that anyone can run again.

Names are imported when they are first used, so that ``import mercer`` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mercer._version import __version__

if TYPE_CHECKING:
    from mercer import bench, calibration, datasets, estimators, kernels, metrics
    from mercer.datasets import load_dataset

_HOMES = {
    "load_dataset": "mercer.datasets",
}
_PACKAGES = {
    "bench",
    "calibration",
    "datasets",
    "estimators",
    "exceptions",
    "kernels",
    "metrics",
    "model_selection",
    "report",
    "solvers",
}

__all__ = [
    "__version__",
    "bench",
    "calibration",
    "datasets",
    "estimators",
    "kernels",
    "load_dataset",
    "metrics",
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"mercer.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *_HOMES})
