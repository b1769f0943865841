"""A benchmark over shapes of data, as a map of ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mercer.bench import Result
from mercer.report.look import TEXT, new_figure, shades, write_cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_map(result: Result, dark: bool = False) -> Figure:
    """Draw a panel for each kind of column: how many times as long the peer takes."""
    panels = list(dict.fromkeys(panel for panel, *_ in result.fields))
    figure, look = new_figure(dark, 2.2 * len(panels))
    slower, faster = shades(look.paper, look.heat), shades(look.paper, look.colours[0])
    for number, panel in enumerate(panels):
        own = [(c, r, lead) for p, c, r, lead in result.fields if p == panel]
        columns = list(dict.fromkeys(column for column, _, _ in own))
        rows = sorted({row for _, row, _ in own}, key=int)
        colours = np.tile(slower(0.0), (len(rows), len(columns), 1))
        axes = figure.add_subplot(len(panels), 1, number + 1)
        for column, row, ratio in own:
            at = rows.index(row), columns.index(column)
            # ten times as fast, or as slow, is the strongest colour
            strength = min(1.0, abs(np.log10(ratio)))
            colours[at] = (faster if ratio >= 1 else slower)(strength)
            write_cell(axes, at, f"{ratio:.2g}x", colours[at], fontsize=TEXT)
        axes.imshow(colours, aspect="auto")
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), rows)
        axes.tick_params(colors=look.ink, labelsize=TEXT, length=0)
        axes.spines[:].set_color(look.quiet)
        axes.set_xlabel(panel, color=look.ink, fontsize=TEXT)
        axes.set_ylabel("samples", color=look.ink, fontsize=TEXT)
    return figure
