"""A benchmark's points as lines: seconds over samples, or errors over seconds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mercer.bench import Result
from mercer.report.look import MARKERS, add_legend, new_axes, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TICKS = 8  # as many as are readable side by side


def draw_bench(result: Result, dark: bool = False) -> Figure:
    """Draw a line for each contestant, both axes logarithmic."""
    figure, axes, look = new_axes(dark, 3.9, result.x, result.y)
    axes.set(xscale="log", yscale="log")
    for number, (name, points) in enumerate(result.points.items()):
        x, y = zip(*points, strict=True)
        axes.plot(x, y, label=name, marker=MARKERS[number], **look.dashed(number))
    places = sorted({x for points in result.points.values() for x, _ in points})
    if len(places) <= _TICKS:
        axes.set_xticks(places, [f"{place:g}" for place in places], rotation=30)
    else:  # measured, not chosen
        axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    add_legend(figure, look)
    return figure


def save_bench_figure(result: Result, path: Path) -> Path:
    """Write the figure; the ending of the name decides the format."""
    return save_figure(draw_bench(result), path)
