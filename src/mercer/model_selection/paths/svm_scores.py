"""Scores of SVMs along a path: a product a class, of just its support vectors.

With one-vs-one a class takes part in few of the problems; one product a class for all
values of C does no work for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._threads import parallel_map
from mercer.kernels import Gram


@dataclass(frozen=True, eq=False)
class ClassPart:
    """The samples of a class, the problems that it takes part in, the coefficients.

    `coefficients` has the shape (values of C, problems, samples).
    """

    at: NDArray[np.intp]
    problems: NDArray[np.intp]
    coefficients: NDArray[np.float64]


def score_by_class(
    gram: Gram,
    parts: Sequence[ClassPart],
    at: NDArray[np.intp],
    bias: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Scores of the samples `at`, of shape (values of C, problems, samples)."""

    def of_class(part: ClassPart) -> NDArray | None:
        support = np.flatnonzero(part.coefficients.any(axis=(0, 1)))
        if not len(support):
            return None
        own = part.coefficients[:, :, support].astype(gram.dtype)
        K = _values(gram, part.at[support], at)
        scores = own.reshape(-1, len(support)) @ K
        return scores.reshape(*own.shape[:2], len(at))

    total = np.empty((*bias.shape, len(at)))
    total[:] = bias[:, :, None]
    for part, scores in zip(parts, parallel_map(of_class, parts)):
        if scores is not None:
            total[:, part.problems] += scores
    return total


def _values(gram: Gram, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray:
    if not gram.in_memory:
        return gram.block(rows, columns)
    values = np.empty((len(rows), len(columns)), gram.dtype)
    _gather(gram.matrix, rows, columns, values)
    return values


@compiled
def _gather(K: NDArray, rows: NDArray, columns: NDArray, out: NDArray) -> None:
    at = columns.astype(np.uint64)  # an unsigned index needs no check of its sign
    for i in range(len(rows)):
        row, into = K[rows[i]], out[i]
        for j in range(len(at)):
            into[j] = row[at[j]]
