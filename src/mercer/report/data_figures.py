"""Pictures of a data set: sample images (or a projection) and the class balance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from numpy.typing import NDArray

from mercer.preparation import prepare
from mercer.report.look import DARK, LIGHT, Look, check_picture, plain, save_figure

if TYPE_CHECKING:
    from mercer.datasets import Dataset

_TRAIN, _TEST = "#2f6db3", "#8fb8de"
_IMAGES_A_ROW = 8
_MAX_CLASSES = 10
_MAX_NAMES = 40
_MAX_POINTS = 1500


def draw_dataset(dataset: Dataset, dark: bool = False) -> Figure:
    """Draw sample images, or the samples in a plane, beside the class balance."""
    look = DARK if dark else LIGHT
    rows = min(len(dataset.classes), _MAX_CLASSES)
    height = max(3.4, 0.62 * rows + 1.3) if dataset.image_shape else 4.6
    figure = Figure(figsize=(10.5, height), dpi=150, facecolor=look.paper)
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.05)
    figure.suptitle(
        f"{plain(dataset.name)}: {dataset.n_samples:,} samples, "
        f"{dataset.n_features:,} features, {len(dataset.classes)} classes",
        color=look.ink,
        fontsize=13,
        fontweight="bold",
        x=0.012,
        ha="left",
    )
    style: dict[str, Any] = {"wspace": 0.04, "facecolor": look.paper}
    parts = figure.subfigures(1, 2, squeeze=False, width_ratios=(1.25, 1), **style)
    left, right = parts[0]
    (_draw_images if dataset.image_shape else _draw_plane)(left, dataset, look)
    _draw_balance(right, dataset, look)
    return figure


def save_picture(dataset: Dataset, path: Path, dark: bool = False) -> Path:
    """Draw a data set into a PNG, SVG or PDF file."""
    check_picture(path)
    return save_figure(draw_dataset(dataset, dark), path)


def _draw_images(part: SubFigure, dataset: Dataset, look: Look) -> None:
    classes = dataset.classes[:_MAX_CLASSES]
    low, high = dataset.value_range
    axes = part.subplots(len(classes), _IMAGES_A_ROW, squeeze=False)
    for row, label in zip(axes, classes):
        members = np.flatnonzero(dataset.y == label)
        for axis, image in zip(row, _spread(members, _IMAGES_A_ROW)):
            pixels = _dense(dataset.X[[image]]).reshape(dataset.image_shape)
            axis.imshow(pixels, cmap=look.images, vmin=low, vmax=high)
        for axis in row:
            axis.set(xticks=[], yticks=[], facecolor=look.paper)
            axis.spines[:].set_color(look.grid)
        beside = {"rotation": 0, "ha": "right", "va": "center", "color": look.ink}
        row[0].set_ylabel(plain(label), **beside)
    part.suptitle("Sample images, a row for each class", **_title(look))


def _draw_plane(part: SubFigure, dataset: Dataset, look: Look) -> None:
    axis = part.subplots()
    chosen = _spread(np.arange(dataset.n_samples), _MAX_POINTS)
    points = _project(_as_numbers(dataset, dataset.X[chosen]))
    for index, label in enumerate(dataset.classes[: len(look.colours)]):
        mask = dataset.y[chosen] == label
        style = {"s": 11, "alpha": 0.65, "linewidths": 0, **look.line(index)}
        axis.scatter(*points[mask].T, label=_class_name(dataset, index), **style)
    _style(axis, look)
    axis.set(xlabel="first principal component", ylabel="second principal component")
    axis.legend(
        frameon=False, labelcolor=look.ink, markerscale=1.8, loc="best", ncols=2
    )
    shown = "" if len(chosen) == dataset.n_samples else f" ({len(chosen):,} of them)"
    part.suptitle(f"The samples in a plane{shown}", **_title(look))


def _draw_balance(part: SubFigure, dataset: Dataset, look: Look) -> None:
    axis = part.subplots()
    labels = dataset.classes.tolist()
    places = range(len(labels))
    drawn = np.zeros(len(labels))
    for rows, name, colour in _parts(dataset):
        counts = np.array(list(dataset.class_counts(rows).values()))
        axis.barh(places, counts, 0.68, left=drawn, color=colour, label=name)
        drawn += counts
    uniform = dataset.n_samples / len(labels)
    line = axis.axvline(uniform, color=look.ink, linewidth=1, linestyle=(0, (4, 3)))
    line.set_label(f"equal share ({uniform:,.0f})")
    _style(axis, look)
    if len(labels) <= _MAX_NAMES:
        axis.set_yticks(places, [_class_name(dataset, i) for i in places])
        _write_counts(axis, drawn, look)
    else:
        axis.set_ylabel("class, in order")
    # The bars stand beside the rows of images, the first class on top.
    axis.set(ylim=(len(labels) - 0.5, -0.5), xlim=(0, drawn.max() * 1.02), xticks=[])
    axis.spines["bottom"].set_visible(False)
    entries = zip(*axis.get_legend_handles_labels())
    bars_first = sorted(entries, key=lambda entry: entry[1].startswith("equal"))
    axis.legend(
        *zip(*bars_first),
        frameon=False,
        labelcolor=look.ink,
        fontsize=8.5,
        ncols=3,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.1,
        handlelength=1.6,
    )
    part.suptitle("Samples of each class", **_title(look))


def _write_counts(axis: Axes, counts: NDArray, look: Look) -> None:
    """Write the counts in a column of their own, where no bar or line crosses them."""
    for place, count in enumerate(counts):
        axis.annotate(
            f"{count:,.0f}",
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(36, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=9,
            color=look.ink,
        )


def _parts(dataset: Dataset) -> list[tuple[NDArray | None, str, str]]:
    if dataset.train is None or dataset.test is None:
        return [(None, "samples", _TRAIN)]
    return [(dataset.train, "train", _TRAIN), (dataset.test, "test", _TEST)]


def _title(look: Look) -> dict[str, Any]:
    return {"color": look.quiet, "fontsize": 10}


def _style(axis: Axes, look: Look) -> None:
    axis.set_facecolor(look.paper)
    axis.set_axisbelow(True)
    axis.tick_params(colors=look.quiet, labelcolor=look.ink, length=0)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.spines["bottom"].set_color(look.grid)
    axis.xaxis.label.set_color(look.quiet)
    axis.yaxis.label.set_color(look.quiet)


def _class_name(dataset: Dataset, index: int) -> str:
    names = dataset.target_names
    named = names is not None and len(names) == len(dataset.classes)
    return plain(names[index] if names and named else dataset.classes[index])


def _spread(members: NDArray, count: int) -> NDArray:
    """Take samples at equal distances, so that sorted files show more than one kind."""
    if len(members) <= count:
        return members
    return members[np.linspace(0, len(members) - 1, count).astype(np.intp)]


def _dense(X: Any) -> NDArray:
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)


def _as_numbers(dataset: Dataset, X: Any) -> NDArray:
    """Words as 0 and 1, and gaps filled in, as a learner would get them."""
    words = dataset.categorical
    if not words and not (isinstance(X, np.ndarray) and np.isnan(X).any()):
        return _dense(X)
    for _, step in prepare(X, "none", missing="median", categorical=words).steps:
        X = step.fit_transform(X)
    return _dense(X)


def _project(X: NDArray) -> NDArray:
    centred = X - X.mean(axis=0)
    if X.shape[1] == 1:
        return np.column_stack([centred[:, 0], np.zeros(len(X))])
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(centred @ axes[:2].T)
