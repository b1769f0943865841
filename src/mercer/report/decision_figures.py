"""Figures of decisions and their costs.

Each function takes rows or what `mercer.metrics` returns and gives back a Matplotlib
figure, for a light page or with ``dark=True`` for a dark one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mercer.exceptions import DataError
from mercer.metrics import BayesErrorCurve, DetPoints, RocPoints
from mercer.report.confusion_figure import draw_confusion
from mercer.report.hardest_figure import draw_hardest
from mercer.report.look import TEXT, Look, add_legend, new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "draw_bayes_error",
    "draw_confusion",
    "draw_dcf_against_c",
    "draw_det",
    "draw_hardest",
    "draw_roc",
]

Array = NDArray[np.float64]

_COST = "normalised detection cost"
_COSTS = ("min_dcf", "actual_dcf")
_SYMBOLS = {"gamma": "γ", "lam": "λ"}
_SHORT_DASH: Any = (0, (3, 1.5))
_MOST_POINTS = 1000
_DET_TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)


def draw_bayes_error(
    curves: Mapping[str, BayesErrorCurve], *, dark: bool = False
) -> Figure:
    """Draw actual and minimum cost against the prior log-odds.

    Parameters
    ----------
    curves : mapping of str to BayesErrorCurve
        What `mercer.metrics.bayes_error_curve` returned, under the name to show.

    Examples
    --------
    >>> from mercer.metrics import bayes_error_curve
    >>> curve = bayes_error_curve([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_bayes_error({"SVM": curve}).axes[0].get_ylabel()
    'normalised detection cost'
    """
    _check_some(curves)
    figure, axes, look = new_axes(dark, 4.6, "prior log-odds  log(π / (1 − π))", _COST)
    axes.axhline(1.0, color=look.quiet, linewidth=1.0)
    axes.annotate(
        "decides by the prior alone",
        (0.5, 1.0),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        color=look.quiet,
        fontsize=TEXT - 1.5,
        # curves may pass here: keep the words readable in front of them
        bbox={"facecolor": look.paper, "edgecolor": "none", "alpha": 0.85, "pad": 0.5},
        zorder=5,
    )
    for number, (name, curve) in enumerate(curves.items()):
        every = max(1, len(curve.log_odds) // 8)
        _plot_costs(
            *(axes, look, number, name),
            *(curve.log_odds, curve.minimum, curve.actual),
            markevery=(number * every // len(curves), every),
        )
    ends = [curve.log_odds for curve in curves.values()]
    axes.set_xlim(min(e.min() for e in ends), max(e.max() for e in ends))
    worst = max(float(curve.actual.max()) for curve in curves.values())
    axes.set_ylim(0.0, min(max(1.05 * worst, 1.1), 1.5))
    _add_cost_legend(figure, axes, look)
    return figure


def draw_dcf_against_c(
    rows: Sequence[Mapping[str, Any]], *, line: str = "gamma", dark: bool = False
) -> Figure:
    """Draw minimum and actual cost against C, a line for each kernel width.

    Parameters
    ----------
    rows : sequence of mappings
        Each with "C", "min_dcf" and "actual_dcf", and with `line` if there are
        several lines.
    line : str
        What tells the lines apart.

    Examples
    --------
    >>> rows = [{"C": c, "gamma": g, "min_dcf": 0.2 + g, "actual_dcf": 0.9}
    ...         for c in (0.1, 1.0, 10.0) for g in (0.01, 0.1)]
    >>> draw_dcf_against_c(rows).axes[0].get_xscale()
    'log'
    """
    if len(rows) == 0:
        raise DataError("There are no rows to draw; give at least one.")
    figure, axes, look = new_axes(dark, 4.6, "C", _COST)
    for number, (value, group) in enumerate(_grouped(rows, line).items()):
        short = f"{value:.3g}" if isinstance(value, float) else value
        name = None if value is None else f"{_SYMBOLS.get(line, line)} = {short}"
        x, minimum, actual = ([row[key] for row in group] for key in ("C", *_COSTS))
        _plot_costs(axes, look, number, name, x, minimum, actual)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    _add_cost_legend(figure, axes, look)
    return figure


def draw_roc(curves: Mapping[str, RocPoints], *, dark: bool = False) -> Figure:
    """Draw hit rate against false-alarm rate.

    Parameters
    ----------
    curves : mapping of str to RocPoints
        What `mercer.metrics.roc_points` returned, under the name to show.

    Examples
    --------
    >>> from mercer.metrics import roc_points
    >>> roc = roc_points([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_roc({"SVM": roc}).axes[0].get_ylabel()
    'hits, part of the positives'
    """
    lines = {}
    for name, roc in curves.items():
        keep = _thinned(roc.false_alarm_rate, 1.0 - roc.hit_rate)
        lines[name] = roc.false_alarm_rate[keep], roc.hit_rate[keep]
    names = "false alarms, part of the negatives", "hits, part of the positives"
    return _draw_rates(lines, names, (0.0, 1.0), 0.01, dark)


def draw_det(curves: Mapping[str, DetPoints], *, dark: bool = False) -> Figure:
    """Draw miss rate against false-alarm rate, both on a probit axis.

    Parameters
    ----------
    curves : mapping of str to DetPoints
        What `mercer.metrics.det_points` returned, under the name to show.

    Examples
    --------
    >>> from mercer.metrics import det_points
    >>> det = det_points([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_det({"SVM": det}).axes[0].get_ylabel()
    'misses, % of the positives'
    """
    lines, shown = {}, [np.empty(0)]
    for name, det in curves.items():
        inside = (det.false_alarm_rate > 0) & (det.miss_rate > 0)
        inside &= (det.false_alarm_rate < 1) & (det.miss_rate < 1)
        x, y = det.false_alarm_rate[inside], det.miss_rate[inside]
        keep = _thinned(x, y)
        lines[name] = ndtri(x[keep]), ndtri(y[keep])
        shown += [x, y]
    names = "false alarms, % of the negatives", "misses, % of the positives"
    low, high = _det_range(np.concatenate(shown))
    figure = _draw_rates(lines, names, (ndtri(low), ndtri(high)), 0.0, dark)
    ticks = [tick for tick in _DET_TICKS if low <= tick <= high]
    percents = [f"{100 * tick:g}" for tick in ticks]
    figure.axes[0].set_xticks(ndtri(ticks), percents)
    figure.axes[0].set_yticks(ndtri(ticks), percents)
    return figure


def _draw_rates(
    lines: Mapping[str, tuple[Array, Array]],
    names: tuple[str, str],
    ends: tuple[float, float],
    margin: float,
    dark: bool,
) -> Figure:
    """Draw two rates against each other, both axes alike, and the diagonal."""
    _check_some(lines)
    figure, axes, look = new_axes(dark, 5.0, *names)
    axes.plot(ends, ends, color=look.quiet, linewidth=1.0, zorder=1)
    for number, (name, (x, y)) in enumerate(lines.items()):
        axes.plot(x, y, label=plain(name), **look.dashed(number))
    limits = ends[0] - margin, ends[1] + margin
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    add_legend(figure, look)
    return figure


def _check_some(curves: Mapping[str, Any]) -> None:
    if len(curves) == 0:
        raise DataError("There are no curves to draw; give at least one with a name.")


def _plot_costs(
    axes: Axes,
    look: Look,
    number: int,
    name: str | None,
    x: Sequence[float] | Array,
    minimum: Sequence[float] | Array,
    actual: Sequence[float] | Array,
    markevery: tuple[int, int] = (0, 1),
) -> None:
    """Plot two lines that belong together: the minimum, solid, the actual, dashed."""
    style = {"markersize": 5.5, "markevery": markevery, **look.line(number)}
    axes.plot(x, minimum, label=None if name is None else plain(name), **style)
    axes.plot(x, actual, linestyle=_SHORT_DASH, markerfacecolor=look.paper, **style)


def _add_cost_legend(figure: Figure, axes: Axes, look: Look) -> None:
    """Name the lines, and say which of two is which."""
    style: dict[str, Any] = {"color": look.ink, "marker": "o"}
    axes.plot([], [], label="minimum", **style)
    style |= {"linestyle": _SHORT_DASH, "markerfacecolor": look.paper}
    axes.plot([], [], label="actual", **style)
    add_legend(figure, look)


def _grouped(
    rows: Sequence[Mapping[str, Any]], line: str
) -> dict[Any, list[Mapping[str, Any]]]:
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(rows):
        missing = {"C", *_COSTS} - row.keys()
        if missing:
            raise DataError(f"Row {number} lacks {', '.join(sorted(missing))}.")
        groups.setdefault(row.get(line), []).append(row)
    by_c = {value: sorted(g, key=lambda row: row["C"]) for value, g in groups.items()}
    return dict(sorted(by_c.items(), key=lambda item: (str(type(item[0])), item[0])))


def _thinned(x: Array, y: Array) -> NDArray[np.intp]:
    """Return rows of a rising `x` and falling `y` that draw the same curve."""
    if len(x) <= 2 * _MOST_POINTS:
        return np.arange(len(x))
    grid = np.linspace(-4.0, 4.0, _MOST_POINTS)
    with np.errstate(divide="ignore"):
        along = np.searchsorted(ndtri(x), grid)
        down = len(y) - 1 - np.searchsorted(ndtri(y[::-1]), grid)
    rows = np.concatenate(([0, len(x) - 1], along, down))
    return np.unique(np.clip(rows, 0, len(x) - 1))


def _det_range(shown: Array) -> tuple[float, float]:
    if len(shown) == 0:
        return 0.01, 0.99
    low = max(float(shown.min()) / 1.3, 5e-5)
    return low, min(max(float(shown.max()), 0.5), 0.8)
