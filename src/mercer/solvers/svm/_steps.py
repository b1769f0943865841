r"""Compiled steps of the block solver, in signed coefficients v = αz.

With v the two classes look alike: each v_i lives in [lo_i, hi_i], and

.. math:: f_i = z_i - \sum_j v_j (k(x_i, x_j) + ξ)

is how steeply the dual rises with v_i. The rows of a state are f, v, lo and hi.

Compiled for data without NaN: kernel values are finite and coefficients bounded. Then
minima and maxima vectorise where they are alone in a loop (and loops with more than
three or four arrays do not), which is why loops are split the way they are.
"""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_comparing

_HUGE = 1e300
_TAU = 1e-12  # the curvature used where the kernel has none, as in LIBSVM
_RATIO = 0.1  # a block is solved until its violation fell to this part


@compiled_comparing
def extremes(state: NDArray, free_bias: bool) -> tuple[float, float]:
    """The steepest ways up and down; their difference is the violation.

    Without an equality constraint both are measured against zero.
    """
    f, v, lo, hi = state[0], state[1], state[2], state[3]
    top, bottom = (-_HUGE, _HUGE) if free_bias else (0.0, 0.0)
    for i in range(len(f)):
        top = max(top, f[i] if v[i] < hi[i] else -_HUGE)
        bottom = min(bottom, f[i] if v[i] > lo[i] else _HUGE)
    return top, bottom


@compiled_comparing
def _count_above(values: NDArray, bar: float) -> int:
    count = 0
    for k in range(len(values)):
        count += values[k] > bar
    return count


@compiled_comparing
def _mark_worst(marks: NDArray, members: NDArray, score: NDArray, count: int) -> None:
    """Mark the `count` members of the largest score; among near equals, spread evenly.

    A few bisections find the bar; NumPy's partition takes Numba seconds to compile.
    """
    n = len(members)
    low, high = -_HUGE, -_HUGE
    if n > count:
        low, high = score[0] - 1.0, _largest(score)
        for k in range(n):
            low = min(low, score[k] - 1.0)
        for _ in range(20):
            bar = (low + high) / 2
            if _count_above(score, bar) > count:
                low = bar
            else:
                high = bar
    left = count - _count_above(score, high)
    level, seen = _count_above(score, low) - _count_above(score, high), 0
    for k in range(n):
        if score[k] > high:
            marks[members[k]] = True
        elif score[k] > low:
            # of `level` near equals, `left` are taken
            if (seen + 1) * left // level > seen * left // level:
                marks[members[k]] = True
            seen += 1


@compiled_comparing
def select(
    state: NDArray, free_bias: bool, tol: float, sizes: NDArray, recent: NDArray
) -> tuple[NDArray, float]:
    """The next block and the violation of all samples.

    A block holds the free samples, the worst violators among the others, and samples
    that moved in the round before; `sizes` says how many of each at most.
    """
    f, v, lo, hi = state[0], state[1], state[2], state[3]
    top, bottom = extremes(state, free_bias)
    from_up, from_low = (bottom + tol, top - tol) if free_bias else (tol / 2, -tol / 2)
    members = np.empty((3, len(f)), np.int64)
    score = np.empty((3, len(f)))
    found = np.zeros(3, np.int64)
    first, last = -1, -1
    for i in range(len(f)):
        may_grow, may_shrink = v[i] < hi[i], v[i] > lo[i]
        first = i if may_grow and f[i] == top else first
        last = i if may_shrink and f[i] == bottom else last
        kind, worth = -1, abs(f[i])
        if may_grow and may_shrink:
            kind, worth = 0, max(f[i] - bottom, top - f[i]) if free_bias else worth
        elif may_grow and f[i] > from_up:
            kind, worth = 1, f[i]
        elif may_shrink and f[i] < from_low:
            kind, worth = 2, -f[i]
        if kind >= 0:
            members[kind, found[kind]] = i
            score[kind, found[kind]] = worth
            found[kind] += 1
    marks = np.zeros(len(f), np.bool_)
    for i in (first, last):  # with these two in it, no block leaves all as it is
        if i >= 0:
            marks[i] = True
    for k in range(min(len(recent), sizes[3])):
        marks[recent[k]] = True
    for kind in range(3):
        n = found[kind]
        _mark_worst(marks, members[kind, :n], score[kind, :n], sizes[kind])
    block, n = members[0], 0
    for i in range(len(f)):
        if marks[i]:
            block[n] = i
            n += 1
    return block[:n].copy(), top - bottom


