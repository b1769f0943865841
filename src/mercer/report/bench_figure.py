"""A benchmark as the figure that suits it: lines, bars for kinds of data, or a map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mercer.bench import Result
from mercer.report.bench_map import draw_map
from mercer.report.look import (
    MARKERS,
    TEXT,
    add_legend,
    new_axes,
    plain,
    save_figure,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TICKS = 8  # as many as are readable side by side


def draw_lines(result: Result, dark: bool = False) -> Figure:
    """Draw a line for each contestant, both axes logarithmic."""
    figure, axes, look = new_axes(dark, 3.9, result.x, result.y)
    axes.set(xscale="log", yscale="log")
    for number, (name, points) in enumerate(result.points.items()):
        x, y = zip(*points, strict=True)
        axes.plot(x, y, label=name, marker=MARKERS[number], **look.dashed(number))
    places = sorted({x for points in result.points.values() for x, _ in points})
    if len(places) <= _TICKS:
        axes.set_xticks(places, [f"{place:.12g}" for place in places], rotation=30)
    else:  # measured, not chosen
        axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    add_legend(figure, look)
    return figure


def draw_bars(result: Result, dark: bool = False) -> Figure:
    """Draw bars of seconds for each kind of data, and how many times as long."""
    names, kinds = list(result.points), result.kinds
    figure, axes, look = new_axes(dark, 0.95 * len(kinds) + 1.1, result.x, "")
    axes.set(xscale="log")
    axes.grid(visible=False, axis="y")
    shortest = min(
        seconds for points in result.points.values() for _, seconds in points
    )
    longest = max(seconds for points in result.points.values() for _, seconds in points)
    axes.set_xlim(shortest / 3, longest * 5)
    height = 0.6 / len(names)
    ours = dict(result.points[names[0]])
    for number, name in enumerate(names):
        for kind, seconds in result.points[name]:
            at = kind + (number + 0.5) * height - 0.15
            label = name if kind == 0 else None
            axes.barh(at, seconds, height, color=look.colours[number], label=label)
            ratio = seconds / ours[kind]
            text = f" {seconds:.2g} s" + (f", {ratio:.1f}x" if number else "")
            axes.text(seconds, at, text, va="center", color=look.ink, fontsize=TEXT - 2)
    for kind, words in enumerate(kinds):
        axes.text(
            shortest / 2.8, kind - 0.22, plain(words), color=look.ink, fontsize=TEXT
        )
    axes.set_yticks([])
    axes.set_ylim(len(kinds) - 0.45, -0.55)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.spines[["top", "right"]].set_visible(False)
    add_legend(figure, look)
    return figure


def save_bench_figure(result: Result, path: Path) -> Path:
    """Write the figure; the ending of the name decides the format."""
    draw = draw_map if result.fields else draw_bars if result.kinds else draw_lines
    return save_figure(draw(result), path)
