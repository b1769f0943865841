"""``mercer fit``: train a model on data, test it, and keep it in a file."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import mercer
from mercer._memory import format_bytes, within_memory
from mercer.cli import _options as opt
from mercer.cli._console import out, print_json
from mercer.cli._fit_bar import watched
from mercer.cli._models import (
    build_model,
    check_model_file,
    describe_model,
    parse_value,
    seed_model,
)
from mercer.cli._prepared import prepare_for
from mercer.cli._sentences import in_sentences
from mercer.cli._split import TrainTestRows, choose_split
from mercer.cli._tables import print_facts

if TYPE_CHECKING:
    from mercer.datasets import Dataset


def fit(
    data: opt.Data,
    model: opt.ModelName = "svc",
    output: Annotated[
        Path | None, opt.output_file(metavar="FILE", help="Where to keep the model.")
    ] = None,
    kernel: Annotated[
        str | None, opt.of_model(help="linear, poly, rbf, exponential or cosine.")
    ] = None,
    gamma: Annotated[
        str | None, opt.of_model(help="Of the kernel: scale, auto or a number.")
    ] = None,
    degree: Annotated[int | None, opt.of_model(help="Of poly.")] = None,
    coef0: Annotated[float | None, opt.of_model(help="Of poly.")] = None,
    c: Annotated[float | None, opt.of_model("--C", help="Of svc and pegasos.")] = None,
    lam: Annotated[float | None, opt.of_model(help="λ of pegasos.")] = None,
    epochs: Annotated[
        str | None, opt.of_model(help="Walks through the samples.")
    ] = None,
    variant: Annotated[
        str | None, opt.of_model(help="Of perceptron: last, averaged or best.")
    ] = None,
    n_neighbors: Annotated[int | None, opt.of_model("--n-neighbors", "-k")] = None,
    multiclass: Annotated[str | None, opt.of_model(help="ovr or ovo.")] = None,
    settings: opt.Settings = None,
    seed: opt.Seed = None,
    test_size: opt.TestSize = None,
    train_on: Annotated[
        str,
        opt.of_data(help="train, or all: train on all samples and test on none."),
    ] = "train",
    limit: opt.Limit = None,
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    categorical: opt.Categorical = None,
    missing: opt.Missing = "error",
    scale: opt.Scale = "auto",
    memory_budget: opt.MemoryBudget = None,
    train_error: Annotated[
        bool,
        opt.of_output(
            "--train-error/--no-train-error",
            help="Whether to count the mistakes on the training samples too.",
        ),
    ] = True,
    as_json: opt.Json = False,
) -> None:
    """Train a model, count its mistakes on samples it has not seen, and keep it.

    [dim]Examples[/]

      mercer fit digits --model perceptron --kernel poly --degree 3

      mercer fit usps -m svc --C 10 --gamma 0.02 -o usps.mercer

      mercer fit mnist -m pegasos --lam 1e-5 --limit 10000 --memory-budget 2GB

      mercer fit flowers.csv --label last -m knn -k 5 --train-on all -o flowers.mercer

      mercer fit passengers.csv --drop name --missing median --scale standard

      mercer fit iris -m perceptron --set shuffle=False --set mistake=sign --json
    """
    options = {
        "kernel": kernel,
        "gamma": parse_value(gamma),
        "degree": degree,
        "coef0": coef0,
        "C": c,
        "lam": lam,
        "epochs": parse_value(epochs),
        "variant": variant,
        "n_neighbors": n_neighbors,
        "multiclass": multiclass,
    }
    with in_sentences(), within_memory(memory_budget):
        machine = build_model(model, options, settings or ())
        seed_model(machine, seed)
        opt.check_not_read(output, data)
        check_model_file(output)
        table = opt.reading(label, header, drop, missing, categorical)
        dataset = mercer.load_dataset(data, **table)
        split = choose_split(dataset, train_on, test_size, limit, seed or 0)
        prepared = prepare_for(dataset, split.train, scale)
        whole = prepared.before(machine)
        with watched(machine, not as_json):
            result = train(whole, dataset, split, train_error)
        result["preparation"] = prepared.description or None
        if output is not None:
            names = dataset.feature_names
            mercer.evaluation.remember_training(whole, dataset.X, split.train, names)
            mercer.save(whole, output)
            result |= {"file": str(output), "file_bytes": output.stat().st_size}
    if as_json:
        print_json(result)
    else:
        _print(result, machine)


def train(
    machine: Any, dataset: Dataset, split: TrainTestRows, train_error: bool = True
) -> dict[str, Any]:
    """Fit a model and count its mistakes; returns what can be said about it."""
    from mercer.preparation import last_step

    X, y = dataset.X[split.train], dataset.y[split.train]
    start = time.perf_counter()
    whole, machine = machine, last_step(machine)
    try:
        whole.fit(X, y)
    except KeyboardInterrupt as interrupt:
        if not hasattr(machine, "certificate_"):  # it keeps nothing
            raise
        warnings.warn(str(interrupt), stacklevel=2)
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
        "preparation": None,
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
        "gap": getattr(certificate, "gap", None),
        "converged": getattr(certificate, "converged", None),
        "file": None,
        "file_bytes": None,
    }
    if train_error:
        wrong = int((whole.predict(X) != y).sum())
        result |= {"train_wrong": wrong, "train_error": wrong / len(y)}
    if len(split.test):
        start = time.perf_counter()
        predicted = whole.predict(dataset.X[split.test])
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
    from mercer.evaluation import describe_error, describe_seconds

    n_train, n_test = result["n_train"], result["n_test"]
    facts = {
        "data": f"{result['data']}: {result['n_samples']:,} samples, "
        f"{result['n_features']:,} features, {result['n_classes']:,} classes",
        "split": f"{n_train:,} to train on, {n_test:,} to test on ({result['split']})",
        "prepared": result["preparation"],
        "model": describe_model(machine),
        "kernel": result["kernel"],
    }
    if result["train_wrong"] is not None:
        facts["training"] = describe_error(result["train_wrong"], n_train)
    if result["test_wrong"] is not None:
        facts["test"] = describe_error(result["test_wrong"], n_test)
    if (n_support := result["n_support"]) is not None:
        share = f"{n_support / n_train:.0%} of the training samples"
        facts["support"] = f"{n_support:,} vectors ({share})"
    facts["certificate"] = result["certificate"]
    facts["time"] = f"{describe_seconds(result['fit_seconds'])} to fit"
    if result["predict_seconds"] is not None:
        seconds = describe_seconds(result["predict_seconds"])
        facts["time"] += f", {seconds} to predict {n_test:,}"
    if result["file"] is not None:
        facts["file"] = f"{result['file']} ({format_bytes(result['file_bytes'])})"
    print_facts(facts)
    if result["file"] is None:
        out.print("\nNot saved: -o FILE keeps the model.")
