"""Seconds and memory of the grid, published ones beside ours."""

from collections.abc import Sequence

from mercer.studies import Row, numbers, select
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    N_FOLDS,
    STOPS,
    lambda_name,
)
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Column, Field, Section, Table


def say_seconds(rows: Sequence[Row], grid: Beside) -> str:
    """Seconds of the whole grid, and the published ones where there are any."""
    own = f"The grid of 64 combinations takes {whole_seconds(rows, grid):.1f} s here"
    published = published_seconds(grid)
    if not published:
        return f"{own}."
    return f"{own}; the published times add up to {published / 3600:.1f} hours."


def time_section(rows: Sequence[Row], grid: Beside) -> Section:
    """Seconds and memory, a line for each combination of kernel and λ."""
    columns = [Column("kernel"), Column("λ")]
    for stop in STOPS:
        columns += [
            Column(stop, "s"),
            Column(f"{stop}, published", "s", 0, published=True),
        ]
    lines: list[list[Field]] = []
    for kernel in KERNELS:
        for lam in LAMBDAS:
            line: list[Field] = [CHOICES[kernel].title, lambda_name(lam)]
            for stop in STOPS:
                own, value = grid.both(f"{stop}, one fold", kernel=kernel, lam=lam)
                line += [None if own is None else own.mean, value]
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
    return Section("Time and memory", [_whole(rows, grid), table])


def published_cells(grid: Beside) -> list[Row]:
    """Rows of the kernels that the report has."""
    return [row for row in grid.rows if row.params["kernel"] in KERNELS]


def whole_seconds(rows: Sequence[Row], grid: Beside) -> float:
    """Seconds of the published grid: kernel matrices, and one repeat of all cells."""
    cells = published_cells(grid)
    repeats = {row.params["repeat"] for row in cells}
    walking = sum(numbers(cells, f"{list(STOPS)[-1]}, one fold")) * N_FOLDS
    matrices = [_matrix_seconds(rows, kernel) for kernel in KERNELS]
    return sum(matrices) + walking / max(1, len(repeats))


def published_seconds(grid: Beside) -> float:
    """What the published times add up to: all combinations, five folds each."""
    times = [
        grid.theirs(f"{stop}, one fold", kernel=kernel, lam=lam) or 0.0
        for kernel in KERNELS
        for lam in LAMBDAS
        for stop in STOPS
    ]
    return N_FOLDS * sum(times)


def _whole(rows: Sequence[Row], grid: Beside) -> str:
    memory = max(numbers(rows, "array MB"), default=0.0)
    repeats = {row.params["repeat"] for row in grid.rows}
    return (
        f"{say_seconds(rows, grid)} That includes kernel matrices; {len(repeats)} "
        "repeats, further readings of the Gaussian, and all further questions took "
        f"{sum(row.seconds for row in rows):.0f} s. The large arrays, the kernel "
        f"matrix first among them, take {memory:.0f} MB."
    )


def _matrix_seconds(rows: Sequence[Row], kernel: str) -> float:
    return max(numbers(select(rows, kernel=kernel), "kernel matrix"), default=0.0)
