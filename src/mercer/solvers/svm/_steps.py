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

from mercer._numba import compiled_comparing

_NEARLY = 1 - 2.0**-46  # of the way to a bound
_ROUNDED = 2.0**-50  # of a bound that is not zero
HUGE = 1e300  # stands for infinity
_TAU = 1e-12  # the curvature used where the kernel has none, as in LIBSVM
_RATIO = 0.1  # a subproblem is solved until its violation fell to this part
STEP = 100  # a step costs as much as so many samples, and as all of its own
# nanoseconds or so, for a value: copied, followed by the gradient, and of a step on a
# working set or on all samples, whose rows are in no cache
_COPIED, _FOLLOWED, _PART, _WHOLE = 1.0, 0.25, 1.5, 2.2
_WORK = 100_000_000  # samples' worth between looks at the clock: a third of a second
FREE, UP, LOW = 0, 1, 2  # in both I_up and I_low, in I_up only, in I_low only


@compiled_comparing
def extreme_gradients(state: NDArray, free_bias: bool) -> tuple[float, float]:
    """m(α) and M(α); their difference is the violation.

    Without an equality constraint both are measured against zero.
    """
    gradient, v, lo, hi = state[0], state[1], state[2], state[3]
    m, M = (-HUGE, HUGE) if free_bias else (0.0, 0.0)
    for i in range(len(v)):
        m = max(m, gradient[i] if v[i] < hi[i] else -HUGE)
        M = min(M, gradient[i] if v[i] > lo[i] else HUGE)
    return m, M


@compiled_comparing
def _count_free(state: NDArray) -> int:
    v, lo, hi, count = state[1], state[2], state[3], 0
    for i in range(len(v)):
        count += (lo[i] < v[i]) and (v[i] < hi[i])
    return count


@compiled_comparing
def _count_above(values: NDArray, threshold: float) -> int:
    count = 0
    for k in range(len(values)):
        count += values[k] > threshold
    return count


@compiled_comparing
def _largest_of_quarters(values: NDArray) -> tuple[float, float, float, float]:
    """Four maxima side by side: one alone would wait for itself at each comparison."""
    n = len(values) // 4
    one, two = values[:n], values[n : 2 * n]
    three, four = values[2 * n : 3 * n], values[3 * n : 4 * n]
    a = b = c = d = values[0]
    for k in range(n):
        a, b = max(a, one[k]), max(b, two[k])
        c, d = max(c, three[k]), max(d, four[k])
    for k in range(4 * n, len(values)):
        d = max(d, values[k])
    return a, b, c, d


@compiled_comparing
def _largest(values: NDArray) -> float:
    a, b, c, d = _largest_of_quarters(values)
    return max(max(a, b), max(c, d))


