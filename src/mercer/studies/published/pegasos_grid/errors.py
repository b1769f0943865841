"""The error tables and figures, published numbers beside ours, and which Gaussian."""

from dataclasses import replace

from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    READINGS,
    STOPS,
    lambda_name,
)
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Block, Column, Field, Lines, Section, Series, Table
from mercer.studies.verdicts import Verdict, judge

#: What the errors of each number of steps are called in rows.
MEASURES = {stop: f"error at {stop}" for stop in STOPS}
_ENDS = (LAMBDAS[0], LAMBDAS[-1])


def error_section(grid: Beside) -> Section:
    """A table and a figure for each kernel, as in the report."""
    blocks: list[Block] = []
    for kernel in KERNELS:
        blocks += [_error_table(grid, kernel), _error_figure(grid, kernel)]
    return Section("Test errors", blocks)


def _error_table(grid: Beside, kernel: str) -> Table:
    columns = [Column("λ")]
    for stop in STOPS:
        columns.append(Column(stop, "%", 2, best="low"))
        columns.append(Column(f"{stop}, published", "%", 2, published=True))
    lines: list[list[Field]] = []
    for lam in LAMBDAS:
        pairs = (grid.both(m, 100, kernel=kernel, lam=lam) for m in MEASURES.values())
        lines.append([lambda_name(lam), *(entry for pair in pairs for entry in pair)])
    return Table(
        f"errors-{kernel}",
        f"Test error, {CHOICES[kernel].title}",
        columns,
        lines,
        "Mean over five folds; ± is the standard deviation of that mean between "
        "repeats with other shuffles and draws. T is the number of training images.",
    )


def _error_figure(grid: Beside, kernel: str) -> Lines:
    """Error against steps with a line for each λ; published lines where there are."""
    steps, asked = list(STOPS.values()), CHOICES[kernel].published
    measures, lines, printed = MEASURES.values(), [], []
    for lam in LAMBDAS:
        name = lambda_name(lam)
        spreads = [grid.ours(m, 100, kernel=kernel, lam=lam) for m in measures]
        values = [grid.theirs(m, 100, kernel=asked, lam=lam) for m in measures]
        lines.append(Series.of_spreads(name, steps, spreads))
        printed.append(Series.of_printed(name, steps, values))
    return Lines(
        f"Error against steps, {CHOICES[kernel].title}",
        "steps, in multiples of T",
        "test error, %",
        [*(line for line in lines if line.x), *printed],
        "Bars: one standard deviation between repeats."
        + grid.remark(" Dotted: as published."),
    )


def count_agreeing(grid: Beside, reading: str) -> int:
    """How many of the Gaussian's 16 errors a reading of its formula agrees with."""
    asked = [
        replace(number, where={**number.where, "kernel": reading})
        for number in grid.published
        if number.where.get("kernel") == "gauss"
        and number.measure.startswith("error at")
    ]
    verdicts = [judge(number, number.ours(grid.rows)).verdict for number in asked]
    return verdicts.count(Verdict.AGREES)


def reading_section(grid: Beside) -> Section:
    """Every reading of the formula, by its errors and by the report's own clock."""
    return Section(
        "Which Gaussian",
        [
            *_introduction(grid),
            _reading_table(grid),
            _clock(grid),
            _error_figure(grid, "gauss-width"),
        ],
    )


def _introduction(grid: Beside) -> list[Block]:
    if not grid.published:
        return []
    return [
        "The report prints exp(−‖x−x'‖/(2γ)) and γ = 2. Four readings were run, and "
        "judged by the same rule as every published number. A second witness, "
        "independent of the errors, is the report's clock: its program computes a "
        "kernel value for every sample added so far at each step, so its seconds must "
        "grow with λ as these counts do."
    ]


def _reading_table(grid: Beside) -> Table:
    lines: list[list[Field]] = []
    for reading, choice in READINGS.items():
        work = _work(grid, reading)
        errors = [grid.ours("error at 2T", 100, kernel=reading, lam=e) for e in _ENDS]
        agree = count_agreeing(grid, reading) if grid.published else None
        lines.append([choice.title, agree, *errors, _ratio(work)])
    seconds = _seconds(grid)
    printed = [grid.theirs("error at 2T", 100, kernel="gauss", lam=e) for e in _ENDS]
    if seconds:
        lines.append(["published", None, *printed, _ratio(seconds)])
    return Table(
        "readings",
        "Readings of the Gaussian's formula",
        [
            Column("kernel"),
            Column("agree, of 16", best="high", published=True),
            Column("error at λ = 1e-8, 2T", "%", 2),
            Column("error at λ = 1e-5, 2T", "%", 2),
            Column("work at 1e-5 over work at 1e-8", digits=1),
        ],
        lines,
        "Work: kernel values in 2T steps and in testing, one for every sample added so "
        "far." + grid.remark(" In the last line: the published seconds."),
    )


def _work(grid: Beside, reading: str) -> dict[float, float]:
    """Kernel values by λ, where there are rows."""
    found = {
        lam: grid.ours("evaluations at 2T", kernel=reading, lam=lam) for lam in LAMBDAS
    }
    return {lam: work.mean for lam, work in found.items() if work is not None}


def _seconds(grid: Beside) -> dict[float, float]:
    """The published seconds by λ."""
    found = {
        lam: grid.theirs("2T, one fold", kernel="gauss", lam=lam) for lam in LAMBDAS
    }
    return {lam: seconds for lam, seconds in found.items() if seconds is not None}


def _ratio(by_lambda: dict[float, float]) -> float | None:
    first, last = (by_lambda.get(lam) for lam in _ENDS)
    return None if first is None or last is None else last / first


def _clock(grid: Beside) -> Lines:
    series = [
        _relative(choice.title.partition(",")[0], work)
        for reading, choice in READINGS.items()
        if (work := _work(grid, reading))
    ]
    if seconds := _seconds(grid):
        series.append(_relative("seconds", seconds, published=True))
    return Lines(
        "Work against λ",
        "λ",
        "work, relative to λ = 1e-8",
        series,
        f"Kernel values computed for {list(STOPS)[-1]} steps and testing, by each "
        "reading" + grid.remark(", and the published seconds") + ".",
        log_x=True,
    )


def _relative(
    name: str, by_lambda: dict[float, float], published: bool = False
) -> Series:
    first, *_ = by_lambda.values()
    values = [value / first for value in by_lambda.values()]
    return Series(name, list(by_lambda), values, published=published)
