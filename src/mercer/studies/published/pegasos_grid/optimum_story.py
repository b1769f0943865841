"""Pegasos on its way, and the optimum that the exact SVM certifies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.story import Block, Column, Entry, Lines, Section, Series, Table


def optimum_section(rows: Sequence[Row], names: Mapping[str, str]) -> list[Section]:
    """A table and two figures for each row; `names` says what a row's key is called."""
    if not rows:
        return []
    blocks: list[Block] = [_table(rows, names)]
    for row in rows:
        blocks += [_objective(row, names[row.key]), _error(row, names[row.key])]
    return [Section("How far the optimum is", blocks)]


def times_optimum(
    row: Row, step: Mapping[str, Plain], name: str = "objective"
) -> float:
    """An objective as a multiple of the certified optimum."""
    return float(step[name]) / float(row.values["optimum"])


def _table(rows: Sequence[Row], names: Mapping[str, str]) -> Table:
    lines: list[list[Entry]] = []
    for row in rows:
        for step in row.values["steps"]:
            lines.append(
                [
                    names[row.key],
                    f"Pegasos, {step['step']:,} steps",
                    float(step["objective"]),
                    times_optimum(row, step),
                    100 * step["error"],
                    times_optimum(row, step, "averaged objective"),
                    100 * step["averaged error"],
                ]
            )
        lines.append(
            [
                names[row.key],
                "exact SVM",
                float(row.values["optimum"]),
                1.0,
                100 * row.values["svm error"],
                None,
                None,
            ]
        )
    return Table(
        "optimum",
        "Objective and test error against steps",
        [
            Column("problem"),
            Column("learner"),
            Column("objective", digits=4),
            Column("times the optimum", digits=2),
            Column("test error", "%", 2),
            Column("averaged: times the optimum", digits=2),
            Column("averaged: test error", "%", 2),
        ],
        lines,
        "λ/2·‖w‖² plus the mean hinge loss, mean over the classes, one split. The "
        "exact SVM has no bias and C = 1/(λn); its objective is certified: "
        + "; ".join(
            f"{names[row.key]}: between {row.values['optimum at least']:.5g} and "
            f"{row.values['optimum']:.5g}"
            for row in rows
        )
        + ".",
    )


def _objective(row: Row, name: str) -> Lines:
    return Lines(
        f"Objective against steps, {name}",
        "steps",
        "objective",
        _series(row, "objective", 1.0, "optimum"),
        "The level line is the certified optimum.",
        log_x=True,
        log_y=True,
    )


def _error(row: Row, name: str) -> Lines:
    return Lines(
        f"Test error against steps, {name}",
        "steps",
        "test error, %",
        _series(row, "error", 100.0, "svm error"),
        "The level line is the exact SVM.",
        log_x=True,
    )


def _series(row: Row, name: str, factor: float, line: str) -> list[Series]:
    steps = row.values["steps"]
    xs = [float(step["step"]) for step in steps]
    level = factor * float(row.values[line])
    return [
        Series("last hyperplane", xs, [factor * s[name] for s in steps]),
        Series("average", xs, [factor * s[f"averaged {name}"] for s in steps]),
        Series("exact SVM", [xs[0], xs[-1]], [level, level]),
    ]
