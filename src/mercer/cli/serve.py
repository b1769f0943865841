"""``mercer serve``: models behind HTTP, on this machine unless told otherwise."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from mercer._extras import import_extra
from mercer.cli import _options as opt
from mercer.cli._console import say_aside
from mercer.cli._fit_bar import watched
from mercer.cli._sentences import in_sentences
from mercer.exceptions import ParameterError

#: Of the images of mnist5k every so manieth is left for the page to start from.
_LEFT_OUT = 50


def serve(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="Models that mercer fit kept; else three are fitted.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 for all networks.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="0 takes one that is free.")
    ] = 8000,
    store: opt.StorePath = opt.STORE,
) -> None:
    """Answer for models over HTTP, and show a page to draw on.

    Paths: / is the page, /results shows the store's studies, /api/models, /api/samples,
    /api/predict, /api/predict/image, /api/explain, /health, and /openapi.json, which
    describes them. Without a model, an SVM, a perceptron and nearest neighbours are
    fitted on mnist5k. Nobody is asked for a password: keep it to machines that you
    trust.

    [dim]Examples[/]

      mercer serve

      mercer serve digits.mercer usps.mercer --port 8080
    """
    uvicorn = import_extra("uvicorn", "web", "Serving models")
    import_extra("fastapi", "web", "Serving models")
    listening = _listen(host, port)
    with in_sentences():
        models = load_models(files or [])
        from mercer.web.app import make_app

        app = make_app(models, store=store)
    names = ", ".join(model.name for model in models)
    port = listening.getsockname()[1]
    say_aside(f"Serving {names} at http://{host}:{port} (Ctrl-C ends it)")
    config = uvicorn.Config(app, log_level="warning")
    uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that is ready before models are loaded, or a sentence why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise ParameterError(
            f"Nothing can listen on port {port} of {host} ({error.strerror}); name "
            "another with --port, or 0 for one that is free."
        ) from None


def load_models(files: list[Path]) -> list[Any]:
    """The models of these files, or some that are fitted now."""
    from mercer.evaluation import load_classifier
    from mercer.preparation import check_takes_rows
    from mercer.web.limits import ServiceLimits
    from mercer.web.served_model import ServedModel

    if not files:
        return _fit_digits()
    models = []
    for file in files:
        machine = load_classifier(file)
        if getattr(machine, "kernel", None) == "precomputed":
            raise ParameterError(
                f"{file} was trained on a precomputed kernel; it takes kernel values "
                "and no samples, so it cannot be served."
            )
        check_takes_rows(machine)
        models.append(ServedModel(file.stem, machine, ServiceLimits()))
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise ParameterError("Two of the models have one name; rename their files.")
    return models


def _fit_digits() -> list[Any]:
    """Three kinds of models of mnist5k, and images of it that none of them has seen."""
    import mercer
    from mercer.web.limits import ServiceLimits
    from mercer.web.served_model import ServedModel

    data = mercer.load_dataset("mnist5k")
    new = np.arange(len(data.y)) % _LEFT_OUT == 0
    X, y = data.X[~new], data.y[~new]
    models = {
        "SVM": mercer.KernelSVC(C=10, gamma=0.02),
        "perceptron": mercer.KernelPerceptron(kernel="poly", degree=4),
        "neighbours": mercer.KernelKNN(5),
    }
    for name, model in models.items():
        say_aside(f"Fitting on {len(y):,} images of mnist5k: {name} ...")
        with watched(model, wanted=True):
            model.fit(X, y)
    return [
        ServedModel(name, model, ServiceLimits(), data.image_shape, data.X[new])
        for name, model in models.items()
    ]
