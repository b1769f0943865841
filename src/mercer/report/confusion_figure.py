"""Who was taken for whom, as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.metrics import ConfusionOverRuns
from mercer.report.look import (
    TEXT,
    WIDTH,
    Look,
    add_scale,
    new_axes,
    plain,
    shades,
    write_cell,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

_MOST_ANNOTATED = 10
_LETTERS_A_ROW = 45


def draw_confusion(table: ConfusionOverRuns, *, dark: bool = False) -> Figure:
    r"""Draw a heat map of who was taken for whom, mean ± std in percent.

    Only mistakes are coloured, so that they show beside the many right decisions on
    the diagonal. With more than 10 classes the colours stand alone, with their scale.

    Parameters
    ----------
    table : ConfusionOverRuns
        What `mercer.metrics.confusion_over_runs` returned.
    dark : bool
        Draw for a dark page.

    Examples
    --------
    >>> from mercer.metrics import confusion_over_runs
    >>> from mercer.report.decision_figures import draw_confusion
    >>> table = confusion_over_runs([0, 0, 1], [[0, 1, 1], [0, 0, 1]])
    >>> [text.get_text() for text in draw_confusion(table).axes[0].texts]
    ['75.0\n±25.0', '25.0\n±25.0', '0', '100']
    """
    n_classes = len(table.labels)
    annotated = n_classes <= _MOST_ANNOTATED
    longest = max(len(str(label)) for label in table.labels)
    height = WIDTH + 0.25 - 0.055 * (longest - 1) - (0.0 if annotated else 0.7)
    figure, axes, look = new_axes(dark, max(height, 3.0), "taken for", "true class")
    heat = shades(look.paper, look.heat)
    percent = 100.0 * np.where(np.eye(n_classes, dtype=bool), 0.0, table.mean)
    worst = np.nanmax(percent, initial=0.0) or 1.0
    image = axes.imshow(np.nan_to_num(percent), cmap=heat, vmin=0.0, vmax=worst)
    if annotated:
        _annotate(axes, table, heat, worst, look)
    else:
        add_scale(figure, image, look, "% of the class", TEXT, shrink=0.8)
    _name_classes(axes, table, look)
    spread = "± std " if annotated else ""
    runs = f", mean {spread}of {table.n_runs} runs" if table.n_runs > 1 else ""
    axes.set_title(f"% of each class{runs}", color=look.ink, fontsize=TEXT)
    return figure


def _name_classes(axes: Axes, table: ConfusionOverRuns, look: Look) -> None:
    n_classes = len(table.labels)
    axes.grid(visible=False)
    for edge in np.arange(n_classes + 1) - 0.5:
        axes.axhline(edge, color=look.grid, linewidth=0.6)
        axes.axvline(edge, color=look.grid, linewidth=0.6)
    every = range(0, n_classes, max(1, n_classes // 16))
    names = [plain(table.labels[k]) for k in every]
    crowded = max(map(len, names)) * len(names) > _LETTERS_A_ROW
    axes.set_xticks(list(every), names, rotation=90 if crowded else 0)
    axes.set_yticks(list(every), names)
    axes.tick_params(length=0)


def _annotate(
    axes: Axes, table: ConfusionOverRuns, heat: Colormap, worst: float, look: Look
) -> None:
    longest = max(len(str(label)) for label in table.labels)
    # names beside the rows leave less room; smaller than this nobody reads
    size = max(8.2, min(TEXT, (90.0 - longest) / len(table.labels)))
    for place, mean in np.ndenumerate(table.mean):
        diagonal = place[0] == place[1]
        text = _cell(100 * mean, 100 * float(table.std[place]), table.n_runs)
        share = 0.0 if diagonal or np.isnan(mean) else 100.0 * mean / worst
        style: dict[str, Any] = {"fontsize": size}
        if mean == 0.0 or np.isnan(mean):
            style["color"] = look.quiet
        elif diagonal:
            style["fontweight"] = "bold"
        write_cell(axes, place, text, heat(share), **style)


def _cell(mean: float, std: float, n_runs: int) -> str:
    if np.isnan(mean):
        return "–"
    digits = 1 if max(mean, std) >= 10 else 2
    if mean == 100.0 or mean == 0.0:
        return f"{mean:.0f}"
    if n_runs == 1:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f}\n±{std:.{digits}f}"
