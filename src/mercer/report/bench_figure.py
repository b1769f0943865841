"""A benchmark's seconds as lines over samples or memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mercer.bench import Result
from mercer.report._look import MARKERS, add_legend, dashed, name_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_bench(result: Result, dark: bool = False) -> Figure:
    """Draw a line for each contestant, both axes logarithmic."""
    figure, axes, look = new_axes(dark, 3.9)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for number, (name, points) in enumerate(result.points.items()):
        x, y = zip(*points, strict=True)
        axes.plot(x, y, label=name, marker=MARKERS[number], **dashed(look, number))
    places = sorted({x for points in result.points.values() for x, _ in points})
    axes.set_xticks(places, [f"{place:g}" for place in places], rotation=30)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    name_axes(axes, look, result.x, "seconds of a fit")
    add_legend(figure, look)
    return figure


def save_bench_figure(result: Result, path: Path) -> Path:
    """Write the figure; the ending of the name decides the format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draw_bench(result).savefig(path)
    return path
