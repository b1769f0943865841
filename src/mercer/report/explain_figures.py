"""Figures of explanations: bars of features, maps over images, support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.report.look import (
    TEXT,
    WIDTH,
    Look,
    new_axes,
    new_figure,
    plain,
    shades,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 5


class Picture(NamedTuple):
    """An image and the words below it."""

    image: NDArray
    caption: str


def draw_feature_values(
    names: Sequence[str], values: NDArray, label: str, *, dark: bool = False
) -> Figure:
    """Draw what each feature adds to the score of a class, the first on top.

    >>> import numpy as np
    >>> figure = draw_feature_values(["width", "length"], np.array([0.5, -0.2]), "rose")
    >>> figure.axes[0].get_xlabel()
    'added to the score of rose'
    """
    height = 0.9 + 0.32 * len(names)
    figure, axes, look = new_axes(dark, height, f"added to the score of {label}", "")
    places = np.arange(len(names))[::-1]
    colours = [look.colours[0] if value >= 0 else look.colours[1] for value in values]
    bars = axes.barh(places, values, color=colours)
    axes.bar_label(
        bars,
        [f"{value:+.3g}" for value in values],
        padding=3,
        color=look.ink,
        fontsize=9,
    )
    axes.set_yticks(places, [plain(shorten(name, 24)) for name in names])
    axes.axvline(0, color=look.quiet, linewidth=1)
    axes.margins(x=0.3)
    axes.grid(visible=False, axis="y")
    return figure


def draw_image_explanation(
    image: NDArray,
    values: NDArray,
    label: str,
    pulls: Sequence[Picture],
    against: Sequence[Picture],
    *,
    dark: bool = False,
    caption: str = "",
) -> Figure:
    """Draw an image, its map of Shapley values, and support vectors for and against.

    Parameters
    ----------
    image, values : arrays of shape (height, width)
        The sample, and what each pixel adds to the score; an empty map is left out.
    label : str
        The class that is explained.
    pulls, against : sequences of Picture
        Support vectors that pull for it and against it, the strongest first.
    dark : bool
        Draw for a dark page.
    caption : str
        What stands below the sample.
    """
    rows = 1 + bool(pulls) + bool(against)
    figure, look = new_figure(dark, 2.6 + (rows - 1) * (WIDTH / _COLUMNS + 0.5))
    heights = [2.4] + [1.7] * (rows - 1)
    parts = figure.subfigures(rows, 1, squeeze=False, height_ratios=heights)[:, 0]
    for part in parts:
        part.set_facecolor(look.paper)
    left, right = parts[0].subplots(1, 2)
    _show(left, Picture(image, caption), look)
    left.set_title("the sample", color=look.ink, fontsize=TEXT)
    if values.size:
        _show_map(right, image, values, look)
        right.set_title(plain(f"pixels for {label}"), color=look.ink, fontsize=TEXT)
        blue, orange = ("blue: for it", "orange: against it")
        right.set_xlabel(f"{blue}, {orange}", color=look.ink, fontsize=TEXT)
    else:
        right.set_visible(False)
    titles = (f"support vectors for {label}", f"support vectors against {label}")
    shown = [(t, p) for t, p in zip(titles, (pulls, against)) if p]
    for part, (title, pictures) in zip(parts[1:], shown):
        part.suptitle(plain(title), color=look.ink, fontsize=TEXT)
        for axes, picture in zip(part.subplots(1, _COLUMNS), pictures):
            _show(axes, picture, look)
        for axes in part.axes[len(pictures) :]:
            axes.set_visible(False)
    return figure


def _show(axes: Axes, picture: Picture, look: Look) -> None:
    axes.imshow(picture.image, cmap=look.images)
    _frame(axes, look)
    axes.set_xlabel(plain(picture.caption), color=look.ink, fontsize=TEXT - 1.5)


def _show_map(axes: Axes, image: NDArray, values: NDArray, look: Look) -> None:
    """Blue where a pixel speaks for the class, orange against; the sample's outline."""
    most = float(np.abs(values).max()) or 1.0
    size = np.abs(values) / most
    for positive, colour in ((True, look.colours[0]), (False, look.colours[1])):
        shown: Any = np.ma.masked_where((values > 0) != positive, size)
        axes.imshow(shown, cmap=shades(look.paper, colour), vmin=0, vmax=1)
    low, high = float(image.min()), float(image.max())
    if high > low:
        middle = (low + high) / 2
        axes.contour(image, levels=[middle], colors=look.quiet, linewidths=0.8)
    _frame(axes, look)


def _frame(axes: Axes, look: Look) -> None:
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_color(look.quiet)
