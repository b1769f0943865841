"""What the rows of `perceptron-variants` say."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.perceptron_variants import figures
from mercer.studies.published.perceptron_variants.settings import (
    DEGREES,
    EPOCHS,
    OFFSET,
    OTHER_OFFSET,
    VARIANTS,
    over_repeats,
)
from mercer.studies.row import Row, Spread, select
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
        Section("Time", [_time(rows)]),
    ]
    return Story(_summary(main), sections)


def _summary(rows: Sequence[Row]) -> list[str]:
    lines = []
    for variant, name in VARIANTS.items():
        if (found := _least(rows, 2, variant)) is not None:
            epoch, error = found
            lines.append(f"{name} {error} % after {epoch} epochs")
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
            f"{spread} %."
        )
    return told


def _first_perfect(rows: Sequence[Row]) -> int | None:
    for epoch in range(1, EPOCHS + 1):
        spread = over_repeats(rows, 2, f"erm train after {epoch}")
        if spread is not None and spread.mean < 0.1:
            return epoch
    return None


def _least(rows: Sequence[Row], degree: int, variant: str) -> tuple[int, Spread] | None:
    """The epoch whose mean test error is least, and that error."""
    found = [
        (epoch, spread)
        for epoch in range(1, EPOCHS + 1)
        if (spread := over_repeats(rows, degree, f"{variant} test after {epoch}"))
    ]
    return min(found, key=lambda item: item[1].mean) if found else None


def _by_epoch(rows: Sequence[Row]) -> Table:
    points = [(epoch, 2, epoch) for epoch in range(1, EPOCHS + 1)]
    return _errors(rows, "epochs", "Errors at degree 2", "epochs", points)


def _by_degree(rows: Sequence[Row]) -> Table:
    after = figures.COMPARED_AFTER
    points = [(degree, degree, after) for degree in DEGREES]
    return _errors(rows, "degrees", f"Errors after {after} epochs", "degree", points)


def _errors(
    rows: Sequence[Row],
    name: str,
    title: str,
    first: str,
    points: Sequence[tuple[int, int, int]],
) -> Table:
    """A line for each point: how it is called, its degree, and its epochs."""
    columns = [Column(first)]
    for variant in VARIANTS.values():
        columns.append(Column(f"{variant}, test", "%", 2, best="low"))
        columns.append(Column(f"{variant}, training", "%", 2))
    lines: list[list[Entry]] = []
    for called, degree, epoch in points:
        measures = [f"{v} {k} after {epoch}" for v in VARIANTS for k in _KINDS]
        lines.append([called, *(over_repeats(rows, degree, m) for m in measures)])
    return Table(name, title, columns, lines, _CAPTION)


_KINDS = ("test", "train")
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
    return (
        f"All {len(rows)} cells took {sum(row.seconds for row in rows):.0f} s of work. "
        "One matrix of products serves all kernels of a split, and the three ways to "
        "end after every epoch are read off one run. The report prints no times."
    )
