"""How many of a few samples are support vectors: seen long before the optimum."""

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm._steps import STEP, run_smo
from mercer.solvers.svm._working_set import HUGE
from mercer.solvers.svm.problem import Bias, BinaryProblems, check_bias

_MOST = 16  # problems: more tell hardly more
_TOL = 0.08  # a violation
_PATIENCE = 20  # steps for each sample, and some more


def share_of_support(
    K: NDArray,
    number: NDArray[np.intp],
    problems: BinaryProblems,
    bias: Bias,
    xi: float,
) -> float:
    """Of those samples of some problems that have a row of K: ``number[sample]``.

    That of others is negative. Each problem is solved as a single working set.
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
        run_smo(values, *everywhere, state, _TOL, _PATIENCE * (q + STEP))
        found, members = found + int(np.count_nonzero(state[1, :n])), members + n
    return found / members if members else 0.0
