"""Images moved to where their ink is in the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._storable import storable
from mercer.images._image_transformer import ImageTransformer
from mercer.images.pixels import shift_rows


@storable
class Centre(ImageTransformer):
    """Move the centre of each image's ink to the middle, by parts of pixels too.

    Values between pixels are interpolated linearly, and rounded to the shades of the
    training images as in `Deslant`. An image without ink stays as it is.

    Parameters
    ----------
    image_shape : (height, width) or None
        Of the images; None for square ones.

    Attributes
    ----------
    paper_, step_
        As in `Deslant`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.images import Centre
    >>> image = np.array([[2.0, 2.0, 0.0, 0.0, 0.0]])
    >>> Centre(image_shape=(1, 5)).fit(image).transform(image).round(1)
    array([[0., 1., 2., 1., 0.]])
    """

    def __init__(self, image_shape: tuple[int, int] | None = None) -> None:
        self.image_shape = image_shape

    def _draw(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        for _ in range(2):  # across, and then down
            ink = shift_rows(ink, _offset(ink)).transpose(0, 2, 1)
        return ink


def _offset(ink: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how many columns the ink of each image is off the middle, for all rows."""
    by_column = ink.sum(axis=1)
    total = by_column.sum(axis=1)
    away = np.arange(ink.shape[2]) - (ink.shape[2] - 1) / 2
    moment, off = by_column @ away, np.zeros(len(ink))
    np.divide(moment, total, out=off, where=total > 0)
    return np.repeat(off[:, None], ink.shape[1], axis=1)
