"""The SVM that learns its support vectors again, moved as images may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._compat import with_callbacks
from mercer._storable import need, storable
from mercer.estimators._objects import stack
from mercer.estimators.certificate import SVMCertificate
from mercer.estimators.svc import KernelSVC
from mercer.exceptions import ParameterError
from mercer.images import Affine
from mercer.images.affine import check_transforms
from mercer.images.pixels import Shades, check_image_shape
from mercer.kernels import Kernel


@storable
class VirtualSVC(KernelSVC):
    """Support vector classifier for images, by virtual support vectors.

    An image that is shifted by a pixel shows the same thing. To tell an SVM so it is
    enough to shift its support vectors, as no other samples matter: they are learned
    again together with their copies (Schölkopf, Burges and Vapnik, 1996). Each binary
    problem learns from its own support vectors.

    `mercer.images.Deslant` before it, in a pipeline, sets slanted writing upright.

    Parameters
    ----------
    C, kernel, degree, gamma, coef0, multiclass, tol, class_weight, max_iter
        As in `KernelSVC`, for both fits. What depends on samples (``gamma="scale"``,
        ``class_weight="balanced"``) goes by those that a fit learns from.
    transforms : str, Affine, or a sequence of these
        Maps that an image may go through: each makes a copy of each support vector.
        Words are "shifts" (by one pixel, to the eight neighbours), "rotations" (by 10
        degrees) and "mirror"; `mercer.images` makes others.
    image_shape : (height, width) or None
        Of the images; None for square ones.
    max_seconds : float or None
        Seconds for each of the two fits.
    decision_function_shape, break_ties, memory_budget, verbose
        As in `KernelSVC`.

    Attributes
    ----------
    certificate_ : SVMCertificate
        Of the second fit, in which the support vectors and their copies were learned.
    plain_certificate_ : SVMCertificate
        Of the first fit, which found the support vectors.
    support_ : array
        The training sample that each support vector was made from.
    n_virtual_ : int
        How many samples the second fit learned from.
    classes_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, \
class_weight_, fit_status_, shape_fit_
        As in `KernelSVC`.

    Examples
    --------
    >>> from mercer import KernelSVC, VirtualSVC, load_dataset
    >>> digits = load_dataset("digits")
    >>> X, y = digits.X / 8, digits.y
    >>> plain = KernelSVC(C=10, gamma=0.05).fit(X[:500], y[:500])
    >>> model = VirtualSVC(C=10, gamma=0.05).fit(X[:500], y[:500])
    >>> [round(one.score(X[500:], y[500:]), 3) for one in (plain, model)]
    [0.956, 0.958]
    >>> len(plain.support_), model.n_virtual_, len(model.support_)
    (311, 2799, 2356)
    """

    # what only KernelSVC lets choose
    bias = "free"
    bias_scale = 1.0
    solver = "auto"
    solver_options = None

    def __init__(
        self,
        C: float | Mapping[Any, float] = 1.0,
        kernel: str | Kernel = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        transforms: str | Affine | Sequence[str | Affine] = "shifts",
        image_shape: tuple[int, int] | None = None,
        multiclass: str = "ovo",
        tol: float = 1e-3,
        class_weight: Mapping[Any, float] | str | None = None,
        max_iter: int = -1,
        max_seconds: float | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        memory_budget: int | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.transforms = transforms
        self.image_shape = image_shape
        self.multiclass = multiclass
        self.tol = tol
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.memory_budget = memory_budget
        self.verbose = verbose

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        good = type(self.plain_certificate_) is SVMCertificate
        need(good and type(self.n_virtual_) is int, "it was not learned again")

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from images X of classes y, and again from their support vectors.

        The losses of a sample and of its copies are multiplied by its weight.
        """
        transforms = check_transforms(self.transforms)
        if not self.has_kernel:
            raise ParameterError(
                "VirtualSVC moves the pixels of images; its kernel must be one of "
                "mercer.kernels, or the name of one."
            )
        X, y = self._validate(X, y)
        self._shape()
        y_encoded = self._encode(y)
        sample_weight = self._check_weights(X, sample_weight)
        self._learn(X, y_encoded, sample_weight)
        self.plain_certificate_, self.n_virtual_ = self.certificate_, 0
        if self._is_complete():
            self._learn_again(X, y_encoded, sample_weight, transforms)
        self.shape_fit_ = X.shape
        return self

    def _is_complete(self) -> bool:
        """Whether each problem has support vectors of both its classes.

        Some have not if a limit ended the fit early.
        """
        coefficients = self.binary_coefficients()
        both = (coefficients > 0).any(axis=0) & (coefficients < 0).any(axis=0)
        return bool(both.all())

    def _shape(self) -> tuple[int, int]:
        return check_image_shape(self.image_shape, self.n_features_in_)

    def _learn_again(
        self,
        X: Any,
        y_encoded: NDArray[np.intp],
        sample_weight: NDArray[np.float64] | None,
        transforms: Sequence[Affine],
    ) -> None:
        """Learn from the support vectors and their copies, and say whose these are."""
        vectors, shape, shades = X[self.support_], self._shape(), Shades.of(X)
        copies = (one.apply(vectors, shape, shades) for one in transforms)
        times = 1 + len(transforms)
        origins = np.tile(self.support_, times)
        members = np.tile(self.binary_coefficients() != 0, (times, 1))
        weights = None if sample_weight is None else sample_weight[origins]
        self._learn(stack(vectors, *copies), y_encoded[origins], weights, members)
        self.support_ = origins[self.support_]
        self.n_virtual_ = len(origins)
