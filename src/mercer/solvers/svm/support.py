"""How many of a few samples are support vectors: seen long before the optimum."""

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm._steps import STEP, run_smo
from mercer.solvers.svm._working_set import HUGE
from mercer.solvers.svm.problem import Bias, BinaryProblems, check_bias

_MOST = 16  # problems: more tell hardly more
_MOST_TOL, _LEAST_TOL = 0.2, 1e-3  # violations
_NEAR = 0.1  # of what the α of a class move its scores by
_PATIENCE = 20  # steps for each sample, and some more


def share_of_support(
    K: NDArray,
    number: NDArray[np.intp],
    problems: BinaryProblems,
    bias: Bias,
    xi: float,
) -> float:
    """Of those samples of some problems that have a row of K: ``number[sample]``.

    That of others is negative. Each problem is solved as a single working set, by steps
    that every fit compiles, whether it goes on with rows or with a matrix.
    """
    xi, spare = check_bias(bias, xi), 0 if bias == "free" else 1
    found = members = 0
    for p in range(0, len(problems), -(-len(problems) // _MOST)):
        problem = problems[p]
        rows = number[problem.rows]
        (own,) = (rows >= 0).nonzero()
        rows, n = rows[own], len(own)
        q = n + spare
        values = np.full((q, q), -xi, K.dtype)  # as `solve_subproblem` has them
        values[:n, :n] = K[np.ix_(rows, rows)]
        values.flags.writeable = False
        state = np.zeros((4, q))
        state[2, n:], state[3, n:] = -HUGE, HUGE
        signs, most = problem.signs[own], problem.signs[own] * problem.upper[own]
        state[0, :n] = signs
        np.minimum(most, 0.0, out=state[2, :n])
        np.maximum(most, 0.0, out=state[3, :n])
        everywhere = np.arange(q, dtype=np.uint64), np.array([[0, q, 0]])
        tol = _tolerated(signs, problem.upper[own], values.diagonal()[:n])
        left, steps = _PATIENCE * (q + STEP), 1
        while left > 0 and steps > 0:  # each until a tenth of the violation is left
            steps, _ = run_smo(values, *everywhere, state, tol, left)
            left -= steps
        found, members = found + int(np.count_nonzero(state[1, :n])), members + n
    return found / members if members else 0.0


def _tolerated(signs: NDArray, upper: NDArray, diagonal: NDArray) -> float:
    """A violation that most samples would not be within before their α moved.

    Those of the smaller class may add up to so little that each of the other class has
    a share which is smaller than any rough solution sees.
    """
    sides = (upper[signs > 0].sum(), upper[signs < 0].sum())
    share = float(min(sides) * diagonal.mean() / max(1, len(signs) // 2))
    return min(_MOST_TOL, max(_LEAST_TOL, _NEAR * share))
