"""Figures of decisions and their costs.

Each function takes rows or what `mercer.metrics` returns and gives back a Matplotlib
figure. Lines differ in colour (safe for colour-blind readers), in marker or dash (so
that grey print tells them apart too), and are drawn for a light or a dark page. Sizes
are chosen so that labels stay readable on a screen of 375 pixels' width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mercer._extras import import_extra
from mercer.exceptions import DataError, ParameterError
from mercer.metrics import (
    BayesErrorCurve,
    ConfusionOverRuns,
    DetPoints,
    HardSample,
    RocPoints,
)

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

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)))
_SHORT_DASH: Any = (0, (3, 1.5))
_WIDTH, _TEXT = 5.0, 10.5
_MOST_POINTS = 1000
_LONG_NAME = 20
_MOST_ANNOTATED = 12
_DET_TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class _Theme:
    paper: str
    ink: str
    quiet: str
    grid: str
    heat: str
    images: str
    colours: tuple[str, ...]


_LIGHT = _Theme(
    *("#ffffff", "#1b1f24", "#59626c", "#d5dae0", "#b3400a", "gray_r"),
    ("#0067a5", "#c8500a", "#00795a", "#a8488a", "#7a6200", "#4b4b4b"),
)
_DARK = _Theme(
    *("#14181d", "#eceff2", "#a4aeb8", "#39424b", "#ff9a5c", "gray"),
    ("#5db8f0", "#ff9a5c", "#3fd0a4", "#eda3cf", "#e8d44d", "#c8c8c8"),
)
_COSTS = ("min_dcf", "actual_dcf")


def draw_dcf_against_c(
    rows: Sequence[Mapping[str, Any]], *, line: str = "gamma", dark: bool = False
) -> "Figure":
    """Draw minimum and actual cost against C, a line for each kernel width.

    Parameters
    ----------
    rows : sequence of mappings
        Each with "C", "min_dcf" and "actual_dcf", and with `line` if there are
        several lines.
    line : str
        What tells the lines apart.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from mercer.report.decision_figures import draw_dcf_against_c
    >>> rows = [{"C": c, "gamma": g, "min_dcf": 0.2 + g, "actual_dcf": 0.9}
    ...         for c in (0.1, 1.0, 10.0) for g in (0.01, 0.1)]
    >>> draw_dcf_against_c(rows).axes[0].get_xscale()
    'log'
    """
    if len(rows) == 0:
        raise DataError("There are no rows to draw; give at least one.")
    figure, axes, look = _canvas(dark, 4.6)
    for number, (value, group) in enumerate(_grouped(rows, line).items()):
        style: dict[str, Any] = {
            "color": look.colours[number % len(look.colours)],
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 5.5,
        }
        x = [row["C"] for row in group]
        name = None if value is None else f"{_symbol(line)} = {_short(value)}"
        minimum, actual = ([row[key] for row in group] for key in _COSTS)
        axes.plot(x, minimum, label=name, **style)
        axes.plot(x, actual, linestyle=_SHORT_DASH, markerfacecolor=look.paper, **style)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    _label(axes, look, "C", "normalised detection cost")
    _key_of_both(axes, look)
    _legend(figure, look)
    return figure


def draw_bayes_error(
    curves: Mapping[str, BayesErrorCurve], *, dark: bool = False
) -> "Figure":
    """Draw actual and minimum cost against the prior log-odds.

    Parameters
    ----------
    curves : mapping of str to BayesErrorCurve
        What `mercer.metrics.bayes_error_curve` returned, under the name to show.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from mercer.metrics import bayes_error_curve
    >>> from mercer.report.decision_figures import draw_bayes_error
    >>> curve = bayes_error_curve([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_bayes_error({"SVM": curve}).axes[0].get_ylabel()
    'normalised detection cost'
    """
    _check_some(curves)
    figure, axes, look = _canvas(dark, 4.6)
    axes.axhline(1.0, color=look.quiet, linewidth=1.0)
    axes.annotate(
        "decides by the prior alone",
        (0.5, 1.0),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        color=look.quiet,
        fontsize=_TEXT - 1.5,
    )
    for number, (name, curve) in enumerate(curves.items()):
        every = max(1, len(curve.log_odds) // 8)
        style: dict[str, Any] = {
            "color": look.colours[number % len(look.colours)],
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 5.5,
            "markevery": (number * every // max(1, len(curves)), every),
        }
        axes.plot(curve.log_odds, curve.minimum, label=name, **style)
        axes.plot(
            curve.log_odds,
            curve.actual,
            linestyle=_SHORT_DASH,
            markerfacecolor=look.paper,
            **style,
        )
    ends = [curve.log_odds for curve in curves.values()]
    axes.set_xlim(min(e.min() for e in ends), max(e.max() for e in ends))
    axes.set_ylim(0.0, _top(curves))
    _label(axes, look, "prior log-odds  log(π / (1 − π))", "normalised detection cost")
    _key_of_both(axes, look)
    _legend(figure, look)
    return figure


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
    _check_some(curves)
    figure, axes, look = _canvas(dark, 5.0)
    axes.plot([0, 1], [0, 1], color=look.quiet, linewidth=1.0)
    for number, (name, roc) in enumerate(curves.items()):
        keep = _thinned(roc.false_alarm_rate, 1.0 - roc.hit_rate)
        axes.plot(
            roc.false_alarm_rate[keep],
            roc.hit_rate[keep],
            label=name,
            **_dashed(look, number),
        )
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    _label(
        axes, look, "false alarms, part of the negatives", "hits, part of the positives"
    )
    _legend(figure, look)
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
    _check_some(curves)
    figure, axes, look = _canvas(dark, 5.0)
    shown = []
    for number, (name, det) in enumerate(curves.items()):
        inside = (det.false_alarm_rate > 0) & (det.miss_rate > 0)
        inside &= (det.false_alarm_rate < 1) & (det.miss_rate < 1)
        x, y = det.false_alarm_rate[inside], det.miss_rate[inside]
        keep = _thinned(x, y)
        axes.plot(ndtri(x[keep]), ndtri(y[keep]), label=name, **_dashed(look, number))
        shown.extend([*x, *y])
    low, high = _det_range(np.array(shown))
    ticks = [tick for tick in _DET_TICKS if low <= tick <= high]
    names = [f"{100 * tick:g}" for tick in ticks]
    axes.set_xticks(ndtri(ticks), names)
    axes.set_yticks(ndtri(ticks), names)
    limits = (ndtri(low), ndtri(high))
    axes.plot(limits, limits, color=look.quiet, linewidth=1.0, zorder=1)
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    _label(axes, look, "false alarms, % of the negatives", "misses, % of the positives")
    _legend(figure, look)
    return figure


def draw_confusion(table: ConfusionOverRuns, *, dark: bool = False) -> "Figure":
    r"""Draw a heat map of who was taken for whom, mean ± std in percent.

    Only mistakes are coloured, so that they show beside the many right decisions on
    the diagonal. With more than 12 classes the colours stand alone, with their scale.

    Parameters
    ----------
    table : ConfusionOverRuns
        What `mercer.metrics.confusion_over_runs` returned.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

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
    height = _WIDTH + 0.25 - 0.055 * (longest - 1) - (0.0 if annotated else 0.7)
    figure, axes, look = _canvas(dark, max(height, 3.0))
    colors = import_extra("matplotlib.colors", "report", "Drawing figures")
    heat = colors.LinearSegmentedColormap.from_list("heat", [look.paper, look.heat])
    percent = 100.0 * np.where(np.eye(n_classes, dtype=bool), 0.0, table.mean)
    worst = np.nanmax(percent, initial=0.0) or 1.0
    image = axes.imshow(np.nan_to_num(percent), cmap=heat, vmin=0.0, vmax=worst)
    axes.grid(visible=False)
    for edge in np.arange(n_classes + 1) - 0.5:
        axes.axhline(edge, color=look.grid, linewidth=0.6)
        axes.axvline(edge, color=look.grid, linewidth=0.6)
    if annotated:
        _annotate(axes, table, heat, worst, look)
    else:
        bar = figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02)
        bar.outline.set_edgecolor(look.quiet)
        bar.ax.tick_params(colors=look.ink, labelsize=_TEXT)
        bar.set_label("% of the class", color=look.ink, fontsize=_TEXT)
    every = range(0, n_classes, max(1, n_classes // 16))
    names = [str(table.labels[k]) for k in every]
    axes.set_xticks(list(every), names)
    axes.set_yticks(list(every), names)
    axes.tick_params(length=0)
    _label(axes, look, "taken for", "true class")
    spread = "± std " if annotated else ""
    runs = f", mean {spread}of {table.n_runs} runs" if table.n_runs > 1 else ""
    axes.set_title(f"% of each class{runs}", color=look.ink, fontsize=_TEXT)
    return figure


def draw_hardest(
    samples: Sequence[HardSample],
    *,
    columns: int = 5,
    invert: bool = False,
    dark: bool = False,
) -> "Figure":
    """Draw the images most often mistaken, with what they are and were taken for.

    Parameters
    ----------
    samples : sequence of HardSample
        What `mercer.metrics.hardest_samples` returned, with images.
    columns : int
        How many images a row.
    invert : bool
        Swap dark and bright of grey images; unless asked for, high values are ink.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.metrics import hardest_samples
    >>> from mercer.report.decision_figures import draw_hardest
    >>> found = hardest_samples([3, 8], [[3, 3]], images=np.zeros((2, 8, 8)))
    >>> draw_hardest(found).axes[0].get_title()
    'true 8'
    """
    if len(samples) == 0:
        raise DataError("There are no samples to draw; no model was ever wrong.")
    if columns < 1:
        raise ParameterError(f"columns is {columns}; it must be at least 1.")
    n_rows = -(-len(samples) // columns)
    figure, look = _figure(dark, n_rows * (_WIDTH / columns + 0.65) + 0.05)
    grid = figure.subplots(n_rows, columns, squeeze=False)
    for axes, sample in zip(grid.flat, samples):
        _draw_sample(axes, sample, look, invert)
    for axes in grid.flat[len(samples) :]:
        axes.set_visible(False)
    return figure


def _draw_sample(axes: "Axes", sample: HardSample, look: _Theme, invert: bool) -> None:
    cmap = {"gray": "gray_r", "gray_r": "gray"}[look.images] if invert else look.images
    axes.imshow(_image_of(sample), cmap=cmap)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(look.quiet)
    axes.set_title(f"true {sample.true_label}", color=look.ink, fontsize=_TEXT, pad=4)
    names = " or ".join(_most_common(sample.taken_for))
    axes.set_xlabel(
        f"→ {names}\n{sample.times_wrong} of {sample.times_tested}",
        color=look.ink,
        fontsize=_TEXT,
    )


def _most_common(taken_for: tuple[tuple[Any, int], ...]) -> list[str]:
    most = taken_for[0][1]
    return [str(label) for label, count in taken_for if count == most][:3]


def _image_of(sample: HardSample) -> NDArray[Any]:
    if sample.image is None:
        raise DataError(
            f"Sample {sample.index} has no image; give images to hardest_samples."
        )
    image = np.asarray(sample.image)
    side = int(np.sqrt(image.size))
    if image.ndim == 1 and side * side == image.size:
        return image.reshape(side, side)
    if image.ndim == 1:
        raise DataError(
            f"Sample {sample.index} has {image.size} pixels in a row, which is not a "
            "square image; give image_shape to hardest_samples."
        )
    return image


def _annotate(
    axes: "Axes", table: ConfusionOverRuns, heat: Any, worst: float, look: _Theme
) -> None:
    size = min(_TEXT, 90.0 / len(table.labels))
    for (row, column), mean in np.ndenumerate(table.mean):
        diagonal = row == column
        share = 0.0 if diagonal or np.isnan(mean) else 100.0 * mean / worst
        dark = np.dot(heat(share)[:3], (0.299, 0.587, 0.114)) < 0.5
        quiet = mean == 0.0 or np.isnan(mean)
        axes.text(
            column,
            row,
            _cell(100 * mean, 100 * float(table.std[row, column]), table.n_runs),
            ha="center",
            va="center",
            fontsize=size,
            fontweight="bold" if diagonal and not quiet else "normal",
            color=look.quiet if quiet else ("#f4f6f8" if dark else "#101418"),
        )


def _cell(mean: float, std: float, n_runs: int) -> str:
    if np.isnan(mean):
        return "–"
    digits = 1 if max(mean, std) >= 10 else 2
    if mean == 100.0 or mean == 0.0:
        return f"{mean:.0f}"
    if n_runs == 1:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f}\n±{std:.{digits}f}"


def _figure(dark: bool, height: float) -> "tuple[Figure, _Theme]":
    look = _DARK if dark else _LIGHT
    module = import_extra("matplotlib.figure", "report", "Drawing figures")
    figure: Figure = module.Figure(
        figsize=(_WIDTH, height), dpi=150, layout="constrained", facecolor=look.paper
    )
    return figure, look


def _canvas(dark: bool, height: float) -> "tuple[Figure, Axes, _Theme]":
    figure, look = _figure(dark, height)
    axes = figure.add_subplot(facecolor=look.paper)
    axes.grid(color=look.grid, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", colors=look.ink, labelsize=_TEXT)
    for spine in axes.spines.values():
        spine.set_color(look.quiet)
    return figure, axes, look


def _label(axes: "Axes", look: _Theme, x: str, y: str) -> None:
    axes.set_xlabel(x, color=look.ink, fontsize=_TEXT)
    axes.set_ylabel(y, color=look.ink, fontsize=_TEXT)


def _key_of_both(axes: "Axes", look: _Theme) -> None:
    axes.plot([], [], color=look.ink, marker="o", label="minimum")
    axes.plot(
        *([], []),
        color=look.ink,
        linestyle=_SHORT_DASH,
        marker="o",
        markerfacecolor=look.paper,
        label="actual",
    )


def _legend(figure: "Figure", look: _Theme) -> None:
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=2 if max(map(len, names)) <= _LONG_NAME else 1,
        frameon=False,
        labelcolor=look.ink,
        fontsize=_TEXT,
        handlelength=3.2,
    )


def _dashed(look: _Theme, number: int) -> dict[str, Any]:
    return {
        "color": look.colours[number % len(look.colours)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "linewidth": 1.8,
    }


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


def _symbol(name: str) -> str:
    return {"gamma": "γ", "lam": "λ"}.get(name, name)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _top(curves: Mapping[str, BayesErrorCurve]) -> float:
    worst = max(float(curve.actual.max()) for curve in curves.values())
    return min(max(1.05 * worst, 1.1), 1.5)


def _thinned(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return rows of a rising `x` and falling `y` that draw the same curve."""
    if len(x) <= 2 * _MOST_POINTS:
        return np.arange(len(x))
    grid = np.linspace(-4.0, 4.0, _MOST_POINTS)
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


def _check_some(curves: Mapping[str, Any]) -> None:
    if len(curves) == 0:
        raise DataError("There are no curves to draw; give at least one with a name.")
