"""Coefficients of one-vs-one as LIBSVM stores them, and scores from them.

A support vector of class c takes part in the pairs with each other class, so that it
has one coefficient less than there are classes, in the order of these classes. Support
vectors are in the order of their own classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators.reduction import pairs
from mercer.kernels import Kernel, visit_tiles


def columns_of(
    p: NDArray[np.intp], signs: NDArray[np.float64], n_classes: int
) -> NDArray[np.intp]:
    """Where samples of these signs have their coefficients in these pairs."""
    first, second = pairs(n_classes)
    return np.where(signs > 0, second[p] - 1, first[p])


def pairs_of_classes(n_classes: int) -> NDArray[np.intp]:
    """The pairs that each class takes part in, one row per class."""
    a, b = np.indices((n_classes, n_classes - 1))
    b = b + (b >= a)
    first, second = np.minimum(a, b), np.maximum(a, b)
    return first * (2 * n_classes - first - 1) // 2 + second - first - 1


def one_column_a_pair(
    coefficients: NDArray[np.float64], n_support: NDArray[np.integer]
) -> NDArray[np.float64]:
    """The coefficients of every support vector in every pair, most of them zero."""
    pairs = pairs_of_classes(len(n_support))
    spread = np.zeros((len(coefficients), pairs.size // 2))
    whole = slice(0, len(coefficients))
    for c, own in _classes_within(np.cumsum(n_support), whole):
        spread[own, pairs[c]] = coefficients[own]
    return spread


def kernel_scores(
    kernel: Kernel | None,
    X: Any,
    support_vectors: Any,
    coefficients: NDArray[np.float64],
    n_support: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Scores of all pairs, without bias; without a kernel, X has its values."""
    pairs = pairs_of_classes(len(n_support))
    stops = np.cumsum(n_support)
    out = np.zeros((X.shape[0], pairs.size // 2))
    of_type = {np.dtype(t): coefficients.astype(t) for t in (np.float32, np.float64)}

    def add(i: slice, j: slice, values: NDArray) -> None:
        for c, own in _classes_within(stops, j):
            part = values[:, own.start - j.start : own.stop - j.start]
            out[i, pairs[c]] += part @ of_type[values.dtype][own]

    if kernel is None:
        add(slice(0, len(X)), slice(0, X.shape[1]), X)
    else:
        visit_tiles(kernel, X, support_vectors, add)
    return out


def linear_weights(
    support_vectors: Any,
    coefficients: NDArray[np.float64],
    n_support: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Weights of the features in each pair, for the linear kernel."""
    pairs, n = pairs_of_classes(len(n_support)), len(coefficients)
    weights = np.zeros((pairs.size // 2, support_vectors.shape[1]))
    for c, own in _classes_within(np.cumsum(n_support), slice(0, n)):
        weights[pairs[c]] += coefficients[own].T @ support_vectors[own]
    return weights


def _classes_within(
    stops: NDArray[np.integer], part: slice
) -> Iterator[tuple[int, slice]]:
    """Classes with support vectors in this part, and which of these are theirs."""
    first = int(np.searchsorted(stops, part.start, side="right"))
    start = part.start
    for c in range(first, len(stops)):
        stop = min(int(stops[c]), part.stop)
        if start < stop:
            yield c, slice(start, stop)
        start = stop
        if stop == part.stop:
            return
