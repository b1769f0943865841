"""Training and validation accuracy, for fixed λ and for fixed T."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_gaussian.settings import (
    LAMBDAS,
    STEPS,
    lambda_name,
)
from mercer.studies.published_numbers import PublishedNumber, printed
from mercer.studies.row import Row, Spread, spread_of
from mercer.studies.story import Block, Column, Entry, Lines, Section, Series, Table

Published = Sequence[PublishedNumber]
_KINDS = {"train": "training", "validation": "validation"}


def accuracy(rows: Sequence[Row], kind: str, lam: float, step: int) -> Spread | None:
    """Our accuracy over the repeats, in percent."""
    return spread_of(rows, f"{kind} at {step}", 100, part="validation", lam=lam)


def _theirs(published: Published, kind: str, lam: float, step: int) -> float | None:
    return printed(published, f"{kind} at {step}", 100, lam=lam)


def accuracy_sections(rows: Sequence[Row], published: Published) -> list[Section]:
    """The report's Table 1 and its Figures 4 and 5."""
    fixed_lambda: list[Block] = [
        _figure(rows, published, f"T, {lambda_name(lam)}", "steps T", STEPS, [lam])
        for lam in LAMBDAS
    ]
    fixed_steps: list[Block] = [
        _figure(rows, published, f"λ, T = {step}", "λ", [step], LAMBDAS)
        for step in STEPS
    ]
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
            for kind in _KINDS:
                line.append(accuracy(rows, kind, lam, step))
                line.append(_theirs(published, kind, lam, step))
            line += [
                accuracy(rows, kind, lam, step) for kind in ("averaged", "updates")
            ]
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


def _figure(
    rows: Sequence[Row],
    published: Published,
    against: str,
    axis: str,
    steps: Sequence[int],
    lams: Sequence[float],
) -> Lines:
    """Accuracies along the one of `steps` and `lams` that has several values."""
    pairs = [(lam, step) for lam in lams for step in steps]
    x = [float(value) for value in (steps if len(steps) > 1 else lams)]
    series = [
        Series.of_spreads(name, x, [accuracy(rows, kind, *pair) for pair in pairs])
        for kind, name in _KINDS.items()
    ]
    series += [
        Series.of_printed(name, x, [_theirs(published, kind, *pair) for pair in pairs])
        for kind, name in _KINDS.items()
    ]
    title = f"Accuracy against {against}"
    caption = "Dotted: as published."
    return Lines(title, axis, "accuracy, %", series, caption, log_x=True)
