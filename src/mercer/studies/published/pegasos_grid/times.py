"""Seconds and memory, published seconds beside them."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_grid.printed import Published, ours, printed
from mercer.studies.published.pegasos_grid.settings import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    N_FOLDS,
    STOPS,
    lambda_name,
)
from mercer.studies.row import Row, numbers, select
from mercer.studies.story import Column, Entry, Section, Table


def time_section(rows: Sequence[Row], published: Published) -> Section:
    """A line for each combination of kernel and λ, and the memory."""
    columns = [Column("kernel"), Column("λ")]
    for stop in STOPS:
        columns += [Column(stop, "s"), Column(f"{stop}, published", "s", 0)]
    lines: list[list[Entry]] = []
    for kernel in KERNELS:
        for lam in LAMBDAS:
            line: list[Entry] = [CHOICES[kernel].title, lambda_name(lam)]
            for stop in STOPS:
                spread = ours(rows, kernel, lam, f"{stop}, one fold")
                value = printed(published, kernel, lam, f"{stop}, one fold")
                line += [None if spread is None else spread.mean, value]
            lines.append(line)
    table = Table(
        "seconds",
        "Seconds of one fold, training and test of ten digits",
        columns,
        lines,
        "Ours: walking alone; scores of test images are kept up to date on the way. "
        "The kernel matrix is computed once for all λ, steps, folds and repeats: "
        f"{_matrices(rows)}.",
    )
    return Section("Time and memory", [_whole(rows, published), table])


def whole_seconds(rows: Sequence[Row]) -> float:
    """Seconds of the published grid: kernel matrices, and one repeat of all cells."""
    cells = [row for row in rows if row.params["part"] == "grid"]
    cells = [row for row in cells if row.params["kernel"] in KERNELS]
    repeats = {row.params["repeat"] for row in cells}
    walking = sum(numbers(cells, f"{list(STOPS)[-1]}, one fold")) * N_FOLDS
    matrices = [_matrix_seconds(rows, kernel) for kernel in KERNELS]
    return sum(matrices) + walking / max(1, len(repeats))


def published_seconds(published: Published) -> float:
    """What the published times add up to: all combinations, five folds each."""
    times = [
        printed(published, kernel, lam, f"{stop}, one fold") or 0.0
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


def _matrices(rows: Sequence[Row]) -> str:
    return ", ".join(
        f"{CHOICES[kernel].title} {_matrix_seconds(rows, kernel):.2g} s"
        for kernel in KERNELS
    )


def _matrix_seconds(rows: Sequence[Row], kernel: str) -> float:
    return max(numbers(select(rows, kernel=kernel), "kernel matrix"), default=0.0)
