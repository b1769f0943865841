"""The five configurations as one function: parts in, decisions for every value out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import Reduction
from mercer.kernels import Cosine, Gaussian, Gram, Kernel, Polynomial
from mercer.studies.context import Context
from mercer.studies.published.digit_classifiers.grams import GramShelf
from mercer.studies.published.digit_classifiers.neighbours import (
    decide_by_neighbours,
    neighbour_order,
)
from mercer.studies.published.digit_classifiers.perceptrons import learn_and_decide
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS
from mercer.studies.published.digit_classifiers.splits import Part
from mercer.studies.published.digit_classifiers.svms import decide_by_svms

#: From parts and values to the classes of each part's samples, a row a value.
Decide = Callable[[Sequence[Part], Sequence[float]], list[NDArray[np.integer]]]


def pixels(context: Context) -> NDArray:
    """All samples, their values between -1 and 1 as in zipcombo."""

    def scale() -> NDArray:
        low, high = context.dataset.value_range
        X = np.asarray(context.dataset.X, np.float32)
        return X if (low, high) == (-1, 1) else (X - low) * (2 / (high - low)) - 1

    return context.shared("pixels", scale)


def class_numbers(context: Context) -> NDArray[np.int64]:
    """The number of each sample's class."""
    return context.shared(
        "classes", lambda: np.unique(context.dataset.y, return_inverse=True)[1]
    )


def reduction_of(context: Context, multiclass: str) -> Reduction:
    """How the classes are reduced to two."""
    return Reduction.make(multiclass, int(class_numbers(context).max()) + 1)


def gram_of(context: Context, kernel: Kernel) -> Gram:
    """The Gram of all samples, of dot products or distances that all share."""
    family = "polynomial" if isinstance(kernel, Polynomial) else "gaussian"
    shelf = context.shared(family, lambda: GramShelf(kernel, pixels(context)))
    return shelf.gram(kernel)


def learner(context: Context, name: str) -> Decide:
    """The learner of a configuration."""
    if name == "knn":
        return _neighbours(context)
    if name == "svm":
        return _svm(context)
    return _perceptron(context, name)


def _perceptron(context: Context, name: str) -> Decide:
    reduction = reduction_of(context, CONFIGURATIONS[name].multiclass)
    y = class_numbers(context)

    def decide(
        parts: Sequence[Part], values: Sequence[float]
    ) -> list[NDArray[np.integer]]:
        rows = []
        for value in values:
            kernel = Gaussian(value) if name == "gauss-ovr" else Polynomial(int(value))
            gram = gram_of(context, kernel)
            rows.append(
                [learn_and_decide(gram, y, p.train, p.at, reduction) for p in parts]
            )
        return [np.stack(found) for found in zip(*rows)]

    return decide


def _neighbours(context: Context) -> Decide:
    y = class_numbers(context)

    def make_order() -> NDArray[np.integer]:
        return neighbour_order(Gram(Cosine(), pixels(context)))

    order = context.shared("neighbours", make_order)
    return lambda parts, values: [
        decide_by_neighbours(order, y, part, [int(k) for k in values]) for part in parts
    ]


def _svm(context: Context) -> Decide:
    kernel = Gaussian(1 / context.dataset.n_features)
    gram = gram_of(context, kernel)
    y = class_numbers(context)
    return lambda parts, values: decide_by_svms(gram, y, parts, values)
