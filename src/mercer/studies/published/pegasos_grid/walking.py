"""Pegasos on many problems at once, looked at while it walks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.solvers.online import PegasosRule, Updates, walk


@dataclass(frozen=True, eq=False)
class Moment:
    """A run after some steps.

    Attributes
    ----------
    step : int
        How many.
    scores : ndarray of shape (n_problems, n_samples)
        Σ α_j y_j k(x_j, ·), before the factor 1/(λt); the walk goes on to change it.
    updates : list of Updates
        What each problem has added so far.
    seconds : float
        Spent on walking so far.
    """

    step: int
    scores: NDArray[np.float64]
    updates: list[Updates]
    seconds: float


def draw(
    signs: NDArray[np.float64], n_steps: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Training samples drawn uniformly, for each problem its own."""
    draws = np.empty((len(signs), n_steps), np.int64)
    for problem, row in enumerate(signs):
        members = np.flatnonzero(row)
        draws[problem] = members[random.integers(len(members), size=n_steps)]
    return draws


def walk_with_stops(
    gram: Gram,
    lams: Sequence[float],
    signs: NDArray[np.float64],
    draws: NDArray[np.int64],
    stops: Sequence[int],
    steps_before: int = 0,
) -> Iterator[Moment]:
    """Walk through the draws, and stop after each of these numbers of steps."""
    rules = [PegasosRule(lam) for lam in lams]
    scores = np.zeros(signs.shape)
    updates = [Updates.none(steps_before) for _ in rules]
    done, seconds = 0, 0.0
    for stop in stops:
        begin = time.perf_counter()
        before = np.array([u.n_steps for u in updates])
        found = walk(gram, rules, signs, draws[:, done:stop], scores, before)
        updates = [u + new for u, new in zip(updates, found)]
        done = stop
        seconds += time.perf_counter() - begin
        yield Moment(stop, scores, updates, seconds)


def averaged_coefficients(
    signs: NDArray[np.float64], updates: Sequence[Updates]
) -> NDArray[np.float32]:
    """Coefficients, times λ, of the average of the hyperplanes after every step.

    The hyperplane after step t is 1/(λt) times the sum so far: an update at step τ
    counts 1/τ + … + 1/T in the sum of all T of them.
    """
    coefficients = np.zeros(signs.shape, np.float32)
    for row, sign, u in zip(coefficients, signs, updates):
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, u.n_steps + 1))])
        weights = (harmonic[-1] - harmonic[u.steps - 1]) / u.n_steps
        np.add.at(row, u.samples, weights * sign[u.samples])
    return coefficients


def objectives(
    lam: float,
    signs: NDArray[np.float64],
    coefficients: NDArray[np.floating],
    scores: NDArray[np.floating],
) -> NDArray[np.float64]:
    """λ/2·‖w‖² plus the mean hinge loss, of each problem.

    `coefficients` are those of w, signs included, and `scores` its products with all
    samples.
    """
    norms = np.einsum("ij,ij->i", coefficients, scores, dtype=np.float64)
    losses = np.maximum(0.0, 1.0 - signs * scores)
    members = signs != 0
    return lam / 2 * norms + (losses * members).sum(axis=1) / members.sum(axis=1)
