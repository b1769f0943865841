"""The further questions: the rule of decision, averaging, what was tried, and time."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_grid.cells import VARIANTS
from mercer.studies.published.pegasos_grid.settings import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    N_FOLDS,
    STOPS,
    Published,
    lambda_name,
    ours,
    theirs,
)
from mercer.studies.row import Row, numbers, select, spread_of
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
    measures = [f"error at {stop}" for stop in STOPS]
    lines: list[list[Entry]] = []
    for name, variant in VARIANTS.items():
        if found := select(rows, part="variant", variant=name):
            lines.append([variant.title, *(spread_of(found, m, 100) for m in measures)])
    if lines:
        lam = LAMBDAS[0]
        other = [ours(rows, "gauss-square", lam, m, 100) for m in measures]
        lines.append(["exp(−‖x−x'‖²/(2γ²)) instead", *other])
        values = [theirs(published, "gauss", lam, m, 100) for m in measures]
        lines.append(["published", *values])
    return Table(
        "tried",
        "Gaussian at λ = 1e-8, one change at a time",
        [Column("what was changed"), *_STOP_COLUMNS],
        lines,
        "Folds and, where they are not what was changed, draws are the same in all "
        "lines but the last two. Only the width of the kernel explains the difference.",
    )


def _absolute(rows: Sequence[Row]) -> Table:
    return Table(
        "absolute",
        "Error by the rule of decision",
        [Column("kernel"), Column("score"), *_STOP_COLUMNS],
        _pooled(rows, {"greatest": "error", "greatest absolute": "absolute"}),
        "The report says that the prediction with the greatest absolute value wins. A "
        "digit that is surely not a 3 would then be called a 3. All λ together.",
    )


def _averaged(rows: Sequence[Row]) -> Table:
    return Table(
        "averaged",
        "Error of the last hyperplane and of the average",
        [Column("kernel"), Column("hyperplane"), *_STOP_COLUMNS],
        _pooled(rows, {"last": "error", "average": "averaged"}),
        "All λ together. The theory speaks of the average over all steps.",
    )


def _pooled(rows: Sequence[Row], measures: dict[str, str]) -> list[list[Entry]]:
    """A line for each kernel and measure, over all λ."""
    lines: list[list[Entry]] = []
    for kernel in (*KERNELS, "gauss-square"):
        mine = select(rows, part="grid", kernel=kernel)
        for name, measure in measures.items():
            found = [spread_of(mine, f"{measure} at {stop}", 100) for stop in STOPS]
            if any(found):
                lines.append([CHOICES[kernel].title, name, *found])
    return lines


def time_section(rows: Sequence[Row], published: Published) -> Section:
    """Seconds and memory, a line for each combination of kernel and λ."""
    columns = [Column("kernel"), Column("λ")]
    for stop in STOPS:
        columns += [Column(stop, "s"), Column(f"{stop}, published", "s", 0)]
    lines: list[list[Entry]] = []
    for kernel in KERNELS:
        for lam in LAMBDAS:
            line: list[Entry] = [CHOICES[kernel].title, lambda_name(lam)]
            for stop in STOPS:
                spread = ours(rows, kernel, lam, f"{stop}, one fold")
                value = theirs(published, kernel, lam, f"{stop}, one fold")
                line += [None if spread is None else spread.mean, value]
            lines.append(line)
    matrices = ", ".join(
        f"{CHOICES[kernel].title} {_matrix_seconds(rows, kernel):.2g} s"
        for kernel in KERNELS
    )
    table = Table(
        "seconds",
        "Seconds of one fold, training and test of ten digits",
        columns,
        lines,
        "Ours: walking alone; scores of test images are kept up to date on the way. "
        "The kernel matrix is computed once for all λ, steps, folds and repeats: "
        f"{matrices}.",
    )
    return Section("Time and memory", [_whole(rows, published), table])


def whole_seconds(rows: Sequence[Row]) -> float:
    """Seconds of the published grid: kernel matrices, and one repeat of all cells."""
    cells = [r for r in select(rows, part="grid") if r.params["kernel"] in KERNELS]
    repeats = {row.params["repeat"] for row in cells}
    walking = sum(numbers(cells, f"{list(STOPS)[-1]}, one fold")) * N_FOLDS
    matrices = [_matrix_seconds(rows, kernel) for kernel in KERNELS]
    return sum(matrices) + walking / max(1, len(repeats))


def published_seconds(published: Published) -> float:
    """What the published times add up to: all combinations, five folds each."""
    times = [
        theirs(published, kernel, lam, f"{stop}, one fold") or 0.0
        for kernel in KERNELS
        for lam in LAMBDAS
        for stop in STOPS
    ]
    return N_FOLDS * sum(times)


def _whole(rows: Sequence[Row], published: Published) -> str:
    memory = max(numbers(rows, "array MB"), default=0.0)
    repeats = {row.params["repeat"] for row in select(rows, part="grid")}
    return (
        f"The published grid, 64 combinations in five folds, took "
        f"{published_seconds(published) / 3600:.1f} hours there and "
        f"{whole_seconds(rows):.1f} s here, kernel matrices included; {len(repeats)} "
        "repeats, further readings of the Gaussian, and all further questions took "
        f"{sum(row.seconds for row in rows):.0f} s. The large arrays, the kernel "
        f"matrix first among them, take {memory:.0f} MB."
    )


def _matrix_seconds(rows: Sequence[Row], kernel: str) -> float:
    return max(numbers(select(rows, kernel=kernel), "kernel matrix"), default=0.0)
