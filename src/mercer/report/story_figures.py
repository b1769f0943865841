"""Figures of a story: lines, points, dots with their spread, bars, confusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._extras import import_extra
from mercer.metrics import ConfusionOverRuns
from mercer.report.confusion_figure import draw_confusion
from mercer.report.look import TEXT, Look, add_legend, new_axes, plain, shorten
from mercer.studies.story import (
    Bars,
    Cloud,
    Confusion,
    Dots,
    Lines,
    Points,
    Series,
    Strips,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_MARKERS_A_LINE = 20
#: Numbers within these bounds are written out along a logarithmic axis.
_LEAST, _MOST = 1e-3, 1e6
Drawable = Lines | Points | Dots | Bars | Strips | Cloud | Confusion


def draw(block: Drawable, dark: bool = False) -> Figure:
    """Draw one figure for a light or a dark page."""
    if isinstance(block, Lines):
        return _draw_lines(block, dark)
    if isinstance(block, Points):
        return _draw_points(block, dark)
    if isinstance(block, Dots):
        return _draw_dots(block, dark)
    if isinstance(block, Bars):
        return _draw_bars(block, dark)
    if isinstance(block, Strips):
        return _draw_strips(block, dark)
    if isinstance(block, Cloud):
        return _draw_cloud(block, dark)
    return draw_confusion(confusion_of(block), dark=dark)


def confusion_of(block: Confusion) -> ConfusionOverRuns:
    """Rates by row with their spread over the runs, from counts."""
    labels = np.array([shorten(name, 14) for name in block.labels])
    return ConfusionOverRuns.from_counts(labels, block.runs)


def _draw_lines(block: Lines, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 3.9, block.x, block.y)
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
    _name_lines(figure, look)
    return figure


def _draw_series(axes: Axes, series: Series, number: int, look: Look) -> None:
    style = look.line(number)
    # markers of many points would run together
    every = 1 if series.std is not None else max(1, len(series.x) // _MARKERS_A_LINE)
    name = f"{series.name}, published" if series.published else series.name
    axes.errorbar(
        series.x,
        series.y,
        yerr=series.std,
        label=plain(name),
        linestyle=":" if series.published else "-",
        markerfacecolor=look.paper if series.published else style["color"],
        markersize=5.5,
        markevery=every,
        linewidth=1.6,
        elinewidth=1.0,
        capsize=2.5,
        **style,
    )


def _draw_dots(block: Dots, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 0.42 * len(block.values) + 0.8, block.x, "")
    best = min(range(len(block.values)), key=lambda i: block.values[i][1].mean)
    for place, (_, spread) in enumerate(block.values):
        axes.errorbar(
            [spread.mean],
            [place],
            xerr=None if spread.std is None else [spread.std],
            color=look.colours[1 if place == best else 0],
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
    names = [plain(shorten(name, 30)) for name, _ in block.values]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.7)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    _scale(axes, block.log_x, False)
    if not block.log_x and min(spread.mean for _, spread in block.values) >= 0:
        axes.set_xlim(left=0)
    return figure


def _draw_points(block: Points, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 3.9, block.x, block.y)
    for number, (name, x, y) in enumerate(block.points):
        style = {"linestyle": "none", "markersize": 9, **look.line(number)}
        axes.plot([x], [y], label=plain(name), **style)
    _scale(axes, block.log_x, block.log_y)
    axes.margins(0.12)
    if not block.log_y and min(y for _, _, y in block.points) >= 0:
        axes.set_ylim(bottom=0)
    _name_lines(figure, look)
    return figure


def _draw_bars(block: Bars, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 3.9, block.x, block.y)
    width = 0.8 / len(block.kinds)
    for number, (name, values) in enumerate(block.kinds):
        shift = (number - (len(block.kinds) - 1) / 2) * width
        places = [place + shift for place in range(len(values))]
        colour = look.colours[number % len(look.colours)]
        axes.bar(places, values, width, label=plain(name), color=colour)
    axes.set_xticks(range(len(block.names)), [plain(name) for name in block.names])
    axes.grid(visible=False, axis="x")
    _name_lines(figure, look)
    return figure


def _draw_strips(block: Strips, dark: bool) -> Figure:
    height = 0.42 * len(block.strips) + 0.8
    figure, axes, look = _axes(dark, height, block.x, "")
    kinds = list(dict.fromkeys(k for _, parts in block.strips for k, _ in parts))
    for place, (_, parts) in enumerate(block.strips):
        begin = 0.0
        for kind, length in parts:
            colour = look.colours[kinds.index(kind) % len(look.colours)]
            axes.barh(place, length, 0.7, begin, color=colour, edgecolor=look.paper)
            begin += length
    for number, kind in enumerate(kinds):  # a name each, however many parts there are
        colour = look.colours[number % len(look.colours)]
        axes.barh(0, 0, color=colour, label=plain(kind))
    axes.set_yticks(range(len(block.strips)), [plain(n) for n, _ in block.strips])
    axes.set_ylim(len(block.strips) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    _name_lines(figure, look)
    return figure


def _draw_cloud(block: Cloud, dark: bool) -> Figure:
    figure, axes, look = _axes(dark, 4.4, block.x, block.y)
    for number, (name, x, y) in enumerate(block.classes):
        style = {"linestyle": "none", "markersize": 3.2, **look.line(number)}
        axes.plot(x, y, label=plain(name), alpha=0.7, **style)
    _name_lines(figure, look)
    return figure


def _axes(dark: bool, height: float, x: str, y: str) -> tuple[Figure, Axes, Look]:
    """Axes that are open above and to the right."""
    figure, axes, look = new_axes(dark, height, plain(x), plain(y))
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes, look


def _name_lines(figure: Figure, look: Look) -> None:
    if len(figure.axes[0].get_legend_handles_labels()[1]) > 1:
        add_legend(figure, look)


def _scale(axes: Axes, log_x: bool, log_y: bool) -> None:
    if log_x:
        axes.set_xscale("log")
        _write_plain_numbers(axes.xaxis)
    if log_y:
        axes.set_yscale("log")
        _write_plain_numbers(axes.yaxis)


def _write_plain_numbers(axis: Axis) -> None:
    """Write out the ticks of a logarithmic axis, instead of powers of ten."""
    ticker: Any = import_extra("matplotlib.ticker", "report", "Drawing figures")

    class PlainFormatter(ticker.LogFormatter):
        """Leaves out the same ticks as Matplotlib's, and writes the others plainly."""

        def __call__(self, value: float, place: int | None = None) -> str:
            return plain_number(value) if super().__call__(value, place) else ""

    axis.set_major_formatter(PlainFormatter())
    # between powers of ten only where there are hardly any of them
    axis.set_minor_formatter(PlainFormatter(minor_thresholds=(1.5, 0.5)))


def plain_number(value: float) -> str:
    """A number as one would write it.

    >>> plain_number(6.0), plain_number(20_000.0), plain_number(1e-8)
    ('6', '20,000', '1e-8')
    """
    if _LEAST <= abs(value) < _MOST:
        return f"{value:,.10g}"
    mantissa, _, exponent = f"{value:.10g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
