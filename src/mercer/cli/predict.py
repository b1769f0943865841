"""``mercer predict``: what a model in a file says about data."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from mercer._atomic_write import write_atomically
from mercer._csv import to_csv
from mercer._memory import within_memory
from mercer.cli import _options as opt
from mercer.cli._console import print_json
from mercer.cli._sentences import in_sentences
from mercer.cli._tables import print_facts

#: What is known of predictions beside labels only.
_JUDGED = ("wrong", "error", "n_trained_on", "unseen_wrong", "unseen_error")


def predict(
    file: opt.ModelFile,
    data: opt.Data,
    output: Annotated[
        Path | None,
        opt.output_file(
            metavar="CSV",
            help="Where to write the predictions: row (from 0), prediction and, where "
            "there is one, label.",
        ),
    ] = None,
    rows: opt.WhichRows = "auto",
    label: opt.LabelOrNone = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    missing: opt.MissingNow = "error",
    memory_budget: opt.MemoryBudget = None,
    as_json: opt.Json = False,
) -> None:
    """Predict the classes of samples with a model from a file.

    [dim]Examples[/]

      mercer predict usps.mercer usps

      mercer predict flowers.mercer new.csv --label last -o predictions.csv

      mercer predict flowers.mercer unlabelled.csv --label none -o predictions.csv

      mercer predict usps.mercer zip.test.gz --json
    """
    with in_sentences(), within_memory(memory_budget):
        from mercer.evaluation import load_classifier, load_samples
        from mercer.preparation import last_step

        opt.check_not_read(output, file, data)
        machine = load_classifier(file)
        table = opt.reading_new(label, header, drop, missing)
        samples = load_samples(machine, data, rows, **table)
        start = time.perf_counter()
        predicted = machine.predict(samples.X)
        seconds = time.perf_counter() - start
        result = {
            "file": str(file),
            "model": type(last_step(machine)).__name__,
            "data": samples.dataset.name,
            "rows": samples.part,
            "n_samples": len(samples.rows),
            **count(predicted, samples.y, machine.classes_, samples.trained_on),
            "predict_seconds": seconds,
            "output": None if output is None else str(output),
        }
        if output is not None:
            _write(output, samples.rows_in_file, predicted, samples.y)
    if as_json:
        print_json(result)
    else:
        _print(result)


def count(predicted: Any, labels: Any, classes: Any, trained_on: Any) -> dict[str, Any]:
    """Count predictions, mistakes, and which classes are taken for which."""
    said = Counter(predicted.astype(str).tolist())
    counts = {name: said[name] for name in classes.astype(str).tolist()}
    if not len(labels):
        nothing = dict.fromkeys(_JUDGED)
        return {**nothing, "predicted": counts, "confusions": [], "unknown_labels": []}
    if predicted.dtype.kind != labels.dtype.kind:
        # 1 and "1" are the same class to whoever wrote the file
        predicted, labels, classes = (
            values.astype(str) for values in (predicted, labels, classes)
        )
    wrong = predicted != labels
    pairs = Counter(zip(labels[wrong].tolist(), predicted[wrong].tolist()))
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
    return {
        "wrong": int(wrong.sum()),
        "error": float(wrong.mean()),
        **_count_unseen(wrong, trained_on),
        "predicted": counts,
        "confusions": [[str(a), str(b), n] for (a, b), n in pairs.most_common(10)],
        "unknown_labels": [str(name) for name in unknown],
    }


def _count_unseen(wrong: Any, trained_on: Any) -> dict[str, Any]:
    """What is wrong among samples that the model does not remember to be trained on."""
    unseen = wrong[~trained_on]
    return {
        "n_trained_on": int(trained_on.sum()),
        "unseen_wrong": int(unseen.sum()),
        "unseen_error": float(unseen.mean()) if len(unseen) else None,
    }


def _write(path: Path, rows: Any, predicted: Any, labels: Any) -> None:
    columns = {"row": rows, "prediction": predicted}
    if len(labels):
        columns["label"] = labels
    found = zip(*(values.tolist() for values in columns.values()))
    text = to_csv([columns, *found])
    write_atomically(path, text.encode())


def _print(result: dict[str, Any], most: int = 20) -> None:
    from mercer import evaluation as words

    n_samples, unknown = result["n_samples"], words.list_some(result["unknown_labels"])
    counts = [f"{name}: {n:,}" for name, n in result["predicted"].items()]
    if len(counts) > most:
        counts[most:] = [f"and {len(counts) - most} more classes"]
    print_facts(
        {
            "model": f"{result['model']} from {result['file']}",
            "data": words.describe_samples(result["data"], n_samples, result["rows"]),
            "error": None
            if result["wrong"] is None
            else words.describe_error(result["wrong"], n_samples),
            "trained on": _describe_unseen(result) if result["n_trained_on"] else None,
            "mistakes": words.describe_confusions(result["confusions"]) or None,
            "predicted": ", ".join(counts),
            "unknown": f"the model has never seen the labels {unknown}"
            if unknown
            else None,
            "time": f"{words.describe_seconds(result['predict_seconds'])} to predict",
            "written": result["output"],
        }
    )


def _describe_unseen(result: dict[str, Any]) -> str:
    from mercer.evaluation import describe_error

    n_seen, n_unseen = result["n_trained_on"], result["n_samples"]
    n_unseen -= n_seen
    if not n_unseen:
        return f"all {n_seen:,} of these samples"
    others = describe_error(result["unseen_wrong"], n_unseen)
    return f"{n_seen:,} of these samples; of the others {others}"
