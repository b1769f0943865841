"""Optional dependencies: imported when needed, missed with one friendly sentence."""

import importlib
from types import ModuleType

from mercer.exceptions import MissingExtraError

#: which extra brings which modules
EXTRAS = {
    "cli": ("typer", "rich"),
    "report": ("jinja2", "matplotlib", "markdown_it"),
    "web": ("fastapi", "uvicorn"),
    "data": ("h5py", "mlxtend"),
    "cluster": ("dask", "distributed"),
}


def extra_of(module: str) -> str | None:
    """The extra that brings a module.

    >>> extra_of("matplotlib.figure"), extra_of("numpy")
    ('report', None)
    """
    root = module.split(".")[0]
    return next((extra for extra, names in EXTRAS.items() if root in names), None)


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or say which extra of Mercer brings it.

    >>> import_extra("no_such_module", "web", "Serving models")
    Traceback (most recent call last):
        ...
    mercer.exceptions.MissingExtraError: Serving models needs no_such_module, which is
    not installed; get it with: pip install 'mercer[web]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != module.split(".")[0]:
            raise
        raise MissingExtraError(
            f"{purpose} needs {module.split('.')[0]}, which is not installed; "
            f"get it with: pip install 'mercer[{extra}]'"
        ) from None
