"""Training and validation accuracy, for fixed λ and for fixed T."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_gaussian.settings import (
    LAMBDAS,
    STEPS,
    lambda_name,
)
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Row, Spread, numbers, select
from mercer.studies.story import Block, Column, Entry, Lines, Section, Series, Table

Published = Sequence[PublishedNumber]
KINDS = {"train": "training", "validation": "validation"}


def spread_of(rows: Sequence[Row], kind: str, lam: float, step: int) -> Spread | None:
    """Our accuracy over the repeats, in percent."""
    found = select(rows, part="validation", lam=lam)
    spread = Spread.of(numbers(found, f"{kind} at {step}"))
    return None if spread is None else spread.scaled(100)


def printed(published: Published, kind: str, lam: float, step: int) -> float | None:
    """The published accuracy in percent."""
    for number in published:
        if (number.where.get("lam"), number.measure) == (lam, f"{kind} at {step}"):
            return 100 * float(number.value)
    return None


def accuracy_sections(rows: Sequence[Row], published: Published) -> list[Section]:
    """The report's Table 1 and its Figures 4 and 5."""
    fixed_lambda: list[Block] = [_against_steps(rows, published, x) for x in LAMBDAS]
    fixed_steps: list[Block] = [_against_lambda(rows, published, x) for x in STEPS]
    return [
        Section("Training and validation accuracy", [_table(rows, published)]),
        Section("Fixed λ: what the number of steps does", fixed_lambda),
        Section("Fixed T: what λ does", fixed_steps),
    ]


def _table(rows: Sequence[Row], published: Published) -> Table:
    lines: list[list[Entry]] = []
    for lam in LAMBDAS:
        for step in STEPS:
            line: list[Entry] = [lambda_name(lam), step]
            for kind in KINDS:
                line.append(spread_of(rows, kind, lam, step))
                line.append(printed(published, kind, lam, step))
            line.append(spread_of(rows, "averaged", lam, step))
            line.append(spread_of(rows, "updates", lam, step))
            lines.append(line)
    return Table(
        "accuracies",
        "Accuracy in cross-validation",
        [
            Column("λ"),
            Column("T"),
            Column("training", "%", 2),
            Column("training, published", "%", 2),
            Column("validation", "%", 2, best="high"),
            Column("validation, published", "%", 2),
            Column("validation, averaged hyperplane", "%", 2),
            Column("steps that update", "%", 1),
        ],
        lines,
        "Mean over five folds; ± is the standard deviation of that mean between "
        "repeats. Where nearly every step updates, λ is without effect: it is a common "
        "factor of all scores.",
    )


def _against_steps(rows: Sequence[Row], published: Published, lam: float) -> Lines:
    points = [(float(step), lam, step) for step in STEPS]
    return Lines(
        f"Accuracy against T, {lambda_name(lam)}",
        "steps T",
        "accuracy, %",
        _series(rows, published, points),
        "Dotted: as published.",
        log_x=True,
    )


def _against_lambda(rows: Sequence[Row], published: Published, step: int) -> Lines:
    points = [(lam, lam, step) for lam in LAMBDAS]
    return Lines(
        f"Accuracy against λ, T = {step}",
        "λ",
        "accuracy, %",
        _series(rows, published, points),
        "Dotted: as published.",
        log_x=True,
    )


def _series(
    rows: Sequence[Row],
    published: Published,
    points: Sequence[tuple[float, float, int]],
) -> list[Series]:
    series = []
    for kind, name in KINDS.items():
        found = [(x, spread_of(rows, kind, lam, step)) for x, lam, step in points]
        seen = [(x, spread) for x, spread in found if spread is not None]
        series.append(
            Series(
                name,
                [x for x, _ in seen],
                [spread.mean for _, spread in seen],
                [spread.std or 0.0 for _, spread in seen],
            )
        )
    for kind, name in KINDS.items():
        values = [(x, printed(published, kind, lam, step)) for x, lam, step in points]
        here = [(x, value) for x, value in values if value is not None]
        xs, ys = [x for x, _ in here], [value for _, value in here]
        series.append(Series(name, xs, ys, published=True))
    return series
