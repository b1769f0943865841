"""More than one machine: learners on Dask collections.

>>> from mercer.cluster import DaskKernelSVC  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mercer._extras import import_extra

if TYPE_CHECKING:
    from mercer.cluster.neighbours import DaskKernelKNN
    from mercer.cluster.svc import DaskKernelSVC

_HOMES = {"DaskKernelKNN": "neighbours", "DaskKernelSVC": "svc"}
__all__ = ["DaskKernelKNN", "DaskKernelSVC"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mercer.cluster' has no attribute {name!r}")
    import_extra("distributed", "cluster", f"{name}, which learns on a cluster,")
    return getattr(importlib.import_module(f"mercer.cluster.{_HOMES[name]}"), name)
