"""Images of thin and of thick strokes, with the same amount of ink."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._storable import need, storable
from mercer.images._image_transformer import ImageTransformer

_SHADES = 255  # above the paper, as in a byte


@storable
class EqualInk(ImageTransformer):
    """Give all images the same norm, that of the training images on average.

    How hard somebody presses the pen says nothing about what is written. Values are
    rounded to 256 shades, of which the last is the brightest of the training images.

    Parameters
    ----------
    image_shape : (height, width) or None
        Of the images; None for square ones.

    Attributes
    ----------
    norm_ : float
        The norm that each image gets, above its paper.
    paper_ : float
        The smallest value of the training images.
    step_ : float or None
        The step between shades; None where the training images show nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.images import EqualInk
    >>> images = np.array([[0.0, 3.0, 4.0, 0.0], [0.0, 9.0, 12.0, 0.0]])
    >>> EqualInk().fit(images).transform(images).round(1)
    array([[0., 6., 8., 0.],
           [0., 6., 8., 0.]])
    """

    def __init__(self, image_shape: tuple[int, int] | None = None) -> None:
        self.image_shape = image_shape

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        need(type(self.norm_) is float and self.norm_ >= 0, "it has no norm")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape, the norms and the brightest value of the images X."""
        super().fit(X, y)
        X = self._validate(X, reset=False)
        norms = np.linalg.norm(X - X.dtype.type(self.paper_), axis=1)
        self.norm_ = float(norms.mean(dtype=np.float64))
        largest = X.max(axis=1).astype(np.float64) - self.paper_
        brightest = float((largest * self._factors(norms)).max())
        self.step_ = brightest / _SHADES if brightest > 0 else None
        return self

    def _factors(self, norms: NDArray) -> NDArray[np.float64]:
        factors = np.ones(len(norms))
        np.divide(self.norm_, norms, out=factors, where=norms > 0)
        return factors

    def _draw(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        norms = np.sqrt((ink**2).sum(axis=(1, 2)))
        drawn = ink * self._factors(norms)[:, None, None]
        if self.step_ is None:
            return drawn
        return np.minimum(drawn, _SHADES * self.step_)
