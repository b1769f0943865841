"""Slanted writing set upright."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._storable import storable
from mercer.images._image_transformer import ImageTransformer
from mercer.images.pixels import shift_rows


@storable
class Deslant(ImageTransformer):
    """Set slanted images upright, each by its own moments.

    The slant of an image is the slope of the regression of its columns on its rows,
    weighted by ink. Each row is shifted by as much as that line is off the centre of
    the ink, so that ink keeps its rows, and its mean its place. Values between pixels
    are interpolated linearly, and rounded to the shades of the training images where
    these are whole multiples of a step, as 1/255.

    Parameters
    ----------
    image_shape : (height, width) or None
        Of the images; None for square ones.

    Attributes
    ----------
    paper_ : float
        The smallest value of the training images.
    step_ : float or None
        The step between their shades, if there is one.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from mercer import KernelSVC, load_dataset
    >>> from mercer.images import Deslant
    >>> digits = load_dataset("digits")
    >>> model = make_pipeline(Deslant(), KernelSVC(C=10))
    >>> model = model.fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.961
    """

    def __init__(self, image_shape: tuple[int, int] | None = None) -> None:
        self.image_shape = image_shape

    def _draw(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        return shift_rows(ink, _offsets(ink))


def _offsets(ink: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how many columns each row is off the upright, of each image."""
    rows, columns = (np.arange(length, dtype=np.float64) for length in ink.shape[1:])
    by_row, by_column = ink.sum(axis=2), ink.sum(axis=1)
    total = by_row.sum(axis=1, keepdims=True)
    some = np.where(total > 0, total, 1.0)
    down = rows - (by_row @ rows)[:, None] / some
    right = columns - (by_column @ columns)[:, None] / some
    covariance = ((ink @ right[:, :, None])[:, :, 0] * down).sum(axis=1)
    variance = (by_row * down**2).sum(axis=1)
    usable = variance > 0
    slope = np.divide(covariance, variance, out=np.zeros(len(ink)), where=usable)
    return slope[:, None] * down
