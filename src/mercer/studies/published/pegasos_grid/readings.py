"""Which Gaussian made the published table."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_grid.errors import error_figure
from mercer.studies.published.pegasos_grid.printed import (
    Published,
    count_agreeing,
    ours,
    printed,
)
from mercer.studies.published.pegasos_grid.settings import LAMBDAS, READINGS, STOPS
from mercer.studies.row import Row
from mercer.studies.story import Column, Entry, Lines, Section, Series, Table


def reading_section(rows: Sequence[Row], published: Published) -> Section:
    """Every reading of the formula, by its errors and by the report's own clock."""
    return Section(
        "Which Gaussian it was",
        [
            "The report prints exp(−‖x−x'‖/(2γ)) and γ = 2. Four readings were run, "
            "and judged by the same rule as every published number. A second witness, "
            "independent of the errors, is the report's clock: its program computes a "
            "kernel value for every sample added so far at each step, so its seconds "
            "must grow with λ as these counts do.",
            _table(rows, published),
            _clock(rows, published),
            error_figure(rows, published, "gauss-square"),
        ],
    )


def _table(rows: Sequence[Row], published: Published) -> Table:
    lines = [_line(rows, published, reading) for reading in READINGS]
    lines.append(
        [
            "published",
            None,
            *(
                _percent(printed(published, "gauss", lam, "error at 2T"))
                for lam in ENDS
            ),
            _ratio(*(printed(published, "gauss", lam, "2T, one fold") for lam in ENDS)),
        ]
    )
    return Table(
        "readings",
        "Readings of the Gaussian's formula",
        [
            Column("kernel"),
            Column("agree, of 16", best="high"),
            Column("error at λ = 1e-8, 2T", "%", 2),
            Column("error at λ = 1e-5, 2T", "%", 2),
            Column("work at 1e-5 over work at 1e-8", digits=1),
        ],
        lines,
        "Work: kernel values that the report's program computes in 2T steps and in "
        "testing; in the last line its seconds.",
    )


ENDS = (LAMBDAS[0], LAMBDAS[-1])


def _line(rows: Sequence[Row], published: Published, reading: str) -> list[Entry]:
    errors = [ours(rows, reading, lam, "error at 2T") for lam in ENDS]
    work = [ours(rows, reading, lam, "evaluations at 2T") for lam in ENDS]
    return [
        READINGS[reading].title,
        count_agreeing(published, rows, reading),
        *(None if e is None else e.scaled(100) for e in errors),
        _ratio(*(None if w is None else w.mean for w in work)),
    ]


def _clock(rows: Sequence[Row], published: Published) -> Lines:
    series = []
    for reading, choice in READINGS.items():
        work = [ours(rows, reading, lam, "evaluations at 2T") for lam in LAMBDAS]
        seen = [(x, w.mean) for x, w in zip(LAMBDAS, work) if w is not None]
        if seen:
            first = seen[0][1]
            name = choice.title.partition(",")[0]
            xs, ys = [x for x, _ in seen], [w / first for _, w in seen]
            series.append(Series(name, xs, ys))
    clock = [printed(published, "gauss", lam, "2T, one fold") for lam in LAMBDAS]
    times = [t for t in clock if t is not None]
    if times:
        relative = [t / times[0] for t in times]
        series.append(Series("seconds", list(LAMBDAS), relative, published=True))
    return Lines(
        "Work against λ",
        "λ",
        "work, relative to λ = 1e-8",
        series,
        f"Kernel values computed for {list(STOPS)[-1]} steps and testing, by each "
        "reading, and the published seconds.",
        log_x=True,
    )


def _ratio(first: float | None, last: float | None) -> float | None:
    return None if first is None or last is None else last / first


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
