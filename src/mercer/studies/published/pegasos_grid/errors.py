"""The error tables and figures, published numbers beside ours, and which Gaussian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mercer.studies.published.pegasos_grid.settings import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    READINGS,
    STOPS,
    Published,
    lambda_name,
    ours,
    theirs,
)
from mercer.studies.row import Row
from mercer.studies.story import Block, Column, Entry, Lines, Section, Series, Table
from mercer.studies.verdicts import Verdict, judge

_ENDS = (LAMBDAS[0], LAMBDAS[-1])


def error_section(rows: Sequence[Row], published: Published) -> Section:
    """A table and a figure for each kernel, as in the report."""
    blocks: list[Block] = []
    for kernel in KERNELS:
        blocks.append(_error_table(rows, published, kernel))
        blocks.append(_error_figure(rows, published, kernel))
    return Section("Test errors", blocks)


def _error_table(rows: Sequence[Row], published: Published, kernel: str) -> Table:
    columns = [Column("λ")]
    for stop in STOPS:
        columns.append(Column(stop, "%", 2, best="low"))
        columns.append(Column(f"{stop}, published", "%", 2))
    lines: list[list[Entry]] = []
    for lam in LAMBDAS:
        line: list[Entry] = [lambda_name(lam)]
        for stop in STOPS:
            line.append(ours(rows, kernel, lam, f"error at {stop}", 100))
            line.append(theirs(published, kernel, lam, f"error at {stop}", 100))
        lines.append(line)
    return Table(
        f"errors-{kernel}",
        f"Test error, {CHOICES[kernel].title}",
        columns,
        lines,
        "Mean over five folds; ± is the standard deviation of that mean between "
        "repeats with other shuffles and draws. T is the number of training images.",
    )


def _error_figure(rows: Sequence[Row], published: Published, kernel: str) -> Lines:
    """Error against steps with a line for each λ; published lines where there are."""
    steps, asked = list(STOPS.values()), CHOICES[kernel].published
    measures = [f"error at {stop}" for stop in STOPS]
    lines = [
        Series.of_spreads(
            lambda_name(lam), steps, [ours(rows, kernel, lam, m, 100) for m in measures]
        )
        for lam in LAMBDAS
    ]
    series = [line for line in lines if line.x]
    for lam in LAMBDAS:
        values = [theirs(published, asked, lam, m, 100) for m in measures]
        series.append(Series.of_printed(lambda_name(lam), steps, values))
    return Lines(
        f"Error against steps, {CHOICES[kernel].title}",
        "steps, in multiples of T",
        "test error, %",
        series,
        "Bars: one standard deviation between repeats. Dotted: as published.",
    )


def count_agreeing(published: Published, rows: Sequence[Row], reading: str) -> int:
    """How many of the Gaussian's 16 errors a reading of its formula agrees with."""
    asked = [
        replace(number, where={**number.where, "kernel": reading})
        for number in published
        if number.where.get("kernel") == "gauss"
        and number.measure.startswith("error at")
    ]
    verdicts = [judge(number, number.ours(rows)).verdict for number in asked]
    return verdicts.count(Verdict.AGREES)


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
            _reading_table(rows, published),
            _clock(rows, published),
            _error_figure(rows, published, "gauss-square"),
        ],
    )


def _reading_table(rows: Sequence[Row], published: Published) -> Table:
    lines = [_reading_line(rows, published, reading) for reading in READINGS]
    seconds = [theirs(published, "gauss", lam, "2T, one fold") for lam in _ENDS]
    errors = [theirs(published, "gauss", lam, "error at 2T", 100) for lam in _ENDS]
    lines.append(["published", None, *errors, _ratio(*seconds)])
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


def _reading_line(
    rows: Sequence[Row], published: Published, reading: str
) -> list[Entry]:
    work = [ours(rows, reading, lam, "evaluations at 2T") for lam in _ENDS]
    return [
        READINGS[reading].title,
        count_agreeing(published, rows, reading),
        *(ours(rows, reading, lam, "error at 2T", 100) for lam in _ENDS),
        _ratio(*(None if w is None else w.mean for w in work)),
    ]


def _clock(rows: Sequence[Row], published: Published) -> Lines:
    series = []
    for reading, choice in READINGS.items():
        work = [ours(rows, reading, lam, "evaluations at 2T") for lam in LAMBDAS]
        seen = [(x, w.mean) for x, w in zip(LAMBDAS, work) if w is not None]
        if seen:
            name = choice.title.partition(",")[0]
            relative = [w / seen[0][1] for _, w in seen]
            series.append(Series(name, [x for x, _ in seen], relative))
    clock = [theirs(published, "gauss", lam, "2T, one fold") for lam in LAMBDAS]
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
