"""What the rows of `perceptron-variants` say."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.perceptron_variants import figures
from mercer.studies.published.perceptron_variants.minima import least, over_repeats
from mercer.studies.published.perceptron_variants.settings import (
    DEGREES,
    EPOCHS,
    OFFSET,
    OTHER_OFFSET,
    VARIANTS,
)
from mercer.studies.row import Row, Spread, numbers, select
from mercer.studies.story import Block, Column, Entry, Section, Story, Table


def tell_story(rows: Sequence[Row]) -> Story:
    """A summary, and the sections below it."""
    main = select(rows, offset=OFFSET)
    if not main:
        return Story([f"{len(rows)} cells are there, none of the report's yet."])
    degrees: list[Block] = [figures.vanilla_against_degree(main)]
    degrees += [figures.three_against_degree(main, kind) for kind in ("test", "train")]
    sections = [
        Section(
            "Degree 1: no feature expansion", [figures.vanilla_against_epochs(main)]
        ),
        Section(
            "Three ways to end, against epochs",
            [
                _by_epoch(main),
                figures.three_against_epochs(main, "test"),
                figures.three_against_epochs(main, "train"),
            ],
        ),
        Section("Against the degree", [*degrees, _by_degree(main)]),
        Section("Which c it was", [_offsets(rows)]),
        *_images(main),
        Section("Time and memory", [_time(rows)]),
    ]
    return Story(_summary(main), sections)


def _summary(rows: Sequence[Row]) -> list[str]:
    lines = []
    for variant, name in VARIANTS.items():
        if (found := least(rows, 2, variant)) is not None:
            epoch, error = found
            lines.append(f"{name} {_percent(error)} after {epoch} epochs")
    if not lines:
        return [f"{len(rows)} cells are there, none of degree 2 yet."]
    told = [f"Least test error at degree 2: {', '.join(lines)}."]
    zero = _first_perfect(rows)
    if zero is not None:
        told.append(
            f"The training error of ERM falls below 0.1 % in epoch {zero}, as in the "
            "report's figure."
        )
    best = [
        (spread.mean, degree, spread)
        for degree in DEGREES
        if (spread := over_repeats(rows, degree, f"averaged test after {EPOCHS}"))
    ]
    if best:
        _, degree, spread = min(best)
        told.append(
            "The plateau that the report sees from degree 2 on is not quite one: after "
            f"{EPOCHS} epochs the averaged perceptron is best at degree {degree}, "
            f"{_percent(spread)}."
        )
    return told


def _first_perfect(rows: Sequence[Row]) -> int | None:
    for epoch in range(1, EPOCHS + 1):
        spread = over_repeats(rows, 2, f"erm train after {epoch}")
        if spread is not None and spread.mean < 0.1:
            return epoch
    return None


def _by_epoch(rows: Sequence[Row]) -> Table:
    columns = [Column("epochs")]
    for name in VARIANTS.values():
        columns += [
            Column(f"{name}, test", "%", 2, best="low"),
            Column(f"{name}, training", "%", 2),
        ]
    lines: list[list[Entry]] = []
    for epoch in range(1, EPOCHS + 1):
        line: list[Entry] = [epoch]
        for variant in VARIANTS:
            for kind in ("test", "train"):
                line.append(over_repeats(rows, 2, f"{variant} {kind} after {epoch}"))
        lines.append(line)
    return Table("epochs", "Errors at degree 2", columns, lines, _CAPTION)


def _by_degree(rows: Sequence[Row]) -> Table:
    after = figures.COMPARED_AFTER
    columns = [Column("degree")]
    for name in VARIANTS.values():
        columns += [
            Column(f"{name}, test", "%", 2, best="low"),
            Column(f"{name}, training", "%", 2),
        ]
    lines: list[list[Entry]] = []
    for degree in DEGREES:
        line: list[Entry] = [degree]
        for variant in VARIANTS:
            for kind in ("test", "train"):
                name = f"{variant} {kind} after {after}"
                line.append(over_repeats(rows, degree, name))
        lines.append(line)
    return Table("degrees", f"Errors after {after} epochs", columns, lines, _CAPTION)


_CAPTION = (
    "Mean ± standard deviation between repeats with other splits. ERM: of the "
    "predictors after an update of the last epoch the one with the fewest training "
    "mistakes."
)


def _offsets(rows: Sequence[Row]) -> Table:
    lines: list[list[Entry]] = []
    for degree in (1, 2):
        for offset in (OTHER_OFFSET, OFFSET):
            for epoch in (1, 5, EPOCHS):
                errors = [
                    over_repeats(rows, degree, f"{v} test after {epoch}", offset)
                    for v in VARIANTS
                ]
                if any(errors):
                    lines.append([degree, f"{offset:g}", epoch, *errors])
    columns = [Column("degree"), Column("c"), Column("epochs")]
    columns += [Column(name, "%", 2) for name in VARIANTS.values()]
    return Table(
        "offsets",
        "Test errors by the c of the kernel",
        columns,
        lines,
        "The report does not tell its c. With the constant feature the kernel is "
        "(c + 1 + x·x')^d; the errors cannot tell one c from the other.",
    )


def _images(rows: Sequence[Row]) -> list[Section]:
    shown = [row for row in rows if row.get("shown")]
    return [Section("Ten digits", [figures.sample_images(shown[0])])] if shown else []


def _time(rows: Sequence[Row]) -> str:
    walking = Spread.of(numbers(rows, "epochs"))
    memory = max(numbers(rows, "gram MB"), default=0.0)
    each = 0.0 if walking is None else walking.mean
    return (
        f"{EPOCHS} epochs of ten perceptrons take {each:.2g} s once the kernel matrix "
        f"of {memory:.0f} MB is there; all {len(rows)} cells took "
        f"{sum(row.seconds for row in rows):.0f} s of work. The report prints no times."
    )


def _percent(spread: Spread) -> str:
    std = "" if spread.std is None else f" ± {spread.std:.2f}"
    return f"{spread.mean:.2f}{std} %"
