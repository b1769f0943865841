"""Uploaded images, placed as the digits of MNIST are."""

from __future__ import annotations

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mercer.web.limits import Refusal, ServiceLimits

_FAINT = 0.02  # less is paper
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")


def read_image(content: bytes, limits: ServiceLimits) -> NDArray[np.float64]:
    """The ink of an image, from 0 to 1: what differs from its border.

    The size is read from the header and checked before anything is unpacked.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=_FORMATS)
            if image.width * image.height > limits.pixels:
                raise Refusal(
                    413,
                    f"The image has {image.width} x {image.height} pixels; at most "
                    f"{limits.pixels} are taken.",
                )
            flat = Image.new("RGBA", image.size, "white")
            flat.alpha_composite(image.convert("RGBA"))
            grey = np.asarray(flat.convert("L"), np.float64) / 255
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        kinds = ", ".join(_FORMATS)
        raise Refusal(422, f"This is no image that can be read ({kinds}).") from None
    border = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    return np.asarray(grey if np.median(border) < 0.5 else 1 - grey)


def place_digit(
    ink: NDArray[np.float64], shape: tuple[int, int], box: float | None = None
) -> NDArray[np.float64]:
    """Crop, scale, and centre by mass, as MNIST was made.

    The longer side becomes `box` pixels, 20 of 28 unless told otherwise.

    >>> ink = np.zeros((100, 60))
    >>> ink[10:50, 20:30] = 1
    >>> placed = place_digit(ink, (28, 28))
    >>> rows = np.flatnonzero(placed.any(axis=1))
    >>> placed.shape, int(rows[0]), int(rows[-1])
    ((28, 28), 4, 23)
    """
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    placed = np.zeros(shape)
    if not len(rows):
        return placed
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    factor = (box or min(shape) * 20 / 28) / max(cut.shape)
    size = [
        min(most, max(1, round(side * factor))) for side, most in zip(cut.shape, shape)
    ]
    image = Image.fromarray(np.round(255 * cut).astype(np.uint8))
    small = np.asarray(image.resize(size[::-1], Image.Resampling.BOX)) / 255
    corner = []
    for axis, side in enumerate(shape):
        weights = small.sum(axis=1 - axis)
        centre = (np.arange(len(weights)) + 0.5) @ weights / max(weights.sum(), 1e-12)
        corner.append(int(np.clip(round(side / 2 - centre), 0, side - size[axis])))
    placed[corner[0] : corner[0] + size[0], corner[1] : corner[1] + size[1]] = small
    return placed


def box_of(images: NDArray[np.float64]) -> float:
    """The longer side of what is drawn in images of ink, in the median.

    >>> images = np.zeros((3, 28, 28))
    >>> images[:, 4:24, 10:15] = 1
    >>> box_of(images)
    20.0
    """
    inked = images > _FAINT
    sides = [_extents(np.asarray(inked.any(axis=axis))) for axis in (1, 2)]
    found = np.maximum(*sides)
    return float(np.median(found[found > 0])) if found.any() else 0.0


def _extents(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How long it is from the first mark of each row to the last."""
    first, last = marked.argmax(axis=1), marked[:, ::-1].argmax(axis=1)
    return np.where(marked.any(axis=1), marked.shape[1] - last - first, 0)
