"""The compiled steps of many problems side by side, each as in `_steps`."""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_comparing
from mercer.solvers.svm._gradient import shift_gradient, update_gradient
from mercer.solvers.svm._steps import STEP, run_on_all, solve_subproblem
from mercer.solvers.svm._working_set import (
    HUGE,
    LOW,
    UP,
    select_working_set,
    submatrix,
)

_HALF, _SIDE = 2, 64  # of what moved as many violators of a side, up to these
_NO_LIMIT = 2**62  # steps


@compiled_comparing
def solve_stacked(
    K: NDArray,
    rows: NDArray,
    signs: NDArray,
    upper: NDArray,
    bounds: NDArray,
    xi: float,
    begun: NDArray,
    free_bias: bool,
    tol: float,
    patience: int,
    done: NDArray,
    span: tuple[int, int],
) -> None:
    """Solve a span of small problems, each of them as a single working set.

    Problem p has the samples ``rows[bounds[p] : bounds[p + 1]]``, and the same columns
    of `begun`, which holds g and v. `done` receives steps, rounds, kernel rows and the
    smallest curvature of each. A problem for which the patience was not enough is not
    solved.
    """
    spare = 0 if free_bias else 1
    for p in range(span[0], span[1]):
        first, n = bounds[p], bounds[p + 1] - bounds[p]
        at = rows[first : first + n].astype(np.uint64)
        values = submatrix(K, at, at, spare)
        own = np.zeros((4, n + spare))
        for part in (0, 1):  # slices would take Numba seconds to compile
            for k in range(n):
                own[part, k] = begun[part, first + k]
        for k in range(n):
            own[2, k] = min(signs[first + k] * upper[first + k], 0.0)
            own[3, k] = max(signs[first + k] * upper[first + k], 0.0)
        if spare:  # as in `solve_subproblem`
            own[2, n], own[3, n] = -HUGE, HUGE
            for k in range(n + 1):
                values[n, k] = values[k, n] = -xi
        most, steps, min_curvature, last = patience * (n + STEP), 0, np.inf, 1
        while steps < most and last > 0:  # until the last part of it took no step
            last, curvature = run_on_all(values, own, 0.8 * tol, most - steps)
            steps, min_curvature = steps + last, min(min_curvature, curvature)
        for part in (0, 1):
            for k in range(n):
                begun[part, first + k] = own[part, k]
        done[0, p], done[1, p], done[3, p] = steps, min(steps, 1), min_curvature


@compiled_comparing
def advance_stacked(
    K: NDArray,
    states: NDArray,
    slots: NDArray,
    working_sets: NDArray,
    sizes: NDArray,
    bounds: NDArray,
    xi: float,
    free_bias: bool,
    tol: float,
    most: NDArray,
    patience: float,
    max_rounds: int,
    done: NDArray,
    wanted: NDArray,
    filled: int,
    span: tuple[int, int],
) -> tuple[int, int]:
    """A round of each problem of a span, and its next working set.

    Of all samples in the span, `states` holds their states, one after the other,
    `slots` where in K their rows are, and `working_sets` those of the problems: `sizes`
    says how large each is, 0 before the first round, or -1 where a problem is over.
    Rows that the next ones lack get the next slots from `filled` on, and `wanted` says
    of each its problem and its sample among all. `done` receives steps, rounds and the
    smallest curvature. Returns how many rows there are then, and problems that go on.
    """
    base, going_on, sides = bounds[span[0]], 0, most.copy()
    spare = 0 if free_bias else 1
    for p in range(span[0], span[1]):
        first, n, held = bounds[p] - base, bounds[p + 1] - bounds[p], sizes[p - span[0]]
        if held < 0:
            continue
        own, members = slots[first : first + n], working_sets[first : first + n]
        state = states[4 * first : 4 * (first + n)].reshape((4, n))
        recent = members[:held].copy()
        if held > 0:
            columns = recent.astype(np.uint64)
            values = submatrix(K, own[recent], columns, spare)
            steps, curvature, left, recent, change = solve_subproblem(
                values, recent, xi, state, free_bias, tol, _NO_LIMIT, patience
            )
            held = len(recent)
            run = (np.int64(0), n, np.int64(0))  # not plain zeros, as in `follow`
            update_gradient(state[0], K, own[recent], change, run)
            shift_gradient(state[0], xi, change)
            done[0, p] += steps
            done[1, p] += 1
            done[3, p] = min(done[3, p], curvature)
            if left == 0 or held == 0 or done[1, p] >= max_rounds:
                sizes[p - span[0]] = -1
                continue
        for kind in (UP, LOW):
            sides[kind] = max(most[kind], min(held // _HALF, _SIDE))
        chosen, violation = select_working_set(state, free_bias, tol, sides, recent)
        if violation <= tol:
            sizes[p - span[0]] = -1
            continue
        going_on += 1
        sizes[p - span[0]] = len(chosen)
        for k in range(len(chosen)):
            member = members[k] = chosen[k]
            if own[member] < 0:
                own[member] = filled
                wanted[filled, 0], wanted[filled, 1] = p, first + base + member
                filled += 1
    return filled, going_on
