"""What a search found: as a dictionary, and as a table on the terminal."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

from rich.text import Text

from mercer.cli._console import out
from mercer.cli._models import describe_model
from mercer.cli._tables import print_facts, print_table

if TYPE_CHECKING:
    from mercer.datasets import Dataset

_SHOWN = 20  # rows of the table


def find(finder: Any, dataset: Dataset, split: Any) -> dict[str, Any]:
    """Search, test the best, and say everything that can be said."""
    import numpy as np

    from mercer.preparation import last_step

    start = time.perf_counter()
    try:
        finder.fit(dataset.X[split.train], dataset.y[split.train])
    except KeyboardInterrupt as interrupt:
        if not hasattr(finder, "best_estimator_"):  # nothing is complete
            raise
        warnings.warn(str(interrupt), stacklevel=2)
    seconds = time.perf_counter() - start
    results = finder.cv_results_
    report = getattr(finder, "per_class_", None)
    model = last_step(finder.estimator)
    found: dict[str, Any] = {
        "data": dataset.name,
        "split": split.how,
        "n_train": len(split.train),
        "n_test": len(split.test),
        "model": type(model).__name__,
        "preparation": None,
        "cv": finder.n_splits_,
        "scoring": finder.scoring,
        "rows": [
            {
                "params": _plain_names(params),
                "mean": float(results["mean_test_score"][k]),
                "std": float(results["std_test_score"][k]),
                "rank": int(results["rank_test_score"][k]),
            }
            for k, params in enumerate(results["params"])
        ],
        "best_params": _plain_names(finder.best_params_),
        "best_score": float(finder.best_score_),
        "per_class": _per_class(report),
        "interrupted": finder.interrupted_,
        "seconds": seconds,
        "test_wrong": None,
        "test_error": None,
        "picture": None,
        "file": None,
    }
    if len(split.test):
        predicted = finder.predict(dataset.X[split.test])
        wrong = int(np.sum(predicted != dataset.y[split.test]))
        found |= {"test_wrong": wrong, "test_error": wrong / len(split.test)}
    return found


def _plain_names(params: dict[str, Any]) -> dict[str, Any]:
    """As they were asked for, without the step of a pipeline."""
    return {name.removeprefix("model__"): value for name, value in params.items()}


def _per_class(report: Any) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "summary": str(report),
        "score": report.score,
        "shared_score": report.shared_score,
        "gain": report.gain,
        "choices": [vars(choice) for choice in report.choices],
    }


def print_found(result: dict[str, Any], machine: Any) -> None:
    """Print the best combinations, and facts about the search."""
    from mercer.evaluation import describe_error, describe_seconds

    rows = sorted(result["rows"], key=lambda row: row["rank"])
    _print_rows(rows[:_SHOWN], result["scoring"])
    if len(rows) > _SHOWN:
        out.print(f"… and {len(rows) - _SHOWN} more: --json shows all.")
    out.print()
    test = None
    if result["test_wrong"] is not None:
        test = describe_error(result["test_wrong"], result["n_test"])
    best = (f"{name}={_show(value)}" for name, value in result["best_params"].items())
    print_facts(
        {
            "data": f"{result['data']}: {result['n_train']:,} samples to search on, "
            f"{result['n_test']:,} to test on ({result['split']})",
            "prepared": result["preparation"],
            "model": describe_model(machine),
            "best": ", ".join(best),
            "test": test,
            "per class": (result["per_class"] or {}).get("summary"),
            "time": f"{describe_seconds(result['seconds'])} for {len(rows):,} "
            f"combinations in {result['cv']} folds, and the best once more",
            "picture": result["picture"],
            "file": result["file"],
        }
    )


def _print_rows(rows: list[dict[str, Any]], scoring: str) -> None:
    names = list(rows[0]["params"])
    header = ["rank", *names, scoring, "± std"]
    cells = []
    for row in rows:
        values = (_show(row["params"][name]) for name in names)
        scores = (f"{row['mean']:.4f}", f"{row['std']:.4f}")
        style = "bold green" if row["rank"] == 1 else ""
        words = (str(row["rank"]), *values, *scores)
        cells.append([Text(word, style) for word in words])
    print_table(header, cells, range(len(header)))


def _show(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