@compiled_comparing
def _take_block(K: NDArray, at: NDArray, spare: int) -> NDArray:
    """The block's matrix out of the matrix of all samples."""
    q = len(at)
    block = np.empty((q + spare, q + spare), K.dtype)
    for i in range(q):
        row = K[at[i]]
        for j in range(q):
            block[i, j] = row[at[j]]
    return block


@compiled_comparing
def _largest(values: NDArray) -> float:
    largest = values[0]
    for k in range(len(values)):
        largest = max(largest, values[k])
    return largest


@compiled_comparing
def _position(values: NDArray, value: float) -> int:
    """Where `value` stands first."""
    last = len(values) - 1
    for start in range(0, last - 15, 16):
        part, hits = values[start : start + 16], 0
        for k in range(16):
            hits += part[k] == value
        if hits > 0:
            for k in range(16):
                if part[k] == value:
                    return start + k
    for k in range(max(0, last - 31), last):
        if values[k] == value:
            return k
    return last


@compiled_comparing
def _pair_steps(
    K: NDArray, state: NDArray, tol: float, max_steps: int
) -> tuple[int, float]:
    """SMO on a block whose coefficients keep their sum; second-order selection."""
    f, v, lo, hi = state[0], state[1], state[2], state[3]
    q = len(f)
    gain, diagonal = np.empty(q), np.empty(q)
    up, down = np.empty(q), np.empty(q)  # 0 where v may grow or shrink, else −huge
    rise, fall = np.empty(q), np.empty(q)
    for k in range(q):
        diagonal[k] = K[k, k]
        up[k] = 0.0 if v[k] < hi[k] else -_HUGE
        down[k] = 0.0 if v[k] > lo[k] else -_HUGE
        rise[k], fall[k] = f[k] + up[k], down[k] - f[k]
    top, bottom = _largest(rise), -_largest(fall)
    target = max(tol, _RATIO * (top - bottom))
    flattest = np.inf
    for step in range(max_steps):
        if top - bottom <= target:
            return step, flattest
        i = _position(rise, top)
        row_i, k_ii = K[i], diagonal[i]
        for k in range(q):
            slope = max(top + fall[k], 0.0)
            bend = max(k_ii + diagonal[k] - 2.0 * np.float64(row_i[k]), _TAU)
            gain[k] = slope * slope / bend
        j = _position(gain, _largest(gain))
        row_j = K[j]
        bend = k_ii + diagonal[j] - 2.0 * np.float64(row_i[j])
        flattest = min(flattest, bend / max(abs(k_ii) + abs(diagonal[j]), _TAU))
        t = min((top - f[j]) / max(bend, _TAU), hi[i] - v[i], v[j] - lo[j])
        v[i] = _move(v[i], t, lo[i], hi[i])
        v[j] = _move(v[j], -t, lo[j], hi[j])
        for k in (i, j):
            up[k] = 0.0 if v[k] < hi[k] else -_HUGE
            down[k] = 0.0 if v[k] > lo[k] else -_HUGE
        for k in range(q):
            f[k] -= t * (np.float64(row_i[k]) - np.float64(row_j[k]))
        for k in range(q):
            rise[k] = f[k] + up[k]
        for k in range(q):
            fall[k] = down[k] - f[k]
        top, bottom = _largest(rise), -_largest(fall)
    return max_steps, flattest


@compiled_comparing
def _move(v: float, t: float, lo: float, hi: float) -> float:
    # a step to the end of the room arrives exactly there
    if t >= hi - v:
        return hi
    return lo if t <= lo - v else v + t