@compiled_comparing
def _first_largest(values: NDArray) -> tuple[float, int]:
    """The largest, and where it stands first."""
    a, b, c, d = _largest_of_quarters(values)
    largest = max(max(a, b), max(c, d))
    before = 0 if a == largest else 1 if b == largest else 2 if c == largest else 3
    start = before * (len(values) // 4)
    return largest, start + _position(values[start:], largest)


@compiled_comparing
def mark_worst(marks: NDArray, members: NDArray, score: NDArray, count: int) -> None:
    """Mark the `count` members of the largest score; among near equals, spread evenly.

    Bisection finds the threshold; NumPy's partition takes Numba seconds to compile.
    """
    n = len(members)
    low, high = -HUGE, -HUGE
    if n > count:
        low, high = score[0] - 1.0, _largest(score)
        for k in range(n):
            low = min(low, score[k] - 1.0)
        for _ in range(20):
            threshold = (low + high) / 2
            if _count_above(score, threshold) > count:
                low = threshold
            else:
                high = threshold
    left = count - _count_above(score, high)
    n_equal, seen = _count_above(score, low) - _count_above(score, high), 0
    for k in range(n):
        if score[k] > high:
            marks[members[k]] = True
        elif score[k] > low:
            # of the near equals, `left` are taken
            if (seen + 1) * left // n_equal > seen * left // n_equal:
                marks[members[k]] = True
            seen += 1


@compiled_comparing
def select_working_set(
    state: NDArray, free_bias: bool, tol: float, sizes: NDArray, recent: NDArray
) -> tuple[NDArray, float]:
    """The next working set and the violation of all samples.

    It holds the free samples, the worst violators among the others, and samples that
    moved in the round before; `sizes` says how many FREE, UP, LOW and recent at most.
    """
    gradient, v, lo, hi = state[0], state[1], state[2], state[3]
    m, M = extreme_gradients(state, free_bias)
    up_above, low_below = (M + tol, m - tol) if free_bias else (tol / 2, -tol / 2)
    members = np.empty((3, len(v)), np.int64)
    score = np.empty((3, len(v)))
    found = np.zeros(3, np.int64)
    first, last = -1, -1
    for i in range(len(v)):
        g, in_up, in_low = gradient[i], v[i] < hi[i], v[i] > lo[i]
        first = i if in_up and g == m else first
        last = i if in_low and g == M else last
        kind, worst = -1, abs(g)
        if in_up and in_low:
            kind, worst = FREE, max(g - M, m - g) if free_bias else worst
        elif in_up and g > up_above:
            kind, worst = UP, g
        elif in_low and g < low_below:
            kind, worst = LOW, -g
        if kind >= 0:
            members[kind, found[kind]] = i
            score[kind, found[kind]] = worst
            found[kind] += 1
    marks = np.zeros(len(v), np.bool_)
    for i in (first, last):  # with the maximal violating pair in it, something moves
        if i >= 0:
            marks[i] = True
    for k in range(min(len(recent), sizes[3])):
        marks[recent[k]] = True
    for kind in (FREE, UP, LOW):
        n = found[kind]
        mark_worst(marks, members[kind, :n], score[kind, :n], sizes[kind])
    working_set, n = members[0], 0
    for i in range(len(v)):
        if marks[i]:
            working_set[n] = i
            n += 1
    return working_set[:n].copy(), m - M


@compiled_comparing
def submatrix(K: NDArray, rows: NDArray, columns: NDArray, spare: int) -> NDArray:
    """The values between some samples, with as many rows and columns to spare."""
    q = len(rows)
    values = np.empty((q + spare, q + spare), K.dtype)
    for i in range(q):
        row = K[rows[i]]
        for j in range(q):
            values[i, j] = row[columns[j]]
    return values


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
def _row(
    K: NDArray, i: int, samples: NDArray | None, runs: NDArray | None, copy: NDArray
) -> NDArray:
    """The values of a sample with all that take part: as they lie, or copied."""
    if samples is None or runs is None:
        return K[i]
    if len(runs) == 1:
        return K[samples[i], runs[0, 2] : runs[0, 2] + runs[0, 1]]
    for r in range(len(runs)):
        first, stop, column = runs[r, 0], runs[r, 1], runs[r, 2]
        part, row = copy[first:stop], K[samples[i], column : column + stop - first]
        for k in range(stop - first):
            part[k] = row[k]
    return copy


@compiled_comparing
def run_smo(
    K: NDArray,
    state: NDArray,
    tol: float,
    max_steps: int,
    samples: NDArray | None = None,
    runs: NDArray | None = None,
) -> tuple[int, float]:
    """Steps in two coordinates that keep their sum, chosen by second order (WSS 2).

    Of all samples that K has, unless `samples` and `runs` say where in it they are, as
    for `rounds_in_memory`. What is None is compiled to nothing.
    """
    gradient, v, lo, hi = state[0], state[1], state[2], state[3]
    q = len(v)
    gain, diagonal = np.empty(q), np.empty(q)
    n_copied = 0
    if runs is not None:
        n_copied = q if len(runs) > 1 else 0
    copies = np.empty((2, n_copied), K.dtype)
    up, low = np.empty(q), np.empty(q)  # 0 in I_up and I_low, else −huge
    up_slope, low_slope = np.empty(q), np.empty(q)  # g in I_up, −g in I_low
    for k in range(q):
        if samples is None:
            diagonal[k] = K[k, k]
        else:
            diagonal[k] = K[samples[k], samples[k]]
        up[k] = 0.0 if v[k] < hi[k] else -HUGE
        low[k] = 0.0 if v[k] > lo[k] else -HUGE
        up_slope[k], low_slope[k] = gradient[k] + up[k], low[k] - gradient[k]
    (m, i), M = _first_largest(up_slope), -_largest(low_slope)
    target = max(tol, _RATIO * (m - M))
    min_curvature = np.inf
    for step in range(max_steps):
        if m - M <= target:
            return step, min_curvature
        row_i, k_ii = _row(K, i, samples, runs, copies[0]), diagonal[i]
        for k in range(q):
            violation = max(m + low_slope[k], 0.0)
            curvature = max(k_ii + diagonal[k] - 2.0 * np.float64(row_i[k]), _TAU)
            gain[k] = violation * violation / curvature
        _, j = _first_largest(gain)
        row_j = _row(K, j, samples, runs, copies[1])
        curvature = k_ii + diagonal[j] - 2.0 * np.float64(row_i[j])
        relative = curvature / max(abs(k_ii) + abs(diagonal[j]), _TAU)
        min_curvature = min(min_curvature, relative)
        t = min((m - gradient[j]) / max(curvature, _TAU), hi[i] - v[i], v[j] - lo[j])
        v[i] = _move(v[i], t, lo[i], hi[i])
        v[j] = _move(v[j], -t, lo[j], hi[j])
        for k in (i, j):
            up[k] = 0.0 if v[k] < hi[k] else -HUGE
            low[k] = 0.0 if v[k] > lo[k] else -HUGE
        for k in range(q):
            gradient[k] -= t * (np.float64(row_i[k]) - np.float64(row_j[k]))
        for k in range(q):
            up_slope[k] = gradient[k] + up[k]
        for k in range(q):
            low_slope[k] = low[k] - gradient[k]
        (m, i), M = _first_largest(up_slope), -_largest(low_slope)
    return max_steps, min_curvature


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
def _most_steps(q: int, patience: int) -> int:
    return min(patience * (q + STEP), _WORK // (q + STEP))


@compiled_comparing
def solve_subproblem(
    K: NDArray,
    working_set: NDArray,
    xi: float,
    state: NDArray,
    free_bias: bool,
    tol: float,
    max_steps: int,
    patience: int,
) -> tuple[int, float, bool, NDArray, NDArray]:
    """Change v until the violation within the working set is small; g stays as it is.

    K is the matrix of the working set, with a row and a column to spare unless the bias
    is free. Returns the number of steps, the smallest relative curvature that was met,
    whether it ran out of patience (steps for what a step costs), which samples moved,
    and by how much.
    """
    q = len(working_set)
    own = np.zeros((4, len(K)))
    for part in range(4):
        for k in range(q):
            own[part, k] = state[part, working_set[k]]
    if not free_bias:
        # a sample without bounds takes up the sum; its kernel value −ξ with everybody
        # stands for the ξ that the others have with each other
        own[2, q], own[3, q] = -HUGE, HUGE
        for k in range(q + 1):
            K[q, k] = K[k, q] = -xi
    most = _most_steps(q, patience)
    steps, min_curvature = run_smo(K, own, 0.8 * tol, min(max_steps, most))
    moved, change, n_moved = np.empty(q, np.int64), np.empty(q), 0
    for k in range(q):
        by = own[1, k] - state[1, working_set[k]]
        if by != 0:
            moved[n_moved], change[n_moved] = working_set[k], by
            n_moved += 1
            state[1, working_set[k]] = own[1, k]
    return steps, min_curvature, steps >= most, moved[:n_moved], change[:n_moved]


@compiled_comparing
def update_gradient(
    gradient: NDArray,
    K: NDArray,
    rows: NDArray,
    change: NDArray,
    run: tuple[int, int, int],
) -> None:
    """Take Kᵀ·change, summed in float64, from a stretch of the gradient.

    `run` is (first, stop, column): where in the gradient, and K's column for `first`.
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
        part = gradient[start : start + n]
        for j in range(n):
            part[j] -= total[j]


@compiled_comparing
def follow(gradient: NDArray, change: NDArray, start: int, values: NDArray) -> None:
    """The same for rows of values that begin at some column of the gradient."""
    rows, stop = np.arange(len(values)), start + values.shape[1]
    update_gradient(gradient, values, rows, change, (start, stop, 0))


@compiled_comparing
def follow_and_keep(
    gradient: NDArray,
    change: NDArray,
    start: int,
    values: NDArray,
    kept: NDArray,
    places: NDArray,
) -> None:
    """And put rows into their places among those that are kept, or nowhere."""
    follow(gradient, change, start, values)
    keep_rows(start, values, kept, places)


@compiled_comparing
def keep_rows(start: int, values: NDArray, kept: NDArray, places: NDArray) -> None:
    """Rows of values into their places, from a column on; those without one nowhere."""
    for r in range(len(values)):
        if places[r] >= 0:
            row, out = values[r], kept[places[r], start : start + values.shape[1]]
            for j in range(len(row)):
                out[j] = row[j]


@compiled_comparing
def _update_scattered(
    gradient: NDArray, K: NDArray, rows: NDArray, change: NDArray, columns: NDArray
) -> None:
    """The same for columns in any order."""
    for r in range(len(rows)):
        row, by = K[rows[r]], change[r]
        for j in range(len(gradient)):
            gradient[j] -= by * np.float64(row[columns[j]])


@compiled_comparing
def shift_gradient(gradient: NDArray, xi: float, change: NDArray) -> None:
    """Bring the gradient of all samples up to date with ξ, which is in every value."""
    shift = 0.0
    for k in range(len(change)):
        shift += xi * change[k]
    for k in range(len(gradient)):
        gradient[k] -= shift


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
    patience: int,
    may_be_whole: bool,
) -> tuple[int, int, float, bool, bool]:
    """Rounds on a matrix that is there: until converged, slow, or time for a look.

    `runs` holds (first, stop, column) of each stretch of neighbours in `samples`, and
    `sizes` those of a working set; its second row is for rounds in which more samples
    are free than the first takes. Where a round spends more on copying its submatrix
    and following with the gradient than steps on all samples would take, the next one
    is the whole problem, if it `may_be_whole`. Returns steps, rounds, the smallest
    curvature, whether it ran out of patience, and whether nothing moved any more.
    """
    steps, rounds, work, min_curvature, slow = 0, 0, 0, np.inf, False
    gradient, moved, spare = state[0], np.empty(0, np.int64), 0 if free_bias else 1
    columns = samples.astype(np.uint64)  # an unsigned index needs no check of its sign
    n, scattered = len(samples), len(runs) * 16 > len(samples)
    may_be_whole = may_be_whole and free_bias and not scattered
    done, q, around = 0, n, 0.0  # of the last round: its steps, size and other costs
    while steps < max_steps and rounds < max_rounds and work < _WORK and not slow:
        left = max_steps - steps
        if may_be_whole and _WHOLE * done * n < _PART * done * q + around:
            violation, done, curvature, slow, stalled = _solve_whole(
                K, columns, runs, state, tol, left, patience
            )
            if violation <= tol:
                break
            moved, work = moved[:0], work + done * (n + STEP)
        else:
            most = sizes[1] if _count_free(state) > sizes[0, FREE] else sizes[0]
            working_set, violation = select_working_set(
                state, free_bias, tol, most, moved
            )
            if violation <= tol:
                break
            at = columns[working_set]
            values = submatrix(K, at, at, spare)
            done, curvature, slow, moved, change = solve_subproblem(
                values, working_set, xi, state, free_bias, tol, left, patience
            )
            q, stalled = len(working_set), len(moved) == 0
            work += done * (q + STEP)
            around = _COPIED * q * q + _FOLLOWED * len(moved) * n
            rows = columns[moved]
            if scattered:
                _update_scattered(gradient, K, rows, change, columns)
            else:
                for r in range(len(runs)):
                    run = (runs[r, 0], runs[r, 1], runs[r, 2])
                    update_gradient(gradient, K, rows, change, run)
            shift_gradient(gradient, xi, change)
        steps, rounds = steps + done, rounds + 1
        min_curvature = min(min_curvature, curvature)
        if stalled:
            return steps, rounds, min_curvature, slow, True
    return steps, rounds, min_curvature, slow, False


@compiled_comparing
def _solve_whole(
    K: NDArray,
    samples: NDArray,
    runs: NDArray,
    state: NDArray,
    tol: float,
    max_steps: int,
    patience: int,
) -> tuple[float, int, float, bool, bool]:
    """Steps on all samples, on the matrix as it lies; after what violation.

    Their number, the smallest curvature, whether patience ran out, and whether nothing
    moved.
    """
    m, M = extreme_gradients(state, True)
    if m - M <= tol:
        return m - M, 0, np.inf, False, True
    before, most = state[1].copy(), _most_steps(len(samples), patience)
    done, curvature = run_smo(K, state, 0.8 * tol, min(max_steps, most), samples, runs)
    stalled = True
    for k in range(len(before)):
        stalled = stalled and before[k] == state[1, k]
    return m - M, done, curvature, done >= most, stalled
