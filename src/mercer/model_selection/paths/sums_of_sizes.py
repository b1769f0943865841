"""How large the sums behind scores are, which tells what is rounding in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_reordering
from mercer.estimators._ties import settle_ties
from mercer.kernels import Gram
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.update_sizes import UpdateSizes

_ROWS_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Bounds:
    """|k(x, y)| is at most `reach` of x times `length` of y."""

    reach: NDArray[np.float64]
    lengths: NDArray[np.float64]

    @classmethod
    def of(cls, gram: Gram | PolynomialRows, precomputed: bool) -> Bounds:
        """By the diagonal.

        A matrix that was given need not be positive semidefinite: its diagonal says
        nothing about the other values.
        """
        if precomputed and isinstance(gram, Gram):
            K = gram.matrix
            reach = np.maximum(K.max(axis=1), -K.min(axis=1)).astype(np.float64)
            return cls(reach, np.ones(len(reach)))
        lengths = np.sqrt(gram.diagonal.astype(np.float64))
        return cls(lengths, lengths)


class SumsOfSizes:
    """Σ|α·k| of the binary problems of all predictors that were read of one run.

    Parameters
    ----------
    gram : Gram or PolynomialRows
        The kernel values of all samples.
    bounds : Bounds
        How large they can be.
    problems : sequence of UpdateSizes
        The updates of each binary problem.
    """

    def __init__(
        self,
        gram: Gram | PolynomialRows,
        bounds: Bounds,
        problems: Sequence[UpdateSizes],
    ) -> None:
        self._gram, self._reach = gram, bounds.reach
        self._epsilon = float(np.finfo(gram.dtype).eps)
        self._samples = np.concatenate([own.samples for own in problems])
        self._weights = np.concatenate([own.weights for own in problems])
        self._starts = np.cumsum([0, *(own.count for own in problems[:-1])])
        self._counts = np.stack([own.counts for own in problems], axis=1)
        self._constants = np.stack([own.constants for own in problems], axis=1)
        self._slopes = np.stack([own.slopes for own in problems], axis=1)
        self._totals = np.stack([own.totals(bounds.lengths) for own in problems], 1)

    def settle(
        self,
        number: int,
        kind: str,
        scores: NDArray[np.float64],
        at: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """Settle ties in what predictor `number` says of the samples `at` these places.

        As estimators do, and in place; `scores` has a row a sample.
        """
        return settle_ties(
            kind,
            scores,
            self._epsilon,
            self._reach[at],
            self._totals[number],
            lambda rows, asked: self._sums(number, at[rows], asked),
        )

    def _sums(
        self, number: int, at: NDArray[np.intp], asked: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        updates = (
            self._samples,
            self._weights,
            self._starts,
            self._counts[number],
            self._constants[number],
            self._slopes[number],
        )
        gram = self._gram
        if isinstance(gram, PolynomialRows):
            scale, offset, degree = gram.power
            real = gram.dtype.type
            return _sum_sizes(
                gram.dots, real(scale), real(offset), degree, at, asked, *updates
            )
        plain = gram.dtype.type(1), gram.dtype.type(0), 1
        if gram.in_memory:
            return _sum_sizes(gram.matrix, *plain, at, asked, *updates)
        sums = np.empty(asked.shape)
        for first in range(0, len(at), _ROWS_AT_ONCE):
            some = slice(first, first + _ROWS_AT_ONCE)
            K = gram.block(at[some], slice(0, gram.n_samples))
            K.flags.writeable = False  # as a Gram's matrix: one compiled variant
            sums[some] = _sum_sizes(K, *plain, np.arange(len(K)), asked[some], *updates)
        return sums


@compiled_reordering
def _sum_sizes(
    values: Any,
    scale: Any,
    offset: Any,
    degree: int,
    rows: Any,
    asked: Any,
    samples: Any,
    weights: Any,
    starts: Any,
    counts: Any,
    constants: Any,
    slopes: Any,
) -> Any:
    """Σ|α·k| where asked, k being a power of a value; 0 elsewhere."""
    sums = np.zeros(asked.shape)
    bases = np.empty(max(1, counts.max()), values.dtype)
    powers, nearby = np.empty_like(bases), np.empty(values.shape[1], values.dtype)
    for r in range(rows.shape[0]):
        terms = 0
        for p in range(asked.shape[1]):
            terms += asked[r, p] * counts[p]
        row = values[rows[r]]
        if 4 * terms > row.shape[0]:  # memory is read in order much faster
            nearby[:] = row
            row = nearby
        for p in range(asked.shape[1]):
            if not asked[r, p]:
                continue
            first, count = starts[p], counts[p]
            for u in range(count):
                bases[u] = abs(scale * row[samples[first + u]] + offset)
                powers[u] = 1
            for _ in range(degree):
                for u in range(count):
                    powers[u] *= bases[u]
            total, constant, slope = 0.0, constants[p], slopes[p]
            for u in range(count):
                total += (constant - slope * weights[first + u]) * powers[u]
            sums[r, p] = total
    return sums
