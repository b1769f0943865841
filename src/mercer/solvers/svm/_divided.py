"""Problems of many samples: solved in parts first, then on active samples.

Random parts of a problem are problems like it. With bounds that are as many times
larger as there are parts, the solution of a part is close to that of the whole, and a
share of its coefficients is a good start: most samples that end at a bound begin there
(divide and conquer, Hsieh, Si and Dhillon 2014). One pass over the kernel values of the
support vectors gives the gradient of all samples. From then on the free samples and the
worst violators are active (`_active`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.solvers.svm import _working_set
from mercer.solvers.svm._active import Solve, move_to, run_active
from mercer.solvers.svm._state import State
from mercer.solvers.svm._watch import Watch
from mercer.solvers.svm.problem import KernelSource, Limits
from mercer.solvers.svm.solution import Status

_LEAST_PART = 24576  # samples
_PART_TOL = 0.1  # a part is a start only
_SHARE_OF_TIME = 0.4  # that is left, for the parts
_LEAST_SIDE, _SIDES = 4096, 32  # violators up and low: at least, and n over so many
_RATIO = 0.03  # active samples are solved until their violation fell to this part
_FEW, _MERGED = 0.25, 4  # of all samples, and parts


def run_divided(
    source: KernelSource,
    state: State,
    limits: Limits,
    solve: Solve,
) -> Status:
    """Improve the state until it is optimal, or until the limits end it.

    ``solve(source, state, limits, k)`` does so with a small problem, within one of k
    shares of the memory.
    """
    watch = Watch(state, limits)
    if not state.v.any() and watch.over(state.violation()) is None:
        _start_from_parts(source, state, watch.left(), solve)
    return run_active(source, state, limits, solve, _select, _RATIO)


def _select(state: State, tol: float) -> tuple[NDArray[np.int64], float]:
    """All free samples and the worst violators, and the violation of all samples."""
    n = len(state.v)
    side = max(_LEAST_SIDE, n // _SIDES)
    sizes, recent = np.array([n, side, side, 0]), np.empty(0, np.int64)
    found: tuple[NDArray[np.int64], float] = _working_set.select_working_set(
        state.arrays, state.free_bias, tol, sizes, recent
    )
    return found


def _start_from_parts(
    source: KernelSource, state: State, limits: Limits, solve: Solve
) -> None:
    """Set out from the solutions of parts, as many of them as there is time for.

    Where their support vectors are few among all samples, these are merged, four parts
    at a time, and solved again: the whole has fewer than its parts together, and to
    find out which costs little beside a pass over whole rows.
    """
    n = len(state.v)
    # a power of two: bounds times it and back again are the same
    n_parts = 1 << int(n // _LEAST_PART).bit_length() - 1
    order = np.random.default_rng(n).permutation(n)
    parts = [np.sort(order[k::n_parts]) for k in range(n_parts)]
    own = replace(
        limits.with_share_of_time(_SHARE_OF_TIME), tol=max(limits.tol, _PART_TOL)
    )
    first = v = _solve_parts(source, state, parts, np.zeros(n), own, solve)
    merged = parts
    while len(merged) > 1 and np.count_nonzero(v) <= _FEW * n:
        some = [merged[k : k + _MERGED] for k in range(0, len(merged), _MERGED)]
        merged = [
            np.sort(np.concatenate([p[v[p] != 0] for p in four])) for four in some
        ]
        v = _solve_parts(source, state, merged, v, own, solve)
    if len(merged) == 1:
        support = np.flatnonzero(v)
        if move_to(source, state, support, v[support], limits):
            return
    for k, part in enumerate(parts):  # Σv = 0 in each: some are a start, too
        support = part[first[part] != 0]
        # with the first part there is a model, whatever comes
        patience = limits if k else Limits()
        if not move_to(source, state, support, first[support], patience):
            return


def _solve_parts(
    source: KernelSource,
    state: State,
    parts: list[NDArray[np.intp]],
    v: NDArray[np.float64],
    limits: Limits,
    solve: Solve,
) -> NDArray[np.float64]:
    """The v of all samples, from v, by parts; each has a share of what it found."""
    k = len(parts)
    own = replace(limits, max_iter=max(0, limits.max_iter - state.steps) // k)

    def solve_part(members: NDArray[np.intp]) -> State:
        part, few = state.part(members), source.take(members)
        part.lo *= k
        part.hi *= k
        (support,) = v[members].nonzero()
        if move_to(few, part, support, k * v[members[support]], own):
            solve(few, part, own, k)
        return part

    found = np.zeros_like(v)
    for members, part in zip(parts, parallel_map(solve_part, parts)):
        found[members] = part.v / k
        state.count_part(part)
    return found
