"""The evaluation as tables that a person reads."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from mercer.cli._console import out
from mercer.cli._facts import describe_error, describe_seconds, print_facts

_MOST_CLASSES = 30


def print_evaluation(result: dict[str, Any]) -> None:
    """Print what is known, then the table, then where the figures are."""
    part = "" if result["rows"] == "all" else f" ({result['rows']} part)"
    two = "positive" in result
    print_facts(
        {
            "model": f"{result['model']} from {result['file']}",
            "data": f"{result['data']}: {result['n_samples']:,} samples{part}",
            "positive": _positive(result) if two else None,
            "scores": f"from {result['scores_from']}" if two else None,
            "error": describe_error(result["wrong"], result["n_samples"]),
            "cost": None if two else _cost(result["bayes_cost"]),
            "calibrated": None if two else _calibrated(result),
            "mistakes": None if two else _mistakes(result["confusions"]),
            "time": f"{describe_seconds(result['predict_seconds'])} to predict",
        }
    )
    out.print()
    out.print(_table_of_scores(result) if two else _table_of_classes(result))
    if two:
        _print_advice(result)
    if result["figures"]:
        names = ", ".join(result["figures"])
        where = f"\nFigures in {result['folder']}: {names}"
        out.print(where, soft_wrap=True, markup=False)


def _positive(result: dict[str, Any]) -> str:
    n = result["n_positive"]
    return f"{result['positive']} ({n:,} of {result['n_samples']:,} samples)"


def _cost(cost: float | None) -> str | None:
    if cost is None:
        return None
    return f"{cost:.4f} normalised Bayes cost, equal priors (1 is worth nothing)"


def _calibrated(result: dict[str, Any]) -> str | None:
    after = result["calibrated"]
    if after is None:
        return None
    text = describe_error(after["wrong"], result["n_samples"])
    if after["bayes_cost"] is not None:
        text += f", normalised Bayes cost {after['bayes_cost']:.4f}"
    return text + after["scores"].removeprefix("calibrated")


def _mistakes(confusions: list[list[Any]], most: int = 3) -> str | None:
    shown = [f"{true} taken for {said}: {n:,}" for true, said, n in confusions[:most]]
    return ", ".join(shown) or None


def _table_of_scores(result: dict[str, Any]) -> Table:
    kinds = result["scores"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("")
    for kind in kinds:
        table.add_column(kind["scores"], justify="right")
    for number, name in enumerate(result["applications"]):
        costs = [kind["applications"][number] for kind in kinds]
        _add(table, Text(name, "bold"), "minDCF", costs, "min_dcf", "{:.4f}")
        _add(table, "", "actDCF", costs, "actual_dcf", "{:.4f}")
        _add(table, "", "misses", costs, "miss_rate", "{:.2%}")
        _add(table, "", "false alarms", costs, "false_alarm_rate", "{:.2%}")
    _add(table, Text("threshold 0", "bold"), "error", kinds, "error_at_0", "{:.2%}")
    _add(table, Text("all priors", "bold"), "min cllr", kinds, "min_cllr", "{:.4f}")
    _add(table, "", "cllr", kinds, "cllr", "{:.4f}")
    return table


def _add(
    table: Table,
    group: str | Text,
    name: str,
    columns: list[dict[str, Any]],
    key: str,
    form: str,
) -> None:
    values = [form.format(column[key]).replace("%", " %") for column in columns]
    table.add_row(group, name, *values)


def _print_advice(result: dict[str, Any]) -> None:
    """Say what calibration would save, where it would save anything."""
    first, last = result["scores"][0], result["scores"][-1]
    costs = first["applications"][0]
    lost = costs["actual_dcf"] - costs["min_dcf"]
    name = result["applications"][0]
    if first is not last:
        after = last["applications"][0]["actual_dcf"]
        out.print(
            f"\nCalibration takes the cost at {name} from {costs['actual_dcf']:.4f} to "
            f"{after:.4f}; 0 is perfect, 1 is worth nothing.",
            soft_wrap=True,
        )
    elif lost > 0.1 * costs["min_dcf"] + 1e-3:
        out.print(
            f"\nOf the cost of {costs['actual_dcf']:.4f} at {name}, {lost:.4f} comes "
            "from scores that are no log-likelihood ratios: try --calibrate.",
            soft_wrap=True,
        )


def _table_of_classes(result: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("class")
    for name in ("samples", "wrong", "error"):
        table.add_column(name, justify="right")
    table.add_column("taken for")
    rows = result["per_class"]
    shown = rows
    if len(rows) > _MOST_CLASSES:
        shown = sorted(rows, key=lambda row: -(row["error"] or 0.0))[:_MOST_CLASSES]
    for row in shown:
        error = "–" if row["error"] is None else f"{row['error']:.2%}"
        taken_for = ", ".join(f"{name} ({n:,})" for name, n in row["taken_for"])
        table.add_row(
            Text(row["class"]),
            f"{row['n_samples']:,}",
            f"{row['wrong']:,}",
            error.replace("%", " %"),
            Text(taken_for),
        )
    if len(rows) > len(shown):
        table.caption = f"the {len(shown)} worst of {len(rows)} classes"
    return table
