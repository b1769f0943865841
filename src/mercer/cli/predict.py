"""``mercer predict``: what a model in a file says about data."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mercer
from mercer._atomic_write import write_atomically
from mercer.cli._facts import describe_error, describe_seconds, print_facts
from mercer.cli._options import Data, Json, Label, MemoryBudget, Rows
from mercer.cli._sentences import in_sentences, within_memory
from mercer.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from mercer.datasets import Dataset

_ROWS = ("auto", "all", "train", "test")


def predict(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A model that mercer fit kept.")
    ],
    data: Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="CSV",
            help="Where to write the predictions: row (from 0), prediction, label.",
        ),
    ] = None,
    rows: Rows = "auto",
    label: Label = "auto",
    memory_budget: MemoryBudget = None,
    as_json: Json = False,
) -> None:
    """Predict the classes of samples with a model from a file.

    [dim]Examples[/]

      mercer predict usps.mercer usps

      mercer predict flowers.mercer new.csv --label last -o predictions.csv

      mercer predict usps.mercer zip.test.gz --json
    """
    with within_memory(memory_budget), in_sentences():
        machine = mercer.load(file)
        dataset = load_like(machine, data, label)
        part, chosen = choose_rows(dataset, rows)
        start = time.perf_counter()
        predicted = machine.predict(dataset.X[chosen])
        seconds = time.perf_counter() - start
        result = {
            "file": str(file),
            "model": type(machine).__name__,
            "data": dataset.name,
            "rows": part,
            "n_samples": len(chosen),
            **count(predicted, dataset.y[chosen], machine.classes_),
            "predict_seconds": seconds,
            "output": None if output is None else str(output),
        }
        if output is not None:
            _write(output, chosen, predicted, dataset.y[chosen])
    if as_json:
        typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        _print(result)


def load_like(machine: Any, data: str, label: str) -> Dataset:
    """Load data that have as many features as the model was trained on."""
    if not hasattr(machine, "predict"):
        raise DataError(
            f"The file holds a {type(machine).__name__}, which takes scores and not "
            "samples; predict with a classifier."
        )
    expected = int(machine.n_features_in_)
    named = data in {entry.name for entry in mercer.datasets.catalogue()}
    # a sparse text file may end before the last feature, which only the model knows
    width = {} if named else {"n_features": expected}
    dataset = mercer.load_dataset(data, label=label, **width)  # type: ignore[arg-type]
    if dataset.n_features != expected:
        raise DataError(
            f"{data} has {dataset.n_features} features and the model was trained on "
            f"{expected}; give it data of the same kind."
        )
    if getattr(machine, "kernel", None) == "precomputed":
        raise DataError(
            "The model was trained on a precomputed kernel, so it takes kernel values "
            "to its training samples; use it from Python."
        )
    return dataset


def choose_rows(dataset: Dataset, rows: str) -> tuple[str, Any]:
    """Choose rows of the data set; returns what they are called, and their numbers."""
    import numpy as np

    if rows not in _ROWS:
        raise ParameterError(
            f"--rows is {rows!r}; it must be one of {', '.join(_ROWS)}."
        )
    parts = {"train": dataset.train, "test": dataset.test}
    if rows == "auto":
        rows = "all" if dataset.test is None else "test"
    if rows == "all":
        return rows, np.arange(dataset.n_samples)
    if parts[rows] is None:
        raise ParameterError(
            f"{dataset.name} has no official split; leave out --rows {rows}."
        )
    return rows, parts[rows]


def count(predicted: Any, labels: Any, classes: Any) -> dict[str, Any]:
    """Count predictions, mistakes, and which classes are taken for which."""
    if predicted.dtype.kind != labels.dtype.kind:
        # 1 and "1" are the same class to whoever wrote the file
        predicted, labels, classes = (
            values.astype(str) for values in (predicted, labels, classes)
        )
    wrong = predicted != labels
    pairs = Counter(zip(labels[wrong].tolist(), predicted[wrong].tolist()))
    said = Counter(predicted.tolist())
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
    return {
        "wrong": int(wrong.sum()),
        "error": float(wrong.mean()),
        "predicted": {str(name): said[name] for name in classes.tolist()},
        "confusions": [[str(a), str(b), n] for (a, b), n in pairs.most_common(10)],
        "unknown_labels": [str(name) for name in unknown],
    }


def _write(path: Path, rows: Any, predicted: Any, labels: Any) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "prediction", "label"])
    writer.writerows(zip(rows.tolist(), predicted.tolist(), labels.tolist()))
    write_atomically(path, text.getvalue().encode())


def _print(result: dict[str, Any], most: int = 3) -> None:
    part = "" if result["rows"] == "all" else f" ({result['rows']} part)"
    confusions = [
        f"{true} taken for {said}: {n:,}"
        for true, said, n in result["confusions"][:most]
    ]
    print_facts(
        {
            "model": f"{result['model']} from {result['file']}",
            "data": f"{result['data']}: {result['n_samples']:,} samples{part}",
            "error": describe_error(result["wrong"], result["n_samples"]),
            "mistakes": ", ".join(confusions) or None,
            "predicted": _counts(result["predicted"]),
            "unknown": _unknown(result["unknown_labels"]),
            "time": f"{describe_seconds(result['predict_seconds'])} to predict",
            "written": result["output"],
        }
    )


def _counts(counts: dict[str, int], most: int = 20) -> str:
    shown = [f"{name}: {n:,}" for name, n in list(counts.items())[:most]]
    more = len(counts) - most
    return ", ".join(shown) + (f", and {more} more classes" if more > 0 else "")


def _unknown(labels: list[str], most: int = 5) -> str | None:
    if not labels:
        return None
    names = ", ".join(labels[:most]) + (", …" if len(labels) > most else "")
    return f"the model has never seen the labels {names}"
