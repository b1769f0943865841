"""A strip of the images that models get wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import DataError, ParameterError
from mercer.metrics import HardSample
from mercer.report.look import TEXT, WIDTH, Look, new_figure, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LETTERS_A_ROW = 52


def draw_hardest(
    samples: Sequence[HardSample],
    *,
    columns: int = 5,
    invert: bool = False,
    dark: bool = False,
) -> Figure:
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
    lines = 0.65 if any(sample.times_tested > 1 for sample in samples) else 0.45
    figure, look = new_figure(dark, n_rows * (WIDTH / columns + lines) + 0.05)
    grid = figure.subplots(n_rows, columns, squeeze=False)
    for axes, sample in zip(grid.flat, samples):
        _draw_sample(axes, sample, look, invert, _LETTERS_A_ROW // columns)
    for axes in grid.flat[len(samples) :]:
        axes.set_visible(False)
    return figure


def _draw_sample(
    axes: Axes, sample: HardSample, look: Look, invert: bool, letters: int
) -> None:
    inverse = {"gray": "gray_r", "gray_r": "gray"}
    cmap = inverse[look.images] if invert else look.images
    axes.imshow(_image_of(sample), cmap=cmap)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_color(look.quiet)
    above = plain(shorten(f"true {sample.true_label}", letters))
    axes.set_title(above, color=look.ink, fontsize=TEXT, pad=4)
    most = sample.taken_for[0][1]
    names = [str(label) for label, count in sample.taken_for if count == most][:3]
    below = plain(shorten(f"→ {' or '.join(names)}", letters))
    if sample.times_tested > 1:
        below += f"\n{sample.times_wrong} of {sample.times_tested}"
    axes.set_xlabel(below, color=look.ink, fontsize=TEXT)


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
