"""Problems of which many samples end at C: solved for a few, then for twice as many.

Where classes overlap, rounds bring some hundred samples to C at a time, and each has a
subproblem of its own: together they take as long as the kernel rows do. But what a
random half of the samples has learned tells of most others where they end. So a few
samples are solved, roughly; of as many new ones those that clearly have a loss begin at
C, by one pass over their rows; then these are solved together, and so on. The last pass
is over all samples, and a start for rounds as usual.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm._active import Solve, move_to
from mercer.solvers.svm._state import State
from mercer.solvers.svm.problem import KernelSource, Limits

_LEAST = 8192  # samples, from which on it pays
_TIMES = 5  # that the first few samples are doubled
_AT_BOUND = 0.4  # of the first few: below that rounds take fewer rows
_TOL = 1.0  # a violation: what is learned from a few is a start only
_CLEARLY = 0.3  # a slack, above which a new sample begins at C
_SHARE_OF_TIME = 0.4  # that is left, for all of this


def is_worth_doubling(source: KernelSource, state: State, limits: Limits) -> bool:
    """Whether there is much to gain, if many samples end at C.

    Rows that are dear are rather computed for those alone that need them. And a step is
    no measure of what is done here, so that with a limit of steps it is not done.
    """
    many = len(state.v) >= _LEAST and not state.v.any()
    return many and source.is_cheap and source.is_semidefinite and limits.max_iter < 0


def start_from_few(
    source: KernelSource, state: State, limits: Limits, solve: Solve
) -> None:
    """Set out from where a few samples say that all are, if many of them are at C.

    ``solve(source, state, limits, k)`` is as in `_active`. When time is over, what the
    few have learned is the start.
    """
    n = len(state.v)
    order, sizes = _random_order(n), [n >> k for k in range(_TIMES, -1, -1)]
    own = limits.with_share_of_time(_SHARE_OF_TIME)
    rough = replace(own, tol=max(limits.tol, _TOL), progress=None)
    few = order[: sizes[0]]
    part = state.part(few)
    solve(source.take(few), part, rough, 1)
    state.count_part(part)
    at_bound = (part.v != 0) & ~part.is_free()
    if at_bound.mean() < _AT_BOUND:
        return
    # from here on those that have learned are the first ones
    whole, shuffled = state.part(order), source.take(order)
    whole.arrays[:2, : sizes[0]] = part.arrays[:2]
    for learned, planned in pairwise(sizes):
        in_time = own.reached() is None
        size = planned if in_time else n
        first = shuffled.take(slice(0, size))
        bias = part.bias()
        _tell_others(first, whole, learned, size)
        part = whole.part(np.arange(size))
        if in_time:
            _bring_to_bound(first, part, learned, bias, own)
            if size < n:
                solve(first, part, rough, 1)
        state.count_part(part)
        whole.arrays[:2, :size] = part.arrays[:2]
        if size == n:
            break
    state.count_part(whole)
    state.arrays[:2, order] = whole.arrays[:2]


def _random_order(n: int) -> NDArray[np.intp]:
    return np.random.default_rng(n).permutation(n)


def _tell_others(source: KernelSource, state: State, learned: int, size: int) -> None:
    """Bring the gradient of the next ones up to date with those that have learned."""
    (support,) = state.v[:learned].nonzero()
    v = state.v[support]
    source.visit(support, state.follower(v), learned)
    state.gradient[learned:size] -= state.xi * v.sum()
    state.rows_computed += len(support) * (size - learned) // len(state.v)


def _bring_to_bound(
    source: KernelSource, state: State, learned: int, bias: float, limits: Limits
) -> None:
    """To C whoever behind these samples clearly has a loss, if there is time."""
    z, upper = state.problem.signs[learned:], state.problem.upper[learned:]
    slack = z * (state.gradient[learned:] - bias)
    alpha = np.where(slack > _CLEARLY, upper, 0.0)
    if state.free_bias:
        alpha = _balanced(alpha, z, slack)
    (new,) = alpha.nonzero()
    move_to(source, state, learned + new, (alpha * z)[new], limits)


def _balanced(
    alpha: NDArray[np.float64], z: NDArray[np.float64], slack: NDArray[np.float64]
) -> NDArray[np.float64]:
    """With Σαz = 0: of the class that has more, those of the least slack have less."""
    excess = float(alpha @ z)
    (more,) = ((alpha > 0) & (z * excess > 0)).nonzero()
    more = more[np.argsort(slack[more], kind="stable")]
    before = np.cumsum(alpha[more]) - alpha[more]
    found = alpha.copy()
    found[more] -= np.clip(abs(excess) - before, 0.0, alpha[more])
    return found
