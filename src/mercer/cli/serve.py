"""``mercer serve``: models behind HTTP, on this machine unless told otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mercer._extras import import_extra
from mercer.cli._console import say_aside
from mercer.cli._sentences import in_sentences
from mercer.exceptions import ParameterError


def serve(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="Models that mercer fit kept; else one is fitted.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 for all networks.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
) -> None:
    """Answer for models over HTTP: predictions and explanations.

    Paths: /api/models, /api/predict, /api/predict/image, /api/explain, /health, and
    /openapi.json, which describes them. Without a model, an SVM is fitted on mnist5k.
    Nobody is asked for a password: keep it to machines that you trust.

    [dim]Examples[/]

      mercer serve

      mercer serve digits.mercer usps.mercer --port 8080
    """
    uvicorn = import_extra("uvicorn", "web", "Serving models")
    import_extra("fastapi", "web", "Serving models")
    with in_sentences():
        models = load_models(files or [])
        from mercer.web.app import make_app

        app = make_app(models)
    names = ", ".join(model.name for model in models)
    say_aside(f"Serving {names} at http://{host}:{port} (Ctrl-C ends it)")
    uvicorn.run(app, host=host, port=port, log_level="warning")


def load_models(files: list[Path]) -> list[Any]:
    """The models of these files, or one that is fitted now."""
    from mercer.evaluation import load_classifier
    from mercer.web.limits import Limits
    from mercer.web.served_model import ServedModel

    if not files:
        return [ServedModel("mnist5k", _fit_digits(), Limits(), (28, 28))]
    models = []
    for file in files:
        machine = load_classifier(file)
        if getattr(machine, "kernel", None) == "precomputed":
            raise ParameterError(
                f"{file} was trained on a precomputed kernel; it takes kernel values "
                "and no samples, so it cannot be served."
            )
        models.append(ServedModel(file.stem, machine, Limits()))
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise ParameterError("Two of the models have one name; rename their files.")
    return models


def _fit_digits() -> Any:
    import mercer

    data = mercer.load_dataset("mnist5k")
    say_aside(f"Fitting an SVM on the {len(data.y):,} images of mnist5k ...")
    return mercer.KernelSVC(C=10, gamma=0.02).fit(data.X / data.X.max(), data.y)
