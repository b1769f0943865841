"""ROC and DET: the two error rates against each other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mercer.metrics import DetPoints, RocPoints
from mercer.report._look import (
    add_legend,
    check_some,
    dashed,
    name_axes,
    new_axes,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_POINTS = 1000
_DET_TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)


def draw_roc(curves: Mapping[str, RocPoints], *, dark: bool = False) -> "Figure":
    """Draw hit rate against false-alarm rate.

    Parameters
    ----------
    curves : mapping of str to RocPoints
        What `mercer.metrics.roc_points` returned, under the name to show.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from mercer.metrics import roc_points
    >>> from mercer.report.decision_figures import draw_roc
    >>> roc = roc_points([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_roc({"SVM": roc}).axes[0].get_ylabel()
    'hits, part of the positives'
    """
    check_some(curves)
    figure, axes, look = new_axes(dark, 5.0)
    axes.plot([0, 1], [0, 1], color=look.quiet, linewidth=1.0)
    for number, (name, roc) in enumerate(curves.items()):
        keep = _thinned(roc.false_alarm_rate, 1.0 - roc.hit_rate)
        axes.plot(
            roc.false_alarm_rate[keep],
            roc.hit_rate[keep],
            label=plain(name),
            **dashed(look, number),
        )
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    name_axes(
        axes, look, "false alarms, part of the negatives", "hits, part of the positives"
    )
    add_legend(figure, look)
    return figure


def draw_det(curves: Mapping[str, DetPoints], *, dark: bool = False) -> "Figure":
    """Draw miss rate against false-alarm rate, both on a probit axis.

    Parameters
    ----------
    curves : mapping of str to DetPoints
        What `mercer.metrics.det_points` returned, under the name to show.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from mercer.metrics import det_points
    >>> from mercer.report.decision_figures import draw_det
    >>> det = det_points([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_det({"SVM": det}).axes[0].get_ylabel()
    'misses, % of the positives'
    """
    check_some(curves)
    figure, axes, look = new_axes(dark, 5.0)
    shown = []
    for number, (name, det) in enumerate(curves.items()):
        inside = (det.false_alarm_rate > 0) & (det.miss_rate > 0)
        inside &= (det.false_alarm_rate < 1) & (det.miss_rate < 1)
        x, y = det.false_alarm_rate[inside], det.miss_rate[inside]
        keep = _thinned(x, y)
        axes.plot(
            ndtri(x[keep]), ndtri(y[keep]), label=plain(name), **dashed(look, number)
        )
        shown.extend([*x, *y])
    low, high = _det_range(np.array(shown))
    ticks = [tick for tick in _DET_TICKS if low <= tick <= high]
    names = [f"{100 * tick:g}" for tick in ticks]
    axes.set_xticks(ndtri(ticks), names)
    axes.set_yticks(ndtri(ticks), names)
    limits = (ndtri(low), ndtri(high))
    axes.plot(limits, limits, color=look.quiet, linewidth=1.0, zorder=1)
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    name_axes(
        axes, look, "false alarms, % of the negatives", "misses, % of the positives"
    )
    add_legend(figure, look)
    return figure


def _thinned(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return rows of a rising `x` and falling `y` that draw the same curve."""
    if len(x) <= 2 * MOST_POINTS:
        return np.arange(len(x))
    grid = np.linspace(-4.0, 4.0, MOST_POINTS)
    with np.errstate(divide="ignore"):
        along = np.searchsorted(ndtri(x), grid)
        down = len(y) - 1 - np.searchsorted(ndtri(y[::-1]), grid)
    rows = np.concatenate(([0, len(x) - 1], along, down))
    return np.unique(np.clip(rows, 0, len(x) - 1))


def _det_range(shown: NDArray[np.float64]) -> tuple[float, float]:
    if len(shown) == 0:
        return 0.01, 0.99
    low = max(float(shown.min()) / 1.3, 5e-5)
    return low, min(max(float(shown.max()), 0.5), 0.8)
