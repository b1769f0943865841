"""``mercer fit``: train a model on data, test it, and keep it in a file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mercer
from mercer._memory import format_bytes
from mercer.cli._console import out
from mercer.cli._facts import describe_error, describe_seconds, print_facts
from mercer.cli._fit_bar import unwatch, watch
from mercer.cli._models import (
    build_model,
    changed_parameters,
    check_model_file,
    parse_number,
    seed_model,
)
from mercer.cli._options import (
    DATA_PANEL,
    MODEL_PANEL,
    OUTPUT_PANEL,
    Data,
    Json,
    Label,
    MemoryBudget,
    ModelName,
    Seed,
    Settings,
)
from mercer.cli._sentences import in_sentences, within_memory
from mercer.cli._split import Split, choose_split

if TYPE_CHECKING:
    from mercer.datasets import Dataset


def fit(
    data: Data,
    model: ModelName = "svc",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to keep the model."),
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            help="linear, poly, rbf, exponential or cosine.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(
            help="Of the kernel: scale, auto or a number.", rich_help_panel=MODEL_PANEL
        ),
    ] = None,
    degree: Annotated[
        int | None, typer.Option(help="Of poly.", rich_help_panel=MODEL_PANEL)
    ] = None,
    coef0: Annotated[
        float | None, typer.Option(help="Of poly.", rich_help_panel=MODEL_PANEL)
    ] = None,
    c: Annotated[
        float | None,
        typer.Option("--C", help="Of svc and pegasos.", rich_help_panel=MODEL_PANEL),
    ] = None,
    lam: Annotated[
        float | None, typer.Option(help="λ of pegasos.", rich_help_panel=MODEL_PANEL)
    ] = None,
    epochs: Annotated[
        str | None,
        typer.Option(help="Walks through the samples.", rich_help_panel=MODEL_PANEL),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(
            help="Of perceptron: last, averaged or best.", rich_help_panel=MODEL_PANEL
        ),
    ] = None,
    n_neighbors: Annotated[
        int | None, typer.Option("--n-neighbors", "-k", rich_help_panel=MODEL_PANEL)
    ] = None,
    multiclass: Annotated[
        str | None, typer.Option(help="ovr or ovo.", rich_help_panel=MODEL_PANEL)
    ] = None,
    settings: Settings = None,
    seed: Seed = None,
    test_size: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of the samples to test on, drawn at random; without it the "
            "official split, or 0.2 where there is none.",
            rich_help_panel=DATA_PANEL,
        ),
    ] = None,
    train_on: Annotated[
        str,
        typer.Option(
            help="train, or all: train on all samples and test on none.",
            rich_help_panel=DATA_PANEL,
        ),
    ] = "train",
    limit: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Train on so many of the training samples only, drawn at random.",
            rich_help_panel=DATA_PANEL,
        ),
    ] = None,
    label: Label = "auto",
    memory_budget: MemoryBudget = None,
    train_error: Annotated[
        bool,
        typer.Option(
            "--train-error/--no-train-error",
            help="Whether to count the mistakes on the training samples too.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = True,
    as_json: Json = False,
) -> None:
    """Train a model, count its mistakes on samples it has not seen, and keep it.

    [dim]Examples[/]

      mercer fit digits --model perceptron --kernel poly --degree 3

      mercer fit usps -m svc --C 10 --gamma 0.02 -o usps.mercer

      mercer fit mnist -m pegasos --lam 1e-5 --limit 10000 --memory-budget 2GB

      mercer fit flowers.csv --label last -m knn -k 5 --train-on all -o flowers.mercer

      mercer fit iris -m perceptron --set shuffle=False --set mistake=sign --json
    """
    options = {
        "kernel": kernel,
        "gamma": parse_number(gamma),
        "degree": degree,
        "coef0": coef0,
        "C": c,
        "lam": lam,
        "epochs": parse_number(epochs),
        "variant": variant,
        "n_neighbors": n_neighbors,
        "multiclass": multiclass,
    }
    with within_memory(memory_budget), in_sentences():
        machine = build_model(model, options, settings or ())
        seed_model(machine, seed)
        check_model_file(output)
        dataset = mercer.load_dataset(data, label=label)
        split = choose_split(dataset, train_on, test_size, limit, seed or 0)
        if not as_json:
            watch(machine)
        result = train(machine, dataset, split, train_error)
        unwatch(machine)
        if output is not None:
            mercer.save(machine, output)
            result |= {"file": str(output), "file_bytes": output.stat().st_size}
    if as_json:
        typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        _print(result, machine)


def train(
    machine: Any, dataset: Dataset, split: Split, train_error: bool = True
) -> dict[str, Any]:
    """Fit a model and count its mistakes; returns what can be said about it."""
    X, y = dataset.X[split.train], dataset.y[split.train]
    start = time.perf_counter()
    machine.fit(X, y)
    fit_seconds = time.perf_counter() - start
    certificate = getattr(machine, "certificate_", None)
    result: dict[str, Any] = {
        "data": dataset.name,
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "n_classes": len(machine.classes_),
        "split": split.how,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "model": type(machine).__name__,
        "parameters": _plain(machine.get_params(deep=False)),
        "kernel": _text(getattr(machine, "kernel_", None)),
        "train_wrong": None,
        "train_error": None,
        "test_wrong": None,
        "test_error": None,
        "n_support": len(machine.support_) if hasattr(machine, "support_") else None,
        "fit_seconds": fit_seconds,
        "predict_seconds": None,
        "certificate": _text(certificate),
        "gap": None if certificate is None else certificate.gap,
        "converged": None if certificate is None else certificate.converged,
        "file": None,
        "file_bytes": None,
    }
    if train_error:
        wrong = int((machine.predict(X) != y).sum())
        result |= {"train_wrong": wrong, "train_error": wrong / len(y)}
    if len(split.test):
        start = time.perf_counter()
        predicted = machine.predict(dataset.X[split.test])
        result["predict_seconds"] = time.perf_counter() - start
        wrong = int((predicted != dataset.y[split.test]).sum())
        result |= {"test_wrong": wrong, "test_error": wrong / len(split.test)}
    return result


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    simple = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, simple) else repr(value)
        for name, value in parameters.items()
    }


def _print(result: dict[str, Any], machine: Any) -> None:
    parameters = changed_parameters(machine)
    words = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    tested = result["n_test"]
    print_facts(
        {
            "data": f"{result['data']}: {result['n_samples']:,} samples, "
            f"{result['n_features']:,} features, {result['n_classes']:,} classes",
            "split": f"{result['n_train']:,} to train on, {tested:,} to test on "
            f"({result['split']})",
            "model": f"{result['model']}({words})",
            "kernel": result["kernel"],
            "training": _error(result["train_wrong"], result["n_train"]),
            "test": _error(result["test_wrong"], tested),
            "support": _support(result),
            "certificate": result["certificate"],
            "time": _times(result),
            "file": _file(result),
        }
    )
    if result["file"] is None:
        out.print("\nNot saved: -o FILE keeps the model.")


def _error(wrong: int | None, samples: int) -> str | None:
    return None if wrong is None else describe_error(wrong, samples)


def _support(result: dict[str, Any]) -> str | None:
    if result["n_support"] is None:
        return None
    share = result["n_support"] / result["n_train"]
    return f"{result['n_support']:,} vectors ({share:.0%} of the training samples)"


def _times(result: dict[str, Any]) -> str:
    text = f"{describe_seconds(result['fit_seconds'])} to fit"
    if result["predict_seconds"] is None:
        return text
    seconds = describe_seconds(result["predict_seconds"])
    return f"{text}, {seconds} to predict {result['n_test']:,}"


def _file(result: dict[str, Any]) -> str | None:
    if result["file"] is None:
        return None
    return f"{result['file']} ({format_bytes(result['file_bytes'])})"
