r"""Compiled steps of the block solver, in signed coefficients v = αz.

With v the two signs look alike: each v_i lives in [lo_i, hi_i], and

.. math:: f_i = z_i - \sum_j v_j (k(x_i, x_j) + ξ)

is how steeply the dual rises with v_i. "Up" are the samples whose v may grow, "low"
those whose v may shrink; membership is kept as a number to add (0 or huge), so that a
search for the extremes is a plain reduction, which vectorises.

Floating point is free of NaN by contract: kernel values are finite, and coefficients
are bounded. Minima and maxima do not depend on the order, sums keep theirs.
"""

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled_comparing

_HUGE = 1e300
_TAU = 1e-12  # the curvature used where the kernel has none, as in LIBSVM
_RATIO = 0.1  # a block is solved until its violation fell to this part


@compiled_comparing
def extremes(
    f: NDArray, v: NDArray, lo: NDArray, hi: NDArray, free_bias: bool
) -> tuple[float, float]:
    """The steepest way up and the steepest way down; their difference is the violation.

    Without an equality constraint both are measured against zero.
    """
    top, bottom = (-_HUGE, _HUGE) if free_bias else (0.0, 0.0)
    for i in range(len(f)):
        top = max(top, f[i] if v[i] < hi[i] else -_HUGE)
        bottom = min(bottom, f[i] if v[i] > lo[i] else _HUGE)
    return top, bottom


