"""What γ does, which report 001 sets to one value and speaks of in words."""

from collections.abc import Sequence

from mercer.studies import Row, Spread, select, spread_of
from mercer.studies.published.pegasos_gaussian.cells import (
    STEPS,
    WIDTH,
    WIDTHS,
    lambda_name,
)
from mercer.studies.story import Column, Field, Lines, Section, Series, Table

_END = max(STEPS)


def width_sections(rows: Sequence[Row]) -> list[Section]:
    """A table and a figure for each λ, where γ was varied."""
    lams = sorted({row.params["lam"] for row in select(rows, part="width")})
    if not lams:
        return []
    figures = [_figure(rows, lam) for lam in lams]
    return [Section("What γ does", [*say_width(rows), _table(rows, lams), *figures])]


def _of(rows: Sequence[Row], width: float, lam: float, measure: str) -> Spread | None:
    """A measure at the end, in percent; the report's γ is that of its own cells."""
    name = f"{measure} at {_END}"
    if width == WIDTH:
        return spread_of(rows, name, 100, part="validation", lam=lam)
    return spread_of(rows, name, 100, part="width", lam=lam, gamma=width)


def say_width(rows: Sequence[Row]) -> list[str]:
    """Which γ is best, and what becomes of the narrowest and the widest."""
    lams = sorted({row.params["lam"] for row in select(rows, part="width")})
    said = []
    for lam in lams:
        found = {
            width: spread
            for width in WIDTHS
            if (spread := _of(rows, width, lam, "validation")) is not None
        }
        narrow, wide = min(found), max(found)
        best = max(found, key=lambda width: found[width].mean)
        gap = _of(rows, narrow, lam, "train")
        popular = _of(rows, wide, lam, "most popular")
        if gap is None or popular is None:
            continue
        said.append(
            f"At {lambda_name(lam)} and T = {_END} γ = {best:g} is best, "
            f"{found[best].mean:.1f} % of the validation images right. At γ = "
            f"{narrow:g} it is {found[narrow].mean:.1f} %, {gap.mean:.1f} % in "
            f"training; at γ = {wide:g} {found[wide].mean:.1f} %, and "
            f"{popular.mean:.0f} % of all answers are the same digit."
        )
    return said


def _table(rows: Sequence[Row], lams: Sequence[float]) -> Table:
    measures = ("train", "validation", "updates", "most popular")
    lines: list[list[Field]] = [
        [
            lambda_name(lam),
            f"{width:g}",
            *(_of(rows, width, lam, measure) for measure in measures),
        ]
        for lam in lams
        for width in WIDTHS
    ]
    return Table(
        "widths",
        f"Accuracy by the width of the kernel, T = {_END}",
        [
            Column("λ"),
            Column("γ"),
            Column("training", "%", 2),
            Column("validation", "%", 2, best="high"),
            Column("steps that update", "%", 1),
            Column("most popular answer", "%", 1),
        ],
        lines,
        f"exp(−‖x−x'‖²/(2γ)); γ = {WIDTH:g} elsewhere on this page. The most popular "
        "answer "
        "is the share of validation images that are taken for the digit that is named "
        "most often: a constant classifier would have 100 %.",
    )


def _figure(rows: Sequence[Row], lam: float) -> Lines:
    series = [
        Series.of_spreads(name, WIDTHS, [_of(rows, w, lam, measure) for w in WIDTHS])
        for measure, name in (("train", "training"), ("validation", "validation"))
    ]
    return Lines(
        f"Accuracy against γ, {lambda_name(lam)}",
        "γ",
        "accuracy, %",
        series,
        f"T = {_END} steps; bars: one standard deviation between repeats.",
        log_x=True,
    )
