r"""The compiled steps of the SMO solver, in signed coefficients v = αz.

With v the two classes look alike: the dual is

.. math:: \max_v zᵀv - ½vᵀ(K + ξ)v, \quad lo_i ≤ v_i ≤ hi_i, \quad (Σ_i v_i = 0).

Its gradient :math:`g_i = z_i - Σ_j v_j (k(x_i, x_j) + ξ)` is :math:`-y_i ∇_i f(α)` in
LIBSVM's papers, whose words are used here: v may grow in :math:`I_{up}`, where it is
below hi, and shrink in :math:`I_{low}`, where it is above lo; it is optimal when

.. math:: m(α) = \max_{i ∈ I_{up}} g_i ≤ M(α) = \min_{i ∈ I_{low}} g_i.

The rows of a state are g, v, lo and hi.

Compiled for data without NaN: kernel values are finite and coefficients bounded. Then
minima and maxima vectorise where they are alone in a loop (and loops with more than
three or four arrays do not), which is why loops are split the way they are.
"""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_comparing, compiled_inside, read_only
from mercer.solvers.svm._gradient import (
    shift_gradient,
    update_gradient,
    update_scattered,
)
from mercer.solvers.svm._maxima import first_largest, largest
from mercer.solvers.svm._working_set import (
    FREE,
    HUGE,
    count_free,
    extreme_gradients,
    select_working_set,
    submatrix,
)

_NEARLY = 1 - 2.0**-46  # of the way to a bound
_ROUNDED = 2.0**-50  # of a bound that is not zero
_TAU = 1e-12  # the curvature used where the kernel has none, as in LIBSVM
_MOST_SEEN = 1e18  # of a violation: its square is no float32 otherwise
_RATIO = 0.1  # a subproblem is solved until its violation fell to this part
STEP = 100  # a step costs as much as so many samples, and as all of its own
# nanoseconds or so, for a value: copied, followed by the gradient, and of a step on a
# working set or on all samples, whose rows are in no cache
_COPIED, _FOLLOWED, _PART, _WHOLE = 1.0, 0.25, 1.5, 2.2
_WORK = 100_000_000  # samples' worth between looks at the clock: a third of a second
PATIENCE = 100.0  # steps for each sample of a subproblem, and some more


@compiled_comparing
def _copy_row(K: NDArray, sample: int, runs: NDArray, copy: NDArray) -> None:
    """The values of a sample with all that take part, side by side."""
    for r in range(len(runs)):
        first, stop, column = runs[r, 0], runs[r, 1], runs[r, 2]
        for k in range(stop - first):
            copy[first + k] = K[sample, column + k]


@compiled_comparing
def run_smo(
    K: NDArray,
    samples: NDArray,
    runs: NDArray,
    state: NDArray,
    tol: float,
    max_steps: int,
) -> tuple[int, float]:
    """Steps in two coordinates that keep their sum, chosen by second order (WSS 2).

    `samples` and `runs` say where in K the samples are, as for `rounds_in_memory`.
    """
    gradient, v, lo, hi = state[0], state[1], state[2], state[3]
    q = len(v)
    # rows are read where they lie, unless their parts have to be put side by side
    lie_together = len(runs) == 1
    copies = np.empty((2, 0 if lie_together else q), K.dtype)
    rows, column = (K, runs[0, 2]) if lie_together else (read_only(copies), 0)
    at_i, at_j = np.uint64(0), np.uint64(1)
    # gains and curvatures in the type of K: they choose a step, and are no part of it.
    # Quarters of curvatures do not overflow.
    gain, quarter = np.empty(q, K.dtype), np.empty(q, K.dtype)
    half, least = K.dtype.type(0.5), K.dtype.type(_TAU / 4)
    # g in I_up and −g in I_low, else −huge, which stays so whatever is added to it
    up_slope, low_slope, stuck = np.empty(q), np.empty(q), False
    for k in range(q):
        quarter[k] = K[samples[k], samples[k]] * half * half
        _put(k, gradient[k], v, lo, hi, up_slope, low_slope)
        stuck = stuck or lo[k] == hi[k]
    (m, i), M = first_largest(up_slope), -largest(low_slope)
    target = max(tol, _RATIO * (m - M))
    step, min_curvature = 0, np.inf
    while step < max_steps and m - M > target:
        if lie_together:
            at_i = samples[i]
        else:
            _copy_row(K, samples[i], runs, copies[at_i])
        row_i, quarter_i = rows[at_i, column : column + q], quarter[i]
        for k in range(q):
            violation = K.dtype.type(min(max(m + low_slope[k], 0.0), _MOST_SEEN))
            curvature = max(quarter_i + quarter[k] - half * row_i[k], least)
            gain[k] = violation * violation / curvature
        most, j = first_largest(gain)
        if not most > 0:  # all are too small for their type
            _, j = first_largest(low_slope)
        if lie_together:
            at_j = samples[j]
        else:
            _copy_row(K, samples[j], runs, copies[at_j])
        row_j, slope_j = rows[at_j, column : column + q], -low_slope[j]
        k_ii, k_jj = 4.0 * np.float64(quarter_i), 4.0 * np.float64(quarter[j])
        curvature = k_ii + k_jj - 2.0 * np.float64(row_i[j])
        relative = curvature / max(abs(k_ii) + abs(k_jj), _TAU)
        min_curvature = min(min_curvature, relative)
        t = min((m - slope_j) / max(curvature, _TAU), hi[i] - v[i], v[j] - lo[j])
        v[i] = _move(v[i], t, lo[i], hi[i])
        v[j] = _move(v[j], -t, lo[j], hi[j])
        _put(i, m, v, lo, hi, up_slope, low_slope)
        _put(j, slope_j, v, lo, hi, up_slope, low_slope)
        for k in range(q):
            change = t * (np.float64(row_i[k]) - np.float64(row_j[k]))
            up_slope[k] -= change
            low_slope[k] += change
        if stuck:
            for k in range(q):
                gradient[k] -= t * (np.float64(row_i[k]) - np.float64(row_j[k]))
        (m, i), M = first_largest(up_slope), -largest(low_slope)
        step += 1
    for k in range(q):
        if v[k] < hi[k]:
            gradient[k] = up_slope[k]
        elif v[k] > lo[k]:
            gradient[k] = -low_slope[k]
    return step, min_curvature


