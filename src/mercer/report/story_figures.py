"""Figures of a story: lines, dots with their spread, named points, confusion."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from mercer.metrics import ConfusionOverRuns
from mercer.report._log_axis import write_plain_numbers
from mercer.report._look import (
    MARKERS,
    TEXT,
    Look,
    add_legend,
    name_axes,
    new_axes,
    plain,
)
from mercer.report.decision_figures import draw_confusion
from mercer.studies.story import Confusion, Dots, Lines, Points, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS_A_LINE = 20
Drawable = Lines | Points | Dots | Confusion


def draw(block: Drawable, dark: bool = False) -> Figure:
    """Draw one figure for a light or a dark page."""
    if isinstance(block, Lines):
        return _draw_lines(block, dark)
    if isinstance(block, Points):
        return _draw_points(block, dark)
    if isinstance(block, Dots):
        return _draw_dots(block, dark)
    return draw_confusion(confusion_of(block), dark=dark)


def confusion_of(block: Confusion) -> ConfusionOverRuns:
    """Rates by row with their spread over the runs, from counts."""
    counts = np.asarray(block.runs, np.float64)
    totals = counts.sum(axis=2, keepdims=True)
    rates = counts / np.where(totals > 0, totals, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a class never tested
        mean, std = np.nanmean(rates, axis=0), np.nanstd(rates, axis=0)
    labels = np.array([_short(name) for name in block.labels])
    return ConfusionOverRuns(labels, mean, std, len(counts))


def _draw_lines(block: Lines, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 3.9)
    numbers: dict[str, int] = {}
    for series in block.series:
        # a published line has the colour of ours with the same name
        number = numbers.setdefault(series.name, len(numbers))
        _draw_series(axes, series, number, look)
    _scale(axes, block.log_x, block.log_y)
    xs = [x for series in block.series for x in series.x]
    if not block.log_x and all(float(x).is_integer() for x in xs):
        # there is no half an epoch
        axes.locator_params(axis="x", integer=True)
    name_axes(axes, look, plain(block.x), plain(block.y))
    _name_lines(figure, look)
    return figure


def _draw_series(axes: Axes, series: Series, number: int, look: Look) -> None:
    colour = _colour(look, number)
    # markers of many points would run together
    every = 1 if series.std is not None else max(1, len(series.x) // _MARKERS_A_LINE)
    name = f"{series.name}, published" if series.published else series.name
    axes.errorbar(
        series.x,
        series.y,
        yerr=series.std,
        label=plain(name),
        color=colour,
        linestyle=":" if series.published else "-",
        marker=MARKERS[number % len(MARKERS)],
        markerfacecolor=look.paper if series.published else colour,
        markersize=5.5,
        markevery=every,
        linewidth=1.6,
        elinewidth=1.0,
        capsize=2.5,
    )


def _draw_dots(block: Dots, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 0.42 * len(block.values) + 0.8)
    best = min(range(len(block.values)), key=lambda i: block.values[i][1].mean)
    for place, (_, spread) in enumerate(block.values):
        colour = _colour(look, 1 if place == best else 0)
        axes.errorbar(
            [spread.mean],
            [place],
            xerr=None if spread.std is None else [spread.std],
            color=colour,
            marker="D" if place == best else "o",
            markersize=7,
            linewidth=2.2,
        )
        axes.annotate(
            f"{spread.mean:.3g}",
            (spread.mean, place),
            (0, 7),
            textcoords="offset points",
            ha="center",
            color=look.ink,
            fontsize=TEXT - 1,
        )
    names = [plain(_short(name, 30)) for name, _ in block.values]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.7)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    _scale(axes, block.log_x, False)
    if not block.log_x and min(spread.mean for _, spread in block.values) >= 0:
        axes.set_xlim(left=0)
    name_axes(axes, look, plain(block.x), "")
    return figure


def _draw_points(block: Points, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 3.9)
    for number, (name, x, y) in enumerate(block.points):
        axes.plot(
            [x],
            [y],
            linestyle="none",
            marker=MARKERS[number % len(MARKERS)],
            color=_colour(look, number),
            markersize=9,
            label=plain(name),
        )
    _scale(axes, block.log_x, block.log_y)
    axes.margins(0.12)
    if not block.log_y and min(y for _, _, y in block.points) >= 0:
        axes.set_ylim(bottom=0)
    name_axes(axes, look, plain(block.x), plain(block.y))
    _name_lines(figure, look)
    return figure


def _axes(dark: bool, height: float) -> tuple[Figure, Axes, Look]:
    """Axes that are open above and to the right."""
    figure, axes, look = new_axes(dark, height)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes, look


def _colour(look: Look, number: int) -> str:
    return look.colours[number % len(look.colours)]


def _name_lines(figure: Figure, look: Look) -> None:
    if len(figure.axes[0].get_legend_handles_labels()[1]) > 1:
        add_legend(figure, look)


def _scale(axes: Axes, log_x: bool, log_y: bool) -> None:
    if log_x:
        axes.set_xscale("log")
        write_plain_numbers(axes.xaxis)
    if log_y:
        axes.set_yscale("log")
        write_plain_numbers(axes.yaxis)


def _short(name: str, most: int = 14) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
