"""Certificates of a solution whose samples lie in many places.

As `mercer.estimators.verification`: rounding of the kernel values is bounded, and where
the bound says too little scores are computed again in float64. Every partition does so
for its own samples; objectives and bounds are sums, and the violation is the distance
of two extremes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.cluster.messages import Packet
from mercer.cluster.partition import Partition
from mercer.cluster.samples import stack
from mercer.estimators.rounding import (
    UNIT,
    beyond_gap,
    certify_again,
    errors_of_updates,
    rounding_of,
)
from mercer.kernels import KernelSums
from mercer.solvers.svm import Certificate
from mercer.solvers.svm.joint import JointProblem
from mercer.solvers.svm.shares import Share, Totals

_TOGETHER = 2**26  # bytes of samples in float64 that are made ready at once


class Stated(NamedTuple):
    """What a solver says about a problem."""

    problem: int
    bias: float  # 0 unless it is free
    alpha_sum: float
    steps: int
    upper_sum: float


class Verified(NamedTuple):
    """What the samples of a partition, or of several, add to a certificate."""

    totals: Totals
    highest: float  # m(α)
    lowest: float  # M(α)
    rounding: float

    @classmethod
    def of(cls, parts: list[Verified]) -> Verified:
        """Together."""
        totals = Totals()
        for part in parts:
            totals = totals.plus(part.totals)
        return cls(
            totals,
            max(part.highest for part in parts),
            min(part.lowest for part in parts),
            sum(part.rounding for part in parts),
        )

    def certificate(self, problem: JointProblem) -> Certificate:
        """From gradients that were kept up to date, and a bound of their rounding."""
        stated = problem.certificate(self.totals, self.highest - self.lowest)
        rounding = self.rounding if problem.steps else 0.0
        return replace(stated, gap=stated.gap + rounding, rounding=rounding)

    def evaluated(self, before: Certificate, tol: float) -> Certificate:
        """From scores in float64, where there was a certificate before."""
        stated = replace(before, gap=before.gap - before.rounding)
        violation = max(0.0, self.highest - self.lowest)
        primal, dual = self.totals.primal, self.totals.dual
        return certify_again(stated, primal, dual, violation, self.rounding, tol)


def doubtful_problems(certificates: list[Certificate]) -> NDArray[np.intp]:
    """Problems whose rounding may matter: all others together are within the gap."""
    rounding = np.array([c.rounding for c in certificates])
    primals = np.array([abs(c.primal) for c in certificates])
    gap = sum(c.gap - c.rounding for c in certificates if np.isfinite(c.gap))
    return beyond_gap(gap, rounding, primals)


@dataclass(frozen=True)
class Statement:
    """What a partition says about all problems."""

    problems: list[Verified]
    values_computed: int


def state(partition: Partition, stated: list[Stated]) -> Statement:
    """From the gradients as they are."""
    return Statement(
        [_state(partition, own) for own in stated], partition.values_computed
    )


def _state(partition: Partition, stated: Stated) -> Verified:
    share = partition.shares[stated.problem]
    errors = _maintained(partition, stated)
    return Verified(
        share.totals(stated.bias),
        *share.extremes(partition.task.free_bias),
        _rounding_of(share, stated, errors),
    )


class RecalledProblem(NamedTuple):
    """A problem: its support vectors (places in `Recall.numbers`) and their αz."""

    stated: Stated
    who: NDArray[np.intp]
    v: NDArray[np.float64]


class Recall(NamedTuple):
    """Numbers of support vectors, those that a partition may lack, and problems."""

    numbers: NDArray[np.int64]
    packets: list[Packet]
    terms: list[RecalledProblem]


def evaluate(partition: Partition, recall: Recall) -> list[Verified]:
    """From scores in float64, for all samples whose loss is not ruled out."""
    known = [_not_ruled_out(partition, term.stated) for term in recall.terms]
    verified = []
    for group in _groups(partition, recall, known):
        scores = _Scores(partition, recall, known, group)
        verified += [
            _evaluate(partition, recall.terms[t], known[t], scores(t)) for t in group
        ]
    return verified


def _not_ruled_out(partition: Partition, stated: Stated) -> NDArray[np.bool_]:
    share = partition.shares[stated.problem]
    slack = share.signs * (share.gradient - stated.bias)
    errors = _maintained(partition, stated)
    return ~((slack + errors < 0) & (share.v == 0))  # NaN is looked at


def _groups(
    partition: Partition, recall: Recall, known: list[NDArray[np.bool_]]
) -> list[range]:
    """Problems one after the other whose samples in float64 are not too many."""
    most = max(1, _TOGETHER // (8 * max(1, partition.X.shape[1])))
    starts, total = [0], 0
    for t, term in enumerate(recall.terms):
        size = len(term.who) + int(np.count_nonzero(known[t]))
        if total and total + size > most:
            starts.append(t)
            total = 0
        total += size
    return [range(a, b) for a, b in pairwise([*starts, len(recall.terms)])]


class _Scores:
    """Scores in float64 for a group of problems: their samples are made ready once."""

    def __init__(
        self,
        partition: Partition,
        recall: Recall,
        known: list[NDArray[np.bool_]],
        group: range,
    ) -> None:
        self._terms = recall.terms
        self._rows = {
            t: partition.rows_of(recall.terms[t].stated.problem)[known[t]]
            for t in group
        }
        self._support = np.unique(np.concatenate([recall.terms[t].who for t in group]))
        self._own = np.unique(np.concatenate(list(self._rows.values())))
        self._sums = None
        if len(self._support) and len(self._own):
            support = partition.find(recall.numbers[self._support], recall.packets)
            X = stack([support, partition.X[self._own]]).astype(np.float64)
            self._sums = KernelSums(partition.task.kernel, X)

    def __call__(self, t: int) -> NDArray[np.float64]:
        """Of the samples that are not ruled out in problem t."""
        rows, (_, who, v) = self._rows[t], self._terms[t]
        if self._sums is None or not len(who) or not len(rows):
            return np.zeros(len(rows))
        support = np.searchsorted(self._support, who)
        own = len(self._support) + np.searchsorted(self._own, rows)
        return self._sums.for_others(support, own, v)


def _evaluate(
    partition: Partition,
    term: RecalledProblem,
    known: NDArray[np.bool_],
    scores: NDArray[np.float64],
) -> Verified:
    (stated, _, v), task = term, partition.task
    share = partition.shares[stated.problem]
    exact = Share(share.signs, share.upper)
    exact.v[:], exact.gradient[:] = share.v, share.gradient
    if len(v):
        exact.gradient[known] = share.signs[known] - scores - task.xi * v.sum()
    # samples that are ruled out lose nothing
    at_bias = share.signs * (exact.gradient - stated.bias)
    away = ~known & (at_bias > 0)
    exact.gradient[away] = stated.bias
    fine = partition.bound_rounding(stated.problem, np.float64)
    size = (
        fine.size if np.isfinite(fine.size).all() else partition.sizes(stated.problem)
    )
    off = np.where(np.isfinite(fine.error), fine.error, UNIT * size)
    off = (off + (len(v) + 1) * UNIT * (size + task.xi)) * stated.alpha_sum
    off = np.where(known, off, 0.0)
    return Verified(
        exact.totals(stated.bias),
        *exact.extremes(task.free_bias),
        _rounding_of(exact, stated, off),
    )


def _maintained(partition: Partition, stated: Stated) -> NDArray[np.float64]:
    """How far gradients can be off that were kept up to date, step by step."""
    coarse, xi = partition.bound_rounding(stated.problem), partition.task.xi
    sums = stated.alpha_sum, stated.upper_sum
    return errors_of_updates(coarse, xi, *sums, stated.steps)


def _rounding_of(share: Share, stated: Stated, errors: NDArray[np.float64]) -> float:
    slack = share.signs * (share.gradient - stated.bias)
    return rounding_of(share.upper, np.abs(share.v), slack, errors)
