"""What is known of the pixels of some images: their shape, paper and shades."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_sparse
from mercer.exceptions import ParameterError

_FEWEST_SHADES = 254.5  # those of a byte
_MOST_SHADES = 4096  # beyond which values are taken for measured ones
_LOOKED_AT = 2**20  # values by which the step is found
_OFF_GRID = 1e-3  # of a step: the rounding of float32


def check_image_shape(image_shape: Any, n_features: int) -> tuple[int, int]:
    """Height and width of images of so many pixels; without a shape, square ones."""
    if image_shape is None:
        side = math.isqrt(n_features)
        if side * side != n_features:
            raise ParameterError(
                f"Images of {n_features} pixels are not square; give their height and "
                "width, as image_shape=(8, 16)."
            )
        return side, side
    try:
        height, width = map(int, image_shape)
    except (TypeError, ValueError):
        raise ParameterError(
            f"image_shape is {image_shape!r}; it must be height and width, as (8, 16)."
        ) from None
    if min(height, width) < 1 or height * width != n_features:
        raise ParameterError(
            f"image_shape is {height} x {width}, but samples have {n_features} pixels."
        )
    return height, width


@dataclass(frozen=True)
class Shades:
    """The paper, which is the smallest value, and the step between shades of grey.

    Where all values are whole multiples of a step, such as 1/255, interpolated ones are
    rounded to it: kernel values of whole numbers are exact, and faster. Few shades, as
    black and white, get finer ones in between.
    """

    paper: float
    step: float | None

    @classmethod
    def of(cls, X: Any) -> Self:
        """Those of some images; the paper of sparse ones is 0."""
        if is_sparse(X):
            return cls(0.0, _find_step(X.data, 0.0))
        paper = float(X.min())
        return cls(paper, _find_step(X.ravel(), paper))

    def round(self, inked: Any) -> Any:
        """Values above the paper, rounded to whole steps where there is one."""
        if self.step is None:
            return inked
        return np.rint(inked / self.step) * self.step


def shift_rows(
    ink: NDArray[np.float64], offsets: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Take each row of images from so many columns to the right; outside is 0."""
    width = ink.shape[2]
    low = np.floor(offsets)
    part = (offsets - low)[:, :, None]
    source = np.arange(width) + low.astype(np.intp)[:, :, None]
    return _pick(ink, source) * (1 - part) + _pick(ink, source + 1) * part


def _pick(ink: NDArray[np.float64], source: NDArray[np.intp]) -> NDArray[np.float64]:
    width = ink.shape[2]
    values = np.take_along_axis(ink, np.clip(source, 0, width - 1), axis=2)
    return np.where((source >= 0) & (source < width), values, 0.0)


def _find_step(values: NDArray, paper: float) -> float | None:
    every = max(1, len(values) // _LOOKED_AT)
    shades = np.unique(values[::every]).astype(np.float64) - paper
    if not 1 < len(shades) <= _MOST_SHADES:
        return None
    step = float(shades[-1] / round(shades[-1] / np.diff(shades).min()))
    off = np.abs(shades / step - np.rint(shades / step))
    if off.max() > _OFF_GRID:
        return None
    return step / math.ceil(_FEWEST_SHADES / (shades[-1] / step))