@compiled_inside
def run_on_all(
    K: NDArray, state: NDArray, tol: float, max_steps: int
) -> tuple[int, float]:
    """The same where K has all samples, in their order, and no others."""
    samples, runs = np.empty(len(K), np.uint64), np.empty((1, 3), np.int64)
    runs[0, 0], runs[0, 1], runs[0, 2] = 0, len(K), 0
    for k in range(len(K)):
        samples[k] = k
    return run_smo(read_only(K), samples, runs, state, tol, max_steps)


@compiled_inside
def _put(
    k: int,
    slope: float,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    up_slope: NDArray,
    low_slope: NDArray,
) -> None:
    """Where a sample with this gradient belongs; one that has no room in neither."""
    up_slope[k] = slope if v[k] < hi[k] else -HUGE
    low_slope[k] = -slope if v[k] > lo[k] else -HUGE


@compiled_comparing
def _move(v: float, t: float, lo: float, hi: float) -> float:
    # a step to a bound arrives exactly there: what rounding leaves is no free sample
    arrived = v + t
    if t >= _NEARLY * (hi - v) or (t > 0 and hi - arrived <= _ROUNDED * hi):
        return hi
    if t <= _NEARLY * (lo - v) or (t < 0 and lo - arrived >= _ROUNDED * lo):
        return lo
    return arrived


