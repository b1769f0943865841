"""Dark parts of images made brighter, so that they count for more."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._storable import need, storable
from mercer.exceptions import ParameterError
from mercer.images._image_transformer import ImageTransformer


@storable
class Brighten(ImageTransformer):
    """Raise values to a power below 1: what is nearly paper becomes visible.

    Values are those above the paper, in parts of the brightest of the training images
    (gamma correction). They are rounded to the shades of these, as in `Deslant`.

    Parameters
    ----------
    power : float
        Above 0; 0.5 takes square roots, above 1 darkens.
    image_shape : (height, width) or None
        Of the images; None for square ones.

    Attributes
    ----------
    brightest_ : float
        The largest value of the training images, above the paper.
    paper_, step_
        As in `Deslant`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.images import Brighten
    >>> image = np.array([[0.0, 64.0, 128.0, 255.0]])
    >>> Brighten().fit(image).transform(image).round()
    array([[  0., 128., 181., 255.]])
    """

    def __init__(
        self, power: float = 0.5, image_shape: tuple[int, int] | None = None
    ) -> None:
        self.power = power
        self.image_shape = image_shape

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        need(type(self.brightest_) is float, "it has no brightest value")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape, the shades and the brightest value of the images X."""
        if not 0 < self.power < np.inf:
            raise ParameterError(f"power is {self.power!r}; it must be above 0.")
        super().fit(X, y)
        largest = self._validate(X, reset=False).max()
        self.brightest_ = float(largest) - self.paper_
        return self

    def _draw(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        if not self.brightest_:
            return ink
        part = np.maximum(ink, 0.0) / self.brightest_
        return self.brightest_ * part**self.power
