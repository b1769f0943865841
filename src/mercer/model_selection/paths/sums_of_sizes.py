"""How large the sums behind scores are, which tells what is rounding in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.solvers.ties import settle_ties, sum_sizes

_ROWS_AT_ONCE = 256


class UpdateSizes:
    """Updates as they come, and the predictors that were read on the way.

    An update of weight ρ counts a − b·ρ in a predictor, whichever it is: so sums over
    updates that are kept as they grow serve all predictors of a run.
    """

    def __init__(self, n_predictors: int) -> None:
        self.count = 0
        self.counts = np.zeros(n_predictors, np.int64)
        self.constants, self.slopes = np.zeros((2, n_predictors))
        self._samples: list[NDArray[np.int64]] = []
        self._weights: list[NDArray[np.float64]] = []

    def append(self, samples: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Take in updates about these samples."""
        if len(samples):
            self.count += len(samples)
            self._samples.append(samples.copy())
            self._weights.append(weights)

    def note(
        self, numbers: Sequence[int], count: int, constant: float, slope: float
    ) -> None:
        """Predictors of these numbers are `count` updates of `constant` − `slope`·ρ."""
        for number in numbers:  # mostly one, for which an array of numbers is slow
            self.counts[number] = count
            self.constants[number], self.slopes[number] = constant, slope

    @property
    def samples(self) -> NDArray[np.int64]:
        """The samples of all updates."""
        return np.concatenate([np.empty(0, np.int64), *self._samples])

    @property
    def weights(self) -> NDArray[np.float64]:
        """ρ of all updates."""
        return np.concatenate([np.empty(0), *self._weights])

    def totals(self, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ|α|·length over the updates of each predictor."""
        own = lengths[self.samples]
        plain, weighted = (
            np.concatenate([[0.0], np.cumsum(terms)])[self.counts]
            for terms in (own, own * self.weights)
        )
        totals: NDArray[np.float64] = self.constants * plain - self.slopes * weighted
        return totals


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
        self.totals = np.stack([own.totals(bounds.lengths) for own in problems], 1)

    def settle(
        self,
        number: int,
        kind: str,
        scores: NDArray[np.float64],
        at: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """Settle ties in what predictor `number` says of the samples `at` these places.

        As estimators do, and in place; `scores` has one row per sample.
        """
        return settle_ties(
            kind,
            scores,
            self._epsilon,
            self._reach[at],
            self.totals[number],
            lambda rows, asked: self.sums(number, at[rows], asked),
        )

    def sums(
        self, number: int, at: NDArray[np.intp], asked: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Σ|α·k| where asked, for the samples in these rows; 0 elsewhere."""
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
            return sum_sizes(
                gram.dots, real(scale), real(offset), degree, at, asked, *updates
            )
        plain = gram.dtype.type(1), gram.dtype.type(0), 1
        if gram.in_memory:
            return sum_sizes(gram.matrix, *plain, at, asked, *updates)
        sums = np.empty(asked.shape)
        for first in range(0, len(at), _ROWS_AT_ONCE):
            some = slice(first, first + _ROWS_AT_ONCE)
            K = gram.block(at[some], slice(0, gram.n_samples))
            K.flags.writeable = False  # as a Gram's matrix: one compiled variant
            sums[some] = sum_sizes(K, *plain, np.arange(len(K)), asked[some], *updates)
        return sums
