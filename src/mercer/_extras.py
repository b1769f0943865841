"""Optional dependencies: imported when needed, missed with one friendly sentence."""

import importlib
from types import ModuleType

from mercer.exceptions import MissingExtraError

#: which extra brings which modules
EXTRAS = {
    "cli": ("typer", "rich"),
    "report": ("jinja2", "matplotlib", "markdown_it", "markupsafe"),
    "web": (
        "fastapi",
        "PIL",
        "pydantic",
        "python_multipart",
        "starlette",
        "uvicorn",
    ),
    "data": ("h5py", "mlxtend"),
    "cluster": ("dask", "distributed", "cloudpickle", "pandas"),
    "explain": ("shap",),
    "onnx": ("onnx", "onnxruntime", "skl2onnx"),
}


def extra_of(module: str) -> str | None:
    """The extra that brings a module.

    >>> extra_of("matplotlib.figure"), extra_of("numpy")
    ('report', None)
    """
    root = module.split(".")[0]
    return next((extra for extra, names in EXTRAS.items() if root in names), None)


def missing_extra(purpose: str, module: str, extra: str) -> MissingExtraError:
    """The one sentence about something that is not installed."""
    return MissingExtraError(
        f"{purpose} needs {module}, which is not installed; "
        f"get it with: pip install 'mercer[{extra}]'"
    )


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
        root = module.split(".")[0]
        if (error.name or "").split(".")[0] != root:
            raise
        raise missing_extra(purpose, root, extra) from None
