"""How figures look: paper and ink for light and dark pages, sizes, axes, legends.

Colours are told apart by colour-blind readers; markers and dashes tell lines apart in
grey print; text stays readable where the figure is 375 pixels wide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mercer._extras import import_extra
from mercer.exceptions import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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


def look_for(dark: bool) -> Look:
    """The colours of a dark page, or of a light one."""
    return DARK if dark else LIGHT


def new_figure(dark: bool, height: float) -> "tuple[Figure, Look]":
    """An empty figure of the usual width on its own paper."""
    look = look_for(dark)
    module = import_extra("matplotlib.figure", "report", "Drawing figures")
    figure: Figure = module.Figure(
        figsize=(WIDTH, height), dpi=150, layout="constrained", facecolor=look.paper
    )
    return figure, look


def new_axes(dark: bool, height: float) -> "tuple[Figure, Axes, Look]":
    """A figure with one pair of axes and a grid."""
    figure, look = new_figure(dark, height)
    axes = figure.add_subplot(facecolor=look.paper)
    axes.grid(color=look.grid, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", colors=look.ink, labelsize=TEXT)
    for spine in axes.spines.values():
        spine.set_color(look.quiet)
    return figure, axes, look


def name_axes(axes: "Axes", look: Look, x: str, y: str) -> None:
    """Write what the axes show."""
    axes.set_xlabel(x, color=look.ink, fontsize=TEXT)
    axes.set_ylabel(y, color=look.ink, fontsize=TEXT)


def add_legend(figure: "Figure", look: Look) -> None:
    """Set the legend below the axes, where it hides nothing."""
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=columns_for(names),
        frameon=False,
        labelcolor=look.ink,
        fontsize=TEXT,
        handlelength=3.2,
    )


def columns_for(names: Sequence[str]) -> int:
    """How many columns of a legend fit side by side."""
    return 2 if max(map(len, names)) <= _LONG_NAME else 1


def dashed(look: Look, number: int) -> dict[str, Any]:
    """The style of a line that differs from the others in colour and dash."""
    return {
        "color": look.colours[number % len(look.colours)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "linewidth": 1.8,
    }


def check_some(curves: Mapping[str, Any]) -> None:
    """Raise where there is nothing to draw."""
    if len(curves) == 0:
        raise DataError("There are no curves to draw; give at least one with a name.")


def plain(text: object) -> str:
    """Keep Matplotlib from reading a formula between dollar signs."""
    return str(text).replace("$", r"\$")
