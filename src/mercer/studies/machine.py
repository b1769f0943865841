"""Facts of the machine, as they go into every row; they name no host and no user."""

import os
import platform
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import psutil
from threadpoolctl import threadpool_info

from mercer._memory import format_bytes
from mercer._threads import n_threads
from mercer.studies.plain import Plain

_LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn")


def machine_facts() -> dict[str, Plain]:
    """Processor, memory, system and the libraries that do the arithmetic."""
    return {"threads": n_threads(), **_lasting_facts()}


@lru_cache(maxsize=1)
def _lasting_facts() -> dict[str, Plain]:
    blas = {
        f"{pool['internal_api']} {pool['version']}"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "memory": format_bytes(psutil.virtual_memory().total),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "libraries": ", ".join(f"{name} {version(name)}" for name in _LIBRARIES),
        "BLAS": ", ".join(sorted(blas)),
    }


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
