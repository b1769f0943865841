"""The scores of a search: a heat map over two parameters, or a line over one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer._extras import import_extra
from mercer.exceptions import DataError, ParameterError
from mercer.report.look import (
    TEXT,
    WIDTH,
    Look,
    add_scale,
    check_picture,
    new_axes,
    plain,
    save_figure,
    shades,
    write_cell,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = ["check_picture", "draw_search", "save_search"]

SearchRows = Sequence[Mapping[str, Any]]
Array = NDArray[np.float64]

_MOST_ANNOTATED = 12
_LONGEST_VALUE = 36


def draw_search(
    rows: SearchRows,
    *,
    x: str | None = None,
    y: str | None = None,
    score: str = "mean accuracy",
    title: str = "",
    dark: bool = False,
) -> Figure:
    """Draw the scores of candidates against the parameters that vary.

    With two or more parameters a heat map; where there are more than two, a cell shows
    the best over the others. With one parameter a line, ± one standard deviation. The
    best candidate is marked.

    Parameters
    ----------
    rows : sequence of mappings
        Each with "params" (a mapping), "mean" and "std".
    x, y : str, optional
        The parameters along the axes; default: the two with the most values.
    score : str
        What the numbers are.
    title : str
        What was searched.
    dark : bool
        Draw for a dark page.

    Examples
    --------
    >>> rows = [{"params": {"C": c, "gamma": g}, "mean": 0.9 + c * g, "std": 0.01}
    ...         for c in (1, 2) for g in (0.01, 0.02)]
    >>> [text.get_text() for text in draw_search(rows).axes[0].texts]
    ['.910', '.920', '.920', '.940']
    """
    rows = [row for row in rows if not np.isnan(row["mean"])]
    if not rows:
        raise DataError("There are no scores to draw; every candidate failed.")
    names = _varying(rows)
    x, y = _axes(names, x, y)
    if y is None:
        figure = _draw_line(rows, x, score, dark)
    else:
        figure = _draw_map(rows, x, y, score, dark, len(names) > 2)
    if title:
        ink = figure.axes[0].xaxis.label.get_color()
        figure.suptitle(plain(title), color=ink, fontsize=TEXT + 1, fontweight="bold")
    return figure


def save_search(rows: SearchRows, path: Path, **options: Any) -> Path:
    """Draw a search into a PNG, SVG or PDF file."""
    check_picture(path)
    return save_figure(draw_search(rows, **options), path)


def _draw_map(
    rows: SearchRows, x: str, y: str, score: str, dark: bool, more: bool
) -> Figure:
    columns, lines = _values(rows, x), _values(rows, y)
    means = np.full((len(lines), len(columns)), np.nan)
    for row in rows:
        at = _find(lines, row["params"].get(y)), _find(columns, row["params"].get(x))
        means[at] = np.fmax(means[at], row["mean"])
    height = max(2.4, 1.35 + 0.42 * min(len(lines), _MOST_ANNOTATED))
    note = ", best over the other parameters" if more else ""
    figure, axes, look = new_axes(dark, height, plain(x + note), plain(y))
    figure.set_figwidth(max(WIDTH, min(1.7 + 0.56 * len(columns), 9.0)))
    heat = _heat(look)
    low, high = _range(means)
    image = axes.imshow(means, cmap=heat, vmin=low, vmax=high, aspect="auto")
    if max(means.shape) <= _MOST_ANNOTATED:
        _annotate(axes, means, heat, (low, high))
    extend = "min" if low > np.nanmin(means) else None
    add_scale(figure, image, look, plain(score), TEXT - 1, extend=extend)
    _name_values(axes, columns, lines)
    for edge in np.arange(1, len(lines)) - 0.5:
        axes.axhline(edge, color=look.paper, linewidth=1.5)
    for edge in np.arange(1, len(columns)) - 0.5:
        axes.axvline(edge, color=look.paper, linewidth=1.5)
    _frame_best(axes, means, look)
    return figure


def _draw_line(rows: SearchRows, x: str, score: str, dark: bool) -> Figure:
    values = _values(rows, x)
    means, stds = np.full((2, len(values)), -np.inf)
    for row in rows:
        at = _find(values, row["params"].get(x))
        if row["mean"] > means[at]:
            means[at], stds[at] = row["mean"], row["std"]
    figure, axes, look = new_axes(dark, 3.4, plain(x), plain(f"{score}, ± std"))
    numeric = _are_numbers(values)
    places = np.array(values, float) if numeric else np.arange(len(values))
    if numeric and 0 < 20 * places.min() < places.max():
        axes.set_xscale("log")
    colour = look.colours[0]
    axes.fill_between(
        places, means - stds, means + stds, color=colour, alpha=0.18, lw=0
    )
    axes.plot(places, means, color=colour, marker="o", markersize=5)
    top = int(means.argmax())
    axes.plot(
        places[top], means[top], "o", markersize=11, mfc="none", mec=look.heat, mew=2
    )
    if not numeric or len(values) <= _MOST_ANNOTATED:
        axes.set_xticks(places, [_short(value) for value in values])
        axes.minorticks_off()
    return figure


def _varying(rows: SearchRows) -> list[str]:
    """Parameters with more than one value, those with the most first."""
    names = list(dict.fromkeys(name for row in rows for name in row["params"]))
    counts = {name: len(_values(rows, name)) for name in names}
    varying = [name for name in names if counts[name] > 1] or names
    return sorted(varying, key=lambda name: -counts[name])


def _axes(names: list[str], x: str | None, y: str | None) -> tuple[str, str | None]:
    for name in (x, y):
        if name is not None and name not in names:
            raise ParameterError(f"{name!r} does not vary in this search: {names}.")
    left = [name for name in names if name not in (x, y)]
    x = x or (left.pop(0) if left else "")
    return x, y or (left.pop(0) if left else None)


def _values(rows: SearchRows, name: str) -> list[Any]:
    """The values of a parameter: numbers in order, others as they come."""
    given = (row["params"].get(name) for row in rows)
    values = list({_key(value): value for value in given}.values())
    return sorted(values) if _are_numbers(values) else values


def _key(value: Any) -> tuple[type, str]:
    """What tells values apart that need be neither hashable nor comparable."""
    return type(value), repr(value)


def _find(values: list[Any], value: Any) -> int:
    return [_key(other) for other in values].index(_key(value))


def _are_numbers(values: list[Any]) -> bool:
    return all(
        isinstance(value, int | float | np.number) and not isinstance(value, bool)
        for value in values
    )


def _range(means: Array) -> tuple[float, float]:
    """Colours for the upper scores: a few failures must not hide the rest."""
    high, low = float(np.nanmax(means)), float(np.nanmin(means))
    middle = float(np.nanmedian(means))
    low = max(low, high - 4 * (high - middle)) if high > middle else low
    return (low, high) if high > low else (high - 1e-3, high)


def _heat(look: Look) -> Colormap:
    colors = import_extra("matplotlib.colors", "report", "Drawing figures")
    paper, strong = (np.array(colors.to_rgb(c)) for c in (look.paper, look.colours[0]))
    # the weakest shade still tells a cell from the page
    return shades(0.92 * paper + 0.08 * strong, strong)


def _annotate(
    axes: Axes, means: Array, heat: Colormap, bounds: tuple[float, float]
) -> None:
    low, high = bounds
    size = TEXT - 1 if means.shape[1] <= 8 else TEXT - 2.5
    for place, mean in np.ndenumerate(means):
        share = 0.0 if np.isnan(mean) else min(max((mean - low) / (high - low), 0), 1)
        text = "–" if np.isnan(mean) else _score(mean)
        write_cell(axes, place, text, heat(share), fontsize=size)


def _frame_best(axes: Axes, means: Array, look: Look) -> None:
    patches = import_extra("matplotlib.patches", "report", "Drawing figures")
    line, column = np.unravel_index(int(np.nanargmax(means)), means.shape)
    corner = float(column) - 0.47, float(line) - 0.47
    axes.add_patch(
        patches.Rectangle(corner, 0.94, 0.94, fill=False, edgecolor=look.heat, lw=2.4)
    )


def _name_values(axes: Axes, columns: list[Any], lines: list[Any]) -> None:
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    names = [_short(value) for value in columns]
    crowded = sum(map(len, names)) > 7 * max(6, len(columns)) or len(columns) > 12
    axes.set_xticks(range(len(columns)), names, rotation=90 if crowded else 0)
    axes.set_yticks(range(len(lines)), [_short(value) for value in lines])
    axes.tick_params(length=0)


def _short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    text = str(value)
    return plain(text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…")


def _score(value: float) -> str:
    if 0 <= value < 1 and not math.isclose(value, 1, abs_tol=5e-4):
        return f"{value:.3f}"[1:]
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
