"""What all figures share: paper and ink for light and dark pages, axes, legends, files.

Colours are told apart by colour-blind readers; markers and dashes tell lines apart in
grey print; text stays readable where the figure is 375 pixels wide.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._atomic_write import write_atomically
from mercer._extras import import_extra
from mercer.exceptions import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

WIDTH, TEXT = 5.0, 10.5
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)))
_LONG_NAME = 20


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of a page; each stands out from the paper.

    Attributes
    ----------
    paper, ink, quiet, grid : str
        The page, what is written on it, what may stay in the background, thin lines.
    heat : str
        The strongest colour of a heat map that begins at the paper.
    images : str
        The colour map in which high values are ink.
    colours : tuple of str
        For lines and classes, in this order.
    """

    paper: str
    ink: str
    quiet: str
    grid: str
    heat: str
    images: str
    colours: tuple[str, ...]

    def line(self, number: int) -> dict[str, Any]:
        """The colour of a line and its marker; both begin again after the last."""
        return {
            "color": self.colours[number % len(self.colours)],
            "marker": MARKERS[number % len(MARKERS)],
        }

    def dashed(self, number: int) -> dict[str, Any]:
        """The style of a line that differs from the others in colour and dash."""
        return {
            "color": self.colours[number % len(self.colours)],
            "linestyle": _DASHES[number % len(_DASHES)],
            "linewidth": 1.8,
        }


LIGHT = Look(
    *("#ffffff", "#1b1f24", "#59626c", "#d5dae0", "#b3400a", "gray_r"),
    (
        *("#0067a5", "#c8500a", "#00795a", "#a8488a"),
        *("#7a6200", "#4b4b4b", "#6b4fd1", "#a5222f"),
    ),
)
DARK = Look(
    *("#14181d", "#eceff2", "#a4aeb8", "#39424b", "#ff9a5c", "gray"),
    (
        *("#5db8f0", "#ff9a5c", "#3fd0a4", "#eda3cf"),
        *("#e8d44d", "#c8c8c8", "#b3a1ff", "#ff8088"),
    ),
)


def new_figure(dark: bool, height: float) -> tuple[Figure, Look]:
    """An empty figure of the usual width on its own paper."""
    look = DARK if dark else LIGHT
    figure: Figure = _matplotlib("figure").Figure(
        figsize=(WIDTH, height), dpi=150, layout="constrained", facecolor=look.paper
    )
    return figure, look


def new_axes(dark: bool, height: float, x: str, y: str) -> tuple[Figure, Axes, Look]:
    """A figure with one pair of axes, which show `x` and `y`, and a grid."""
    figure, look = new_figure(dark, height)
    axes = figure.add_subplot(facecolor=look.paper)
    axes.grid(color=look.grid, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", colors=look.ink, labelsize=TEXT)
    axes.spines[:].set_color(look.quiet)
    axes.set_xlabel(x, color=look.ink, fontsize=TEXT)
    axes.set_ylabel(y, color=look.ink, fontsize=TEXT)
    return figure, axes, look


def add_legend(figure: Figure, look: Look) -> None:
    """Set the legend below the axes, where it hides nothing."""
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=2 if max(map(len, names)) <= _LONG_NAME else 1,
        frameon=False,
        labelcolor=look.ink,
        fontsize=TEXT,
        handlelength=3.2,
    )


def shades(weak: Any, strong: Any) -> Colormap:
    """The colours of a heat map."""
    colours = _matplotlib("colors").LinearSegmentedColormap
    return colours.from_list("heat", [weak, strong])


def add_scale(
    figure: Figure, image: Any, look: Look, name: str, size: float, **options: Any
) -> None:
    """Set the scale of a heat map beside it."""
    bar = figure.colorbar(image, ax=figure.axes, pad=0.02, **options)
    bar.outline.set_edgecolor(look.quiet)
    bar.ax.tick_params(colors=look.ink, labelsize=size)
    bar.set_label(name, color=look.ink, fontsize=TEXT)


def write_cell(
    axes: Axes, place: tuple[int, ...], text: str, shade: Any, **style: Any
) -> None:
    """Write into a row and column of a heat map, readable on the shade of the cell."""
    dark = np.dot(shade[:3], (0.299, 0.587, 0.114)) < 0.5
    style = {"color": "#f4f6f8" if dark else "#101418", **style}
    axes.text(place[1], place[0], text, ha="center", va="center", **style)


def shorten(text: str, most: int) -> str:
    """Keep long names from running into what stands beside them."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plain(text: object) -> str:
    """Keep Matplotlib from reading a formula between dollar signs."""
    return str(text).replace("$", r"\$")


def check_picture(path: Path) -> None:
    """Complain about a file that cannot hold a picture."""
    if path.suffix.lower() not in {".png", ".svg", ".pdf"}:
        raise ParameterError(f"{path}: a picture is a .png, .svg or .pdf file.")


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure; the ending of the name decides the format."""
    check_picture(path)
    form, buffer = path.suffix[1:].lower(), io.BytesIO()
    figure.savefig(buffer, format=form, facecolor=figure.get_facecolor())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, buffer.getvalue())
    return path


def _matplotlib(module: str) -> Any:
    return import_extra(f"matplotlib.{module}", "report", "Drawing figures")
