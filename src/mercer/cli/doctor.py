"""``mercer doctor``: what Mercer finds on this machine."""

import importlib.metadata
import importlib.util
import platform
import shutil
from typing import Any

import mercer
from mercer._extras import EXTRAS
from mercer.cli import _options as opt
from mercer.cli._console import print_json
from mercer.cli._tables import print_facts

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "skops")


def examine() -> dict[str, Any]:
    """Everything that decides how fast and with what Mercer works here."""
    import psutil
    import scipy.linalg  # noqa: F401 - only libraries that are loaded show their BLAS
    from threadpoolctl import threadpool_info

    from mercer._memory import format_bytes, memory_budget
    from mercer._threads import n_threads

    blas = [
        f"{pool['internal_api']} {pool['version']} ({pool['num_threads']} threads)"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]
    return {
        "mercer": mercer.__version__,
        "python": f"{platform.python_version()} on {platform.platform()}",
        "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        "threads": n_threads(),
        "blas": blas,
        "memory": f"{format_bytes(psutil.virtual_memory().available)} free",
        "memory budget": format_bytes(memory_budget()),
        "numba cache": _describe_cache(),
        "extras": {extra: _extra_state(extra) for extra in EXTRAS},
        "data folder": str(mercer.datasets.data_folder()),
        "data sets": {
            entry.name: "here" if entry.available else entry.missing
            for entry in mercer.datasets.catalogue()
        },
    }


def doctor(as_json: opt.Json = False) -> None:
    """Show versions, threads, BLAS, extras, data folder and caches.

    [dim]Example[/]

      mercer doctor --json
    """
    facts = examine()
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        if isinstance(value, dict):
            value = [f"{key}: {text}" for key, text in value.items()]
        facts[name] = "\n".join(value) if isinstance(value, list) else str(value)
    print_facts(facts)


def _extra_state(extra: str) -> str:
    modules = EXTRAS[extra]
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if not missing:
        return "installed"
    return f"missing {', '.join(missing)}: pip install 'mercer[{extra}]'"


def _describe_cache() -> str:
    from mercer._memory import format_bytes
    from mercer._numba import cache_folder

    if (folder := cache_folder()) is None:
        return "none: no folder can be written to; set NUMBA_CACHE_DIR to one"
    return f"below {folder} ({format_bytes(shutil.disk_usage(folder).free)} free)"
