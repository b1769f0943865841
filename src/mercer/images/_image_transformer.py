"""What transformers of images share: their shape, their shades, a few at a time."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer._storable import is_count, need
from mercer.images.pixels import Shades, check_image_shape

_AT_A_TIME = 2048  # images: some tens of megabytes


class ImageTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Draws images anew, each by itself; a subclass says how."""

    image_shape: tuple[int, int] | None

    def __mercer_check__(self) -> None:
        need(is_count(self.n_features_in_), "it has no number of features")
        step = self.step_
        good = step is None or (type(step) is float and step > 0)
        need(good and type(self.paper_) is float, "it has no shades")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape and the shades of the images X."""
        X = self._validate(X, reset=True)
        self._shape()
        shades = Shades.of(X)
        self.paper_, self.step_ = shades.paper, shades.step
        return self

    def transform(self, X: Any) -> NDArray:
        """The images, drawn anew."""
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        drawn, shades = np.empty_like(X), Shades(self.paper_, self.step_)
        for first in range(0, len(X), _AT_A_TIME):
            some = slice(first, first + _AT_A_TIME)
            images = np.asarray(X[some], np.float64).reshape(-1, *self._shape())
            inked = shades.round(self._draw(images - shades.paper)) + shades.paper
            drawn[some] = inked.reshape(len(images), -1)
        return drawn

    @abstractmethod
    def _draw(self, ink: NDArray[np.float64]) -> NDArray[np.float64]:
        """Images anew, of shape (n, height, width), of which paper is 0."""

    def _shape(self) -> tuple[int, int]:
        return check_image_shape(self.image_shape, self.n_features_in_)

    def _validate(self, X: Any, reset: bool) -> NDArray:
        dtypes = [np.float64, np.float32]
        return validate_data(self, X, reset=reset, dtype=dtypes, order="C")