@compiled_comparing
def solve_block(
    K: NDArray,
    block: NDArray,
    xi: float,
    state: NDArray,
    free_bias: bool,
    tol: float,
    max_steps: int,
) -> tuple[int, float, NDArray, NDArray]:
    """Change v until the block's own violation is small; f stays as it is.

    K is the matrix of the block, with a row and a column to spare unless the bias is
    free. Returns the number of steps, the smallest relative curvature that was met,
    which samples moved, and by how much.
    """
    q = len(block)
    own = np.zeros((4, len(K)))
    for part in range(4):
        for k in range(q):
            own[part, k] = state[part, block[k]]
    if not free_bias:
        # a sample without bounds takes up the sum; its kernel value −ξ with everybody
        # stands for the ξ that the others have with each other
        own[2, q], own[3, q] = -_HUGE, _HUGE
        for k in range(q + 1):
            K[q, k] = K[k, q] = -xi
    # never long without a look at all samples and at the clock
    room = min(max_steps, 100 * q + 10000)
    steps, flattest = _pair_steps(K, own, 0.8 * tol, room)
    moved, change, n_moved = np.empty(q, np.int64), np.empty(q), 0
    for k in range(q):
        by = own[1, k] - state[1, block[k]]
        if by != 0:
            moved[n_moved], change[n_moved] = block[k], by
            n_moved += 1
            state[1, block[k]] = own[1, k]
    return steps, flattest, moved[:n_moved], change[:n_moved]


@compiled_comparing
def subtract_rows(
    f: NDArray, K: NDArray, rows: NDArray, change: NDArray, run: tuple[int, int, int]
) -> None:
    """Take Kᵀ·change, summed in float64, from f.

    `run` is (first, stop, column): where in f, and the column of K that belongs to it.
    """
    first, stop, column = run
    width = 2048
    total = np.empty(width)
    for start in range(first, stop, width):
        n, at = min(width, stop - start), column + start - first
        for j in range(n):
            total[j] = 0.0
        for r in range(1, len(rows), 2):  # two at a time keep the memory busier
            one, two = K[rows[r - 1], at : at + n], K[rows[r], at : at + n]
            by, and_by = change[r - 1], change[r]
            for j in range(n):
                total[j] += by * np.float64(one[j]) + and_by * np.float64(two[j])
        if len(rows) % 2 == 1:
            one, by = K[rows[-1], at : at + n], change[-1]
            for j in range(n):
                total[j] += by * np.float64(one[j])
        part = f[start : start + n]
        for j in range(n):
            part[j] -= total[j]


@compiled_comparing
def _chosen(samples: NDArray, block: NDArray) -> NDArray:
    # an unsigned index needs no check of its sign
    chosen = np.empty(len(block), np.uint64)
    for k in range(len(block)):
        chosen[k] = samples[block[k]]
    return chosen


@compiled_comparing
def _subtract_gathered(
    f: NDArray, K: NDArray, rows: NDArray, change: NDArray, columns: NDArray
) -> None:
    """The same for columns in any order."""
    at = columns.astype(np.uint64)
    for r in range(len(rows)):
        row, by = K[rows[r]], change[r]
        for j in range(len(f)):
            f[j] -= by * np.float64(row[at[j]])


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
) -> tuple[int, int, float, bool]:
    """Rounds on a matrix that is there: until converged, stalled or out of steps.

    `runs` holds (first, stop, column) of each stretch of neighbours in `samples`.
    Returns steps, rounds, the smallest curvature and whether nothing moved any more.
    """
    steps, rounds, flattest = 0, 0, np.inf
    f, moved, spare = state[0], samples[:0], 0 if free_bias else 1
    while steps < max_steps and rounds < max_rounds:
        block, violation = select(state, free_bias, tol, sizes, moved)
        if violation <= tol:
            break
        done, flat, moved, change = solve_block(
            _take_block(K, _chosen(samples, block), spare),
            block,
            xi,
            state,
            free_bias,
            tol,
            max_steps - steps,
        )
        steps, rounds, flattest = steps + done, rounds + 1, min(flattest, flat)
        if len(moved) == 0:
            return steps, rounds, flattest, True
        rows = _chosen(samples, moved)
        if len(runs) * 16 > len(f):
            _subtract_gathered(f, K, rows, change, samples)
        else:
            for r in range(len(runs)):
                run = (runs[r, 0], runs[r, 1], runs[r, 2])
                subtract_rows(f, K, rows, change, run)
        shift = 0.0
        for k in range(len(change)):
            shift += xi * change[k]
        for k in range(len(f)):
            f[k] -= shift
    return steps, rounds, flattest, False