@compiled_comparing
def _most_steps(q: int, patience: float) -> int:
    return max(1, min(int(patience * (q + STEP)), _WORK // (q + STEP)))


@compiled_comparing
def _patience_left(steps: int, q: int, patience: float) -> float:
    """All of it, if that many steps were enough; of large problems they may not be."""
    if steps < _most_steps(q, patience):
        return patience
    return max(0.0, patience - (steps + 1) / (q + STEP))


@compiled_inside
def solve_subproblem(
    K: NDArray,
    working_set: NDArray,
    xi: float,
    state: NDArray,
    free_bias: bool,
    tol: float,
    max_steps: int,
    patience: float,
) -> tuple[int, float, float, NDArray, NDArray]:
    """Change v until the violation within the working set is small; g stays as it is.

    K is the matrix of the working set, with a row and a column to spare unless the bias
    is free. Returns the number of steps, the smallest relative curvature that was met,
    what is left of the patience (in steps for what a step costs: all of it where the
    subproblem is solved, none where Newton steps had better help), which samples moved,
    and by how much.
    """
    q = len(working_set)
    own = np.empty((4, len(K)))
    for part in range(4):
        for k in range(q):
            own[part, k] = state[part, working_set[k]]
    if not free_bias:
        # a sample without bounds takes up the sum; its kernel value −ξ with everybody
        # stands for the ξ that the others have with each other
        own[0, q], own[1, q], own[2, q], own[3, q] = 0.0, 0.0, -HUGE, HUGE
        for k in range(q + 1):
            K[q, k] = K[k, q] = -xi
    most = _most_steps(q, patience)
    steps, min_curvature = run_on_all(K, own, 0.8 * tol, min(max_steps, most))
    moved, change, n_moved = np.empty(q, np.int64), np.empty(q), 0
    for k in range(q):
        by = own[1, k] - state[1, working_set[k]]
        if by != 0:
            moved[n_moved], change[n_moved] = working_set[k], by
            n_moved += 1
            state[1, working_set[k]] = own[1, k]
    left = _patience_left(steps, q, patience)
    return steps, min_curvature, left, moved[:n_moved], change[:n_moved]


@compiled_comparing
def rounds_in_memory(
    K: NDArray,
    samples: NDArray,
    runs: NDArray,
    xi: float,
    state: NDArray,
    free_bias: bool,
    tol: float,
    sizes: NDArray,
    max_steps: int,
    max_rounds: int,
    patience: float,
    may_be_whole: bool,
) -> tuple[int, int, float, float, bool]:
    """Rounds on a matrix that is there: until converged, slow, or time for a look.

    `runs` holds (first, stop, column) of each stretch of neighbours in `samples`, and
    `sizes` those of a working set; its second row is for rounds in which more samples
    are free than the first takes. Where a round spends more on copying its submatrix
    and following with the gradient than steps on all samples would take, the next one
    is the whole problem, if it `may_be_whole`. Returns steps, rounds, the smallest
    curvature, what is left of the patience, and whether nothing moved any more.
    """
    steps, rounds, work, min_curvature = 0, 0, 0, np.inf
    gradient, moved, spare = state[0], np.empty(0, np.int64), 0 if free_bias else 1
    columns = samples.astype(np.uint64)  # an unsigned index needs no check of its sign
    n, scattered = len(samples), len(runs) * 16 > len(samples)
    may_be_whole = may_be_whole and free_bias and not scattered
    done, q, around = 0, n, 0.0  # of the last round: its steps, size and other costs
    while steps < max_steps and rounds < max_rounds and work < _WORK and patience > 0:
        steps_left = max_steps - steps
        if may_be_whole and _WHOLE * done * n < _PART * done * q + around:
            violation, done, curvature, left, stalled = _solve_whole(
                K, columns, runs, state, free_bias, tol, steps_left, patience
            )
            if violation <= tol:
                break
            moved, work = moved[:0], work + done * (n + STEP)
        else:
            most = sizes[1] if count_free(state) > sizes[0, FREE] else sizes[0]
            working_set, violation = select_working_set(
                state, free_bias, tol, most, moved
            )
            if violation <= tol:
                break
            at = columns[working_set]
            values = submatrix(K, at, at, spare)
            done, curvature, left, moved, change = solve_subproblem(
                values, working_set, xi, state, free_bias, tol, steps_left, patience
            )
            q, stalled = len(working_set), len(moved) == 0
            work += done * (q + STEP)
            around = _COPIED * q * q + _FOLLOWED * len(moved) * n
            rows = columns[moved]
            if scattered:
                update_scattered(gradient, K, rows, change, columns)
            else:
                for r in range(len(runs)):
                    run = (runs[r, 0], runs[r, 1], runs[r, 2])
                    update_gradient(gradient, K, rows, change, run)
            shift_gradient(gradient, xi, change)
        steps, rounds = steps + done, rounds + 1
        min_curvature = min(min_curvature, curvature)
        patience = left if left < patience else PATIENCE
        if stalled:
            return steps, rounds, min_curvature, patience, True
    return steps, rounds, min_curvature, patience, False


@compiled_inside
def _solve_whole(
    K: NDArray,
    samples: NDArray,
    runs: NDArray,
    state: NDArray,
    free_bias: bool,
    tol: float,
    max_steps: int,
    patience: float,
) -> tuple[float, int, float, float, bool]:
    """Steps on all samples, on the matrix as it lies; after what violation.

    Their number, the smallest curvature, what is left of the patience, and whether
    nothing moved.
    """
    m, M = extreme_gradients(state, free_bias)
    if m - M <= tol:
        return m - M, 0, np.inf, patience, True
    before, most = state[1].copy(), _most_steps(len(samples), patience)
    most = min(max_steps, most)
    done, curvature = run_smo(read_only(K), samples, runs, state, 0.8 * tol, most)
    stalled = True
    for k in range(len(before)):
        stalled = stalled and before[k] == state[1, k]
    left = _patience_left(done, len(samples), patience)
    return m - M, done, curvature, left, stalled
