"""Images smoothed, so that strokes a little apart have something in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from mercer._storable import storable
from mercer.exceptions import ParameterError
from mercer.images._image_transformer import ImageTransformer


@storable
class Smooth(ImageTransformer):
    """Smooth images by a Gaussian filter; outside of them is paper.

    Values are rounded to the shades of the training images, as in `Deslant`.

    Parameters
    ----------
    width : float
        Standard deviation of the filter, in pixels.
    image_shape : (height, width) or None
        Of the images; None for square ones.

    Attributes
    ----------
    paper_, step_
        As in `Deslant`.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from mercer import KernelSVC, load_dataset
    >>> from mercer.images import Smooth
    >>> digits = load_dataset("digits")
    >>> model = make_pipeline(Smooth(0.5), KernelSVC(C=10))
    >>> model = model.fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.965
    """

    def __init__(
        self, width: float = 0.75, image_shape: tuple[int, int] | None = None
    ) -> None:
        self.width = width
        self.image_shape = image_shape

    def _draw(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        if not 0 < self.width < np.inf:
            raise ParameterError(f"width is {self.width!r}; it must be above 0.")
        down, right = (
            gaussian_filter1d(np.eye(length), self.width, axis=0, mode="constant")
            for length in ink.shape[1:]
        )
        return np.asarray(down @ ink @ right.T)
