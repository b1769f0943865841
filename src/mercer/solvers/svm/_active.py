"""Active samples, solved among themselves while the others stay where they are.

A small problem, whose kernel rows are short: they are sooner computed, and more of them
can be kept. Then one pass over the whole rows of those that moved brings the gradient
of all samples up to date; these rows are used once. Problems of many samples go on so
after their parts (`_divided`). Others end so where rows of the free samples are too
many to be kept, or to be read in every round (shrinking, Joachims 1999): far from the
margin nobody changes sides then, or the pass finds out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm._state import State
from mercer.solvers.svm._watch import Watch
from mercer.solvers.svm.problem import KernelSource, Limits
from mercer.solvers.svm.solution import Status

# a small problem, within one of k shares of the memory
Solve = Callable[[KernelSource, State, Limits, int], Status]
# which samples are active, and the violation of all
Select = Callable[[State, float], tuple[NDArray[np.intp], float]]
# gives samples these v, and brings the gradient of all up to date; False if not in time
MoveSamples = Callable[[State, NDArray[np.intp], NDArray[np.float64], Limits], bool]

NEAR = 0.3  # a violation, from which on few samples change sides
# how near to the margin a sample at its bound is active: so many violations, and always
_OF_VIOLATION, _NEAREST = 0.5, 0.02
MOST_ACTIVE = 0.5  # of all samples, above which it does not pay
_SHARE_OF_TIME = 0.7  # that is left, for active samples; then the others follow
_ROWS = 2048  # between looks at the clock


def run_active(
    source: KernelSource,
    state: State,
    limits: Limits,
    solve: Solve,
    select: Select,
    ratio: float,
    move: MoveSamples | None = None,
) -> Status:
    """Improve the state until it is optimal, or until the limits end it.

    Active samples are solved until their violation fell to this part, or the tolerance.
    The others follow them by `move`, or else by rows that are computed for it.
    """
    watch, move = Watch(state, limits), move or partial(move_to, source)
    while True:
        active, violation = select(state, limits.tol)
        if status := watch.over(violation):
            return status
        if len(active) == len(state.v):
            return solve(source, state, limits, 1)
        target, left = max(0.8 * limits.tol, ratio * violation), watch.left()
        own = replace(left.with_share_of_time(_SHARE_OF_TIME), tol=target)
        part = state.part(active)
        status = solve(source.take(active), part, own, 1)
        state.count_part(part)
        if status == "stopped":
            return status
        moved = np.flatnonzero(part.v != state.v[active])
        if len(moved) == 0:
            return "stalled"
        if not move(state, active[moved], part.v[moved], limits):
            return limits.reached() or "time"


def near_margin(state: State, tol: float) -> tuple[NDArray[np.intp], float]:
    """Free samples, violators and what nearly is one, all if they are many.

    Also the violation of all samples.
    """
    violation, bias = state.violation(), state.bias()
    near = max(_OF_VIOLATION * violation, _NEAREST)
    may_grow = (state.v < state.hi) & (state.gradient >= bias - near)
    may_shrink = (state.v > state.lo) & (state.gradient <= bias + near)
    active = np.flatnonzero(may_grow | may_shrink | state.is_free())
    if len(active) > MOST_ACTIVE * len(state.v):
        active = np.arange(len(state.v))
    return active, violation


def move_to(
    source: KernelSource,
    state: State,
    members: NDArray[np.intp],
    v: NDArray[np.float64],
    limits: Limits,
) -> bool:
    """Set v of these samples and follow with the gradient; False if not in time."""
    change, before = v - state.v[members], state.gradient.copy()
    for first in range(0, len(members), _ROWS):
        if limits.reached():
            state.gradient[:] = before
            return False
        own = slice(first, first + _ROWS)
        source.visit(members[own], state.follower(change[own]))
    state.gradient -= state.xi * change.sum()
    state.v[members] = v
    state.rows_computed += len(members)
    return True