@compiled_comparing
def _worst(members: NDArray, score: NDArray, count: int) -> NDArray:
    """The `count` members of the largest score; among equals, evenly spread ones."""
    if len(members) <= count:
        return members
    if count <= 0:
        return members[:0]
    bar = np.partition(score, len(score) - count)[len(score) - count]
    level = np.flatnonzero(score == bar)
    chosen = np.empty(count, np.int64)
    n_chosen = 0
    for k in range(len(members)):
        if score[k] > bar:
            chosen[n_chosen] = members[k]
            n_chosen += 1
    left = count - n_chosen
    for k in range(left):
        chosen[n_chosen + k] = members[level[k * len(level) // left]]
    return chosen


@compiled_comparing
def select(
    f: NDArray,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    free_bias: bool,
    tol: float,
    n_bound: int,
    n_free: int,
) -> tuple[NDArray, float, float]:
    """The next block: the free samples and the worst violators among the bounded.

    Returns the block and the extremes of all samples.
    """
    top, bottom = extremes(f, v, lo, hi, free_bias)
    from_up, from_low = (bottom + tol, top - tol) if free_bias else (tol / 2, -tol / 2)
    members = np.empty((3, len(f)), np.int64)
    score = np.empty((3, len(f)))
    size = np.zeros(3, np.int64)
    for i in range(len(f)):
        may_grow, may_shrink = v[i] < hi[i], v[i] > lo[i]
        kind, worth = -1, 0.0
        if may_grow and may_shrink:
            kind, worth = 2, max(f[i] - bottom, top - f[i])
        elif may_grow and f[i] > from_up:
            kind, worth = 0, f[i]
        elif may_shrink and f[i] < from_low:
            kind, worth = 1, -f[i]
        if kind >= 0:
            members[kind, size[kind]] = i
            score[kind, size[kind]] = worth
            size[kind] += 1
    up = _worst(members[0, : size[0]], score[0, : size[0]], n_bound - n_bound // 2)
    low = _worst(members[1, : size[1]], score[1, : size[1]], n_bound // 2)
    free = _worst(members[2, : size[2]], score[2, : size[2]], n_free)
    return np.sort(np.concatenate((up, low, free))), top, bottom


@compiled_comparing
def _take_block(K: NDArray, rows: NDArray, columns: NDArray) -> NDArray:
    """K at these rows and columns."""
    block = np.empty((len(rows), len(columns)), K.dtype)
    at = columns.astype(np.uint64)  # an unsigned index needs no check of its sign
    for i in range(len(rows)):
        row = K[rows[i]]
        for j in range(len(columns)):
            block[i, j] = row[at[j]]
    return block


@compiled_comparing
def _join_block(
    stored: NDArray, slots: NDArray, members: NDArray, fresh: NDArray
) -> NDArray:
    """The block's matrix from stored rows and, between the others, `fresh` values."""
    q = len(members)
    block = np.empty((q, q), stored.dtype)
    place = np.empty(q, np.int64)
    at = members.astype(np.uint64)  # an unsigned index needs no check of its sign
    n_fresh = 0
    for i in range(q):
        place[i] = -1
        if slots[members[i]] < 0:
            place[i] = n_fresh
            n_fresh += 1
    for i in range(q):
        if place[i] < 0:
            row = stored[slots[members[i]]]
            for j in range(q):
                block[i, j] = row[at[j]]
            if n_fresh > 0:
                for j in range(q):
                    if place[j] >= 0:
                        block[j, i] = block[i, j]
        else:
            for j in range(q):
                if place[j] >= 0:
                    block[i, j] = fresh[place[i], place[j]]
    return block


@compiled_comparing
def _largest(values: NDArray) -> float:
    # alone in its loop, the reduction vectorises
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
    for k in range(last - last % 16, last):
        if values[k] == value:
            return k
    return last


@compiled_comparing
def _pair_steps(
    K: NDArray,
    f: NDArray,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    tol: float,
    max_steps: int,
) -> tuple[int, float]:
    """SMO on a block whose coefficients keep their sum; second-order selection."""
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
        room_i, room_j = hi[i] - v[i], v[j] - lo[j]
        t = min((top - f[j]) / max(bend, _TAU), room_i, room_j)
        v[i] = hi[i] if t == room_i else min(v[i] + t, hi[i])
        v[j] = lo[j] if t == room_j else max(v[j] - t, lo[j])
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
def _climb(
    f_i: float, f_j: float, a: float, b: float, c: float, box: NDArray
) -> tuple[float, float]:
    """Maximise f·t − ½tᵀ[[a, c], [c, b]]t over a box of two steps."""
    best_i, best_j = min(max(f_i / a, box[0]), box[1]), 0.0
    best = f_i * best_i - 0.5 * a * best_i * best_i
    det = a * b - c * c
    if det > _TAU * a * b:
        t_i, t_j = (b * f_i - c * f_j) / det, (a * f_j - c * f_i) / det
        if box[0] <= t_i <= box[1] and box[2] <= t_j <= box[3]:
            return t_i, t_j
    for edge in range(4):
        if edge < 2:
            t_i = box[edge]
            t_j = min(max((f_j - c * t_i) / b, box[2]), box[3])
        else:
            t_j = box[edge]
            t_i = min(max((f_i - c * t_j) / a, box[0]), box[1])
        value = f_i * t_i + f_j * t_j
        value -= 0.5 * (a * t_i * t_i + b * t_j * t_j) + c * t_i * t_j
        if value > best:
            best, best_i, best_j = value, t_i, t_j
    return best_i, best_j


@compiled_comparing
def _box_steps(
    K: NDArray,
    xi: float,
    f: NDArray,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    tol: float,
    max_steps: int,
) -> tuple[int, float]:
    """Steps in the best coordinate and the one that goes best with it."""
    q = len(f)
    gain, diagonal, box = np.empty(q), np.empty(q), np.empty(4)
    flattest, target = np.inf, -1.0
    for k in range(q):
        diagonal[k] = max(K[k, k] + xi, _TAU)
        flattest = min(flattest, -1.0 if K[k, k] + xi < 0 else 1.0)
    for step in range(max_steps):
        top, bottom, best = 0.0, 0.0, 0.0
        for k in range(q):
            up = f[k] if v[k] < hi[k] else 0.0
            down = f[k] if v[k] > lo[k] else 0.0
            top, bottom = max(top, up), min(bottom, down)
            rise = max(up, -down, 0.0)
            gain[k] = rise * rise / diagonal[k]
            best = max(best, gain[k])
        target = max(tol, _RATIO * (top - bottom)) if target < 0 else target
        if top - bottom <= target:
            return step, flattest
        i = 0
        while i < q - 1 and gain[i] != best:
            i += 1
        row_i, a, best = K[i], diagonal[i], 0.0
        for k in range(q):
            b, c = diagonal[k], np.float64(row_i[k]) + xi
            det = max(a * b - c * c, _TAU * a * b)
            t_i, t_k = b * f[i] - c * f[k], a * f[k] - c * f[i]
            able = (v[k] < hi[k]) if t_k > 0 else (v[k] > lo[k])
            able = able and t_i * f[i] > 0 and k != i
            gain[k] = (f[i] * t_i + f[k] * t_k) / det if able else 0.0
            best = max(best, gain[k])
        j = 0
        while j < q - 1 and gain[j] != best:
            j += 1
        row_j, c = K[j], np.float64(row_i[j]) + xi
        box[0], box[1], box[2], box[3] = lo[i] - v[i], hi[i] - v[i], 0.0, 0.0
        if best > 0:
            box[2], box[3] = lo[j] - v[j], hi[j] - v[j]
            bend = (a * diagonal[j] - c * c) / (a * diagonal[j])
            flattest = min(flattest, bend)
        t_i, t_j = _climb(f[i], f[j], a, diagonal[j], c, box)
        v[i] = _step_to(v[i], t_i, lo[i], hi[i])
        if best > 0:
            v[j] = _step_to(v[j], t_j, lo[j], hi[j])
        shift = (t_i + t_j) * xi
        for k in range(q):
            f[k] -= t_i * np.float64(row_i[k]) + t_j * np.float64(row_j[k]) + shift
    return max_steps, flattest


@compiled_comparing
def _step_to(v: float, t: float, lo: float, hi: float) -> float:
    # a step to the end of the room arrives exactly there
    if t >= hi - v:
        return hi
    return lo if t <= lo - v else v + t


@compiled_comparing
def solve_block(
    K: NDArray,
    block: NDArray,
    xi: float,
    f: NDArray,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    free_bias: bool,
    tol: float,
    max_steps: int,
) -> tuple[int, float, NDArray, NDArray]:
    """Change v in place until the block's own violation is small; f stays.

    K is the matrix of the block. Returns the number of steps, the smallest relative
    curvature that was met, which samples moved, and by how much.
    """
    f_block, v_block, lo_block, hi_block = f[block], v[block], lo[block], hi[block]
    # never long without a look at all samples and at the clock
    room = min(max_steps, 100 * len(block) + 10000)
    inner = 0.8 * tol
    if free_bias:
        steps, flattest = _pair_steps(
            K, f_block, v_block, lo_block, hi_block, inner, room
        )
    else:
        steps, flattest = _box_steps(
            K, xi, f_block, v_block, lo_block, hi_block, inner, room
        )
    change = v_block - v[block]
    moved = np.flatnonzero(change)
    v[block] = v_block
    return steps, flattest, block[moved], change[moved]


@compiled_comparing
def solve_stored_block(
    stored: NDArray,
    slots: NDArray,
    block: NDArray,
    fresh: NDArray,
    xi: float,
    f: NDArray,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    free_bias: bool,
    tol: float,
    max_steps: int,
) -> tuple[int, float, NDArray, NDArray]:
    """`solve_block` on stored rows and `fresh` values between the members without."""
    K = _join_block(stored, slots, block, fresh)
    return solve_block(K, block, xi, f, v, lo, hi, free_bias, tol, max_steps)


@compiled_comparing
def subtract_rows(
    f: NDArray,
    K: NDArray,
    rows: NDArray,
    change: NDArray,
    first: int,
    stop: int,
    shift: int,
) -> None:
    """F −= Kᵀ·change from `first` to `stop`, summed in float64.

    The column of K that belongs to f_j is j + shift.
    """
    width = 512
    total = np.empty(width)
    for start in range(first, stop, width):
        n, column = min(width, stop - start), start + shift
        total[:n] = 0.0
        for r in range(len(rows)):
            row, by = K[rows[r], column : column + n], change[r]
            for j in range(n):
                total[j] += by * np.float64(row[j])
        for j in range(n):
            f[start + j] -= total[j]


@compiled_comparing
def _subtract_gathered(
    f: NDArray, K: NDArray, rows: NDArray, columns: NDArray, change: NDArray
) -> None:
    """The same for columns in any order."""
    for r in range(len(rows)):
        row, by = K[rows[r]], change[r]
        for j in range(len(f)):
            f[j] -= by * np.float64(row[columns[j]])


@compiled_comparing
def _subtract_members(
    f: NDArray,
    K: NDArray,
    samples: NDArray,
    runs: NDArray,
    at: NDArray,
    change: NDArray,
) -> None:
    """F −= Kᵀ·change, K being the matrix of all samples and f that of `samples`.

    `runs` holds (first, stop, shift) of each stretch of neighbours in `samples`.
    """
    if len(runs) * 16 > len(f):
        _subtract_gathered(f, K, samples[at], samples, change)
        return
    for first, stop, shift in runs:
        subtract_rows(f, K, samples[at], change, first, stop, shift)


@compiled_comparing
def rounds_in_memory(
    K: NDArray,
    samples: NDArray,
    runs: NDArray,
    xi: float,
    f: NDArray,
    v: NDArray,
    lo: NDArray,
    hi: NDArray,
    free_bias: bool,
    tol: float,
    sizes: NDArray,
    max_steps: int,
    max_rounds: int,
) -> tuple[int, int, float, bool]:
    """Rounds on a matrix that is there: until converged, stalled or out of steps.

    Returns steps, rounds, the smallest curvature and whether nothing moved any more.
    """
    steps, rounds, flattest = 0, 0, np.inf
    while steps < max_steps and rounds < max_rounds:
        block, top, bottom = select(f, v, lo, hi, free_bias, tol, sizes[0], sizes[1])
        if top - bottom <= tol:
            break
        K_block = _take_block(K, samples[block], samples[block])
        done, flat, moved, change = solve_block(
            K_block, block, xi, f, v, lo, hi, free_bias, tol, max_steps - steps
        )
        steps, rounds, flattest = steps + done, rounds + 1, min(flattest, flat)
        if len(moved) == 0:
            return steps, rounds, flattest, True
        _subtract_members(f, K, samples, runs, moved, change)
        if xi != 0:
            f -= xi * change.sum()
    return steps, rounds, flattest, False
