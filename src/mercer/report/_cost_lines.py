"""Two lines that belong together: the minimum cost, solid, and the actual, dashed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from mercer.report._look import MARKERS, Look, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORT_DASH: Any = (0, (3, 1.5))
COST = "normalised detection cost"


def plot_costs(
    axes: "Axes",
    look: Look,
    number: int,
    name: str | None,
    x: Sequence[float] | NDArray,
    minimum: Sequence[float] | NDArray,
    actual: Sequence[float] | NDArray,
    *,
    markevery: tuple[int, int] = (0, 1),
) -> None:
    """Plot both, in the colour and with the marker of this number."""
    style: dict[str, Any] = {
        "color": look.colours[number % len(look.colours)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 5.5,
        "markevery": markevery,
    }
    axes.plot(x, minimum, label=None if name is None else plain(name), **style)
    axes.plot(x, actual, linestyle=_SHORT_DASH, markerfacecolor=look.paper, **style)


def add_key(axes: "Axes", look: Look) -> None:
    """Say in the legend which of the two is which."""
    axes.plot([], [], color=look.ink, marker="o", label="minimum")
    axes.plot(
        *([], []),
        color=look.ink,
        linestyle=_SHORT_DASH,
        marker="o",
        markerfacecolor=look.paper,
        label="actual",
    )
