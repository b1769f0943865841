"""Scores of samples in float64, from the coefficients that a model keeps.

Row r of a problem's source was sample ``order[r]`` of X; without a kernel, X is the
matrix of kernel values, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix
from mercer.kernels import Kernel, KernelSums
from mercer.solvers.svm import BinaryProblem

# a problem, v = αz of its samples, and for which of them scores are wanted
Asked = tuple[BinaryProblem, NDArray[np.float64], NDArray[np.bool_]]
_Find = Callable[
    [BinaryProblem, NDArray[np.float64], NDArray[np.bool_]], NDArray[np.float64]
]


@dataclass(frozen=True)
class FindScores:
    """Scores of the samples of a problem, for v, where they are wanted."""

    find: _Find
    error: float = 0.0  # of kernel values, beyond their rounding in float64

    def __call__(
        self,
        problem: BinaryProblem,
        v: NDArray[np.float64],
        known: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        return self.find(problem, v, known)


def scores_one_by_one(
    kernel: Kernel | None,
    X: Matrix,
    order: NDArray[np.intp],
    asked: Sequence[Asked],
    tolerated: float = 0.0,
) -> FindScores:
    """Scores in float64 of samples, one problem at a time.

    Kernel values may be off by what is `tolerated`.
    """
    if kernel is None:
        return FindScores(partial(_given_scores, X))
    rows = [problem.rows[known | (v != 0)] for problem, v, known in asked]
    needed = np.unique(np.concatenate([np.empty(0, np.intp), *rows]))
    if len(asked) == 1:  # what is summed over lies side by side, and needs no copy
        ((problem, v, known),) = asked
        support = v != 0
        parts = support & known, support & ~known, known & ~support
        needed = np.concatenate([problem.rows[part] for part in parts])
    place = np.empty(len(order), np.intp)
    place[needed] = np.arange(len(needed))
    at = order[needed]
    sums = KernelSums.in_float64(kernel, X, at, tolerated) if len(at) else None

    def scores(
        problem: BinaryProblem, v: NDArray[np.float64], known: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        assert sums is not None
        support, at = v != 0, place[problem.rows]
        found = np.empty(len(v))
        own, others, rest = support & known, known & ~support, support & ~known
        found[own], found[others] = sums(at[own], at[others], v[own])
        if rest.any():
            found[known] += sums.for_others(at[rest], at[known], v[rest])
        return found[known]

    return FindScores(scores, 0.0 if sums is None else sums.error)


def scores_together(
    kernel: Kernel | None, X: Matrix, order: NDArray[np.intp], asked: Sequence[Asked]
) -> FindScores:
    """The scores of several problems, at once where these share most samples.

    Folds do: nine of ten have a kernel value in common.
    """
    rows = [problem.rows[known] for problem, _, known in asked]
    scored = np.zeros(len(order), np.bool_)
    for own in rows:
        scored[own] = True
    apart = sum(len(own) ** 2 for own in rows)
    if kernel is None or np.count_nonzero(scored) ** 2 >= apart:
        return scores_one_by_one(kernel, X, order, asked)
    v = np.zeros((len(scored), len(asked)))
    for k, (problem, coef, _) in enumerate(asked):
        v[problem.rows, k] = coef
    support = v.any(axis=1)
    at = np.concatenate([np.flatnonzero(support), np.flatnonzero(scored & ~support)])
    sums = KernelSums.in_float64(kernel, X, order[at])
    place, n = np.arange(len(at)), np.count_nonzero(support)
    found = np.empty(v.shape)
    found[at] = np.concatenate(sums(place[:n], place[n:], v[at[:n]]))
    column = {id(problem): k for k, (problem, _, _) in enumerate(asked)}

    def scores(
        problem: BinaryProblem, v: NDArray[np.float64], known: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        own: NDArray = found[problem.rows[known], column[id(problem)]]
        return own

    return FindScores(scores)


def _given_scores(
    K: NDArray,
    problem: BinaryProblem,
    v: NDArray[np.float64],
    known: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Sums of kernel values that were given."""
    support = problem.rows[v != 0]
    found = np.empty(np.count_nonzero(known))
    for at, row in enumerate(problem.rows[known]):
        found[at] = K[row, support].astype(np.float64, copy=False) @ v[v != 0]
    return found
