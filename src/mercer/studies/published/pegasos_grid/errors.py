"""The error tables and figures, published numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_grid.printed import Published, ours, printed
from mercer.studies.published.pegasos_grid.settings import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    STOPS,
    lambda_name,
)
from mercer.studies.row import Row, Spread
from mercer.studies.story import Block, Column, Entry, Lines, Section, Series, Table


def error_section(rows: Sequence[Row], published: Published) -> Section:
    """A table and a figure for each kernel, as in the report."""
    blocks: list[Block] = []
    for kernel in KERNELS:
        blocks += [
            _table(rows, published, kernel),
            error_figure(rows, published, kernel),
        ]
    return Section("Test errors", blocks)


def _table(rows: Sequence[Row], published: Published, kernel: str) -> Table:
    columns = [Column("λ")]
    for stop in STOPS:
        columns += [
            Column(stop, "%", 2, best="low"),
            Column(f"{stop}, published", "%", 2),
        ]
    lines: list[list[Entry]] = []
    for lam in LAMBDAS:
        line: list[Entry] = [lambda_name(lam)]
        for stop in STOPS:
            spread = ours(rows, kernel, lam, f"error at {stop}")
            value = printed(published, kernel, lam, f"error at {stop}")
            line += [percent(spread), None if value is None else 100 * value]
        lines.append(line)
    return Table(
        f"errors-{kernel}",
        f"Test error, {CHOICES[kernel].title}",
        columns,
        lines,
        "Mean over five folds; ± is the standard deviation of that mean between "
        "repeats with other shuffles and draws. T is the number of training images.",
    )


def error_figure(rows: Sequence[Row], published: Published, kernel: str) -> Lines:
    """Error against steps with a line for each λ; published lines where there are."""
    steps = list(STOPS.values())
    series = []
    for lam in LAMBDAS:
        spreads = [ours(rows, kernel, lam, f"error at {stop}") for stop in STOPS]
        seen = [(x, s) for x, s in zip(steps, spreads) if s is not None]
        if seen:
            series.append(
                Series(
                    lambda_name(lam),
                    [x for x, _ in seen],
                    [100 * s.mean for _, s in seen],
                    [100 * (s.std or 0.0) for _, s in seen],
                )
            )
    asked = CHOICES[kernel].published
    source = next(k for k, choice in KERNELS.items() if choice.published == asked)
    for lam in LAMBDAS:
        values = [printed(published, source, lam, f"error at {stop}") for stop in STOPS]
        series.append(
            Series(
                lambda_name(lam),
                steps,
                [100 * value for value in values if value is not None],
                published=True,
            )
        )
    return Lines(
        f"Error against steps, {CHOICES[kernel].title}",
        "steps, in multiples of T",
        "test error, %",
        series,
        "Bars: one standard deviation between repeats. Dotted: as published.",
    )


def percent(spread: Spread | None) -> Spread | None:
    """The same in percent."""
    return None if spread is None else spread.scaled(100)
