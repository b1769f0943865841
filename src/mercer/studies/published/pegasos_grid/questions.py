"""The further questions: the rule of decision, averaging, and what was tried."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_grid.errors import percent
from mercer.studies.published.pegasos_grid.printed import Published, ours, printed
from mercer.studies.published.pegasos_grid.settings import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    STOPS,
)
from mercer.studies.published.pegasos_grid.variants import VARIANTS
from mercer.studies.row import Row, Spread, numbers, select
from mercer.studies.story import Column, Entry, Section, Table

_STOP_COLUMNS = [Column(stop, "%", 2) for stop in STOPS]


def question_sections(rows: Sequence[Row], published: Published) -> list[Section]:
    """Each with its table; those without rows are left out."""
    tables = [
        ("What was tried at λ = 1e-8", _tried(rows, published)),
        ("The greatest absolute value", _absolute(rows)),
        ("The average of all hyperplanes", _averaged(rows)),
    ]
    return [Section(title, [table]) for title, table in tables if table.rows]


def _tried(rows: Sequence[Row], published: Published) -> Table:
    lines: list[list[Entry]] = []
    for name, variant in VARIANTS.items():
        found = select(rows, part="variant", variant=name)
        if found:
            spreads = [Spread.of(numbers(found, f"error at {stop}")) for stop in STOPS]
            lines.append([variant.title, *map(percent, spreads)])
    other = [ours(rows, "gauss-square", LAMBDAS[0], f"error at {s}") for s in STOPS]
    if lines:
        lines.append(["exp(−‖x−x'‖²/(2γ²)) instead", *map(percent, other)])
        values = [
            printed(published, "gauss", LAMBDAS[0], f"error at {s}") for s in STOPS
        ]
        lines.append(["published", *(None if v is None else 100 * v for v in values)])
    return Table(
        "tried",
        "Gaussian at λ = 1e-8, one change at a time",
        [Column("what was changed"), *_STOP_COLUMNS],
        lines,
        "Folds and, where they are not what was changed, draws are the same in all "
        "lines but the last two. Only the width of the kernel explains the difference.",
    )


def _absolute(rows: Sequence[Row]) -> Table:
    lines: list[list[Entry]] = []
    for kernel in (*KERNELS, "gauss-square"):
        for rule, measure in (("greatest", "error"), ("greatest absolute", "absolute")):
            found = [_pooled(rows, kernel, f"{measure} at {stop}") for stop in STOPS]
            if any(found):
                lines.append([CHOICES[kernel].title, rule, *found])
    return Table(
        "absolute",
        "Error by the rule of decision",
        [Column("kernel"), Column("score"), *_STOP_COLUMNS],
        lines,
        "The report says that the prediction with the greatest absolute value wins. A "
        "digit that is surely not a 3 would then be called a 3. All λ together.",
    )


def _averaged(rows: Sequence[Row]) -> Table:
    lines: list[list[Entry]] = []
    for kernel in (*KERNELS, "gauss-square"):
        for which, measure in (("last", "error"), ("average", "averaged")):
            found = [_pooled(rows, kernel, f"{measure} at {stop}") for stop in STOPS]
            if any(found):
                lines.append([CHOICES[kernel].title, which, *found])
    return Table(
        "averaged",
        "Error of the last hyperplane and of the average",
        [Column("kernel"), Column("hyperplane"), *_STOP_COLUMNS],
        lines,
        "All λ together. The theory speaks of the average over all steps.",
    )


def _pooled(rows: Sequence[Row], kernel: str, measure: str) -> Spread | None:
    found = select(rows, part="grid", kernel=kernel)
    return percent(Spread.of(numbers(found, measure)))
