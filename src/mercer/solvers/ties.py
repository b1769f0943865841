"""Scores that are equal but for rounding count as equal.

A score is a sum of α·k(x', x). Where it should be zero, as whole-number features often
make it, the order of summation leaves a positive or a negative rest, and a vote would
go by that. So a score that is below the rounding error of its own sum is zero, and one
that is below the largest by no more than both their errors is the largest: the rules
for zero and for the first of equals decide, on whichever way the sums were made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering

#: The error of a sum, in units of ε·Σ|α·k|. Two ways to the same score, with kernel
#: values from products of other shapes, were measured to be up to 6 apart on digits in
#: whole numbers, and up to 50 (polynomial of degree 7, float32) on usps.
ROUNDING = 64.0

#: Bounds are made of rounded numbers too; looking at a few more scores costs nothing.
_SLACK = 1.001

Sums = Callable[[NDArray[np.intp], NDArray[np.bool_]], NDArray[np.float64]]


def settle_ties(
    kind: str,
    scores: NDArray[np.float64],
    epsilon: float,
    reach: NDArray[np.float64],
    totals: NDArray[np.float64],
    sums: Sums,
) -> NDArray[np.float64]:
    """Settle, in place, what only rounding decides in the scores of binary problems.

    Few scores are small enough to look closer: Σ|α·k| cannot exceed `reach` of the
    sample times the total of the problem.

    Parameters
    ----------
    kind : str
        That of the reduction: the largest score counts with ``"ovr"``.
    scores : array of shape (n_samples, n_problems)
        Scores of the binary problems.
    epsilon : float
        That of the type of the kernel values.
    reach : array of shape (n_samples,)
        √k(x, x) where the kernel is positive semidefinite, else the largest |k|.
    totals : array of shape (n_problems,)
        Σ|α|·√k(x', x'), or else Σ|α|.
    sums : callable
        Σ|α·k| itself, for the samples of these numbers; it is asked for only where the
        second argument says so, and may be anything from 0 to it elsewhere.
    """
    unit, largest_counts = ROUNDING * float(epsilon), kind == "ovr"
    errors = (unit * _SLACK) * reach
    rows = np.flatnonzero(_may_be_tied(scores, errors, totals, largest_counts))
    if len(rows):
        asked = _can_matter(scores, rows, errors, totals, largest_counts)
        _settle(scores, rows, unit * sums(rows, asked), largest_counts)
    return scores


@compiled
def _may_be_tied(scores: Any, errors: Any, totals: Any, largest_counts: bool) -> Any:
    """The samples to look at, and a few more: plain passes are fast."""
    n_samples, n_problems = scores.shape
    largest, marks = np.full(n_samples, -np.inf), np.zeros(n_samples)
    for p in range(n_problems):
        for i in range(n_samples):
            score = scores[i, p]
            largest[i] = score if score > largest[i] else largest[i]
    greatest = totals.max()
    for p in range(n_problems):
        total, both = totals[p], totals[p] + greatest
        for i in range(n_samples):
            score, gap = scores[i, p], largest[i] - scores[i, p]
            zero = (score != 0.0) & (abs(score) <= errors[i] * total)
            near = largest_counts & (gap > 0.0) & (gap <= errors[i] * both)
            marks[i] = 1.0 if zero | near else marks[i]
    return marks > 0.0


@compiled
def _can_matter(
    scores: Any, rows: Any, errors: Any, totals: Any, largest_counts: bool
) -> Any:
    """The scores that may turn out to be zero or the largest."""
    asked = np.zeros((rows.shape[0], scores.shape[1]), np.bool_)
    for r in range(rows.shape[0]):
        row, error = scores[rows[r]], errors[rows[r]]
        largest, widest = -np.inf, 0.0
        for p in range(row.shape[0]):
            largest, widest = max(largest, row[p]), max(widest, error * totals[p])
        # zeros move scores and their largest by an error each, and two may be between
        lowest, many = largest - 4.0 * widest, 0
        for p in range(row.shape[0]):
            asked[r, p] = row[p] != 0.0 and abs(row[p]) <= error * totals[p]
            many += not row[p] < lowest
        if largest_counts and many > 1:
            for p in range(row.shape[0]):
                asked[r, p] |= not row[p] < lowest
    return asked


@compiled
def _settle(scores: Any, rows: Any, errors: Any, largest_counts: bool) -> None:
    for r in range(rows.shape[0]):
        row, top = scores[rows[r]], 0
        for p in range(row.shape[0]):
            if abs(row[p]) <= errors[r, p]:
                row[p] = 0.0
            if row[p] > row[top]:
                top = p
        if largest_counts:
            largest = row[top]
            for p in range(row.shape[0]):
                gap = largest - row[p]  # what overflowed is equal to nothing
                if gap > 0.0 and gap <= errors[r, p] + errors[r, top]:
                    row[p] = largest


@compiled_reordering
def sum_sizes(
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
