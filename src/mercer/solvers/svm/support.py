"""How many of a few samples are support vectors: seen long before the optimum."""

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm._steps import solve_subproblem
from mercer.solvers.svm.problem import Bias, BinaryProblems, check_bias

_MOST = 16  # problems: more tell hardly more
_TOL = 0.1  # a violation
_PATIENCE = 20.0  # steps for each sample
_NO_LIMIT = 2**62  # steps


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
    xi, free_bias = check_bias(bias, xi), bias == "free"
    found = members = 0
    for p in range(0, len(problems), -(-len(problems) // _MOST)):
        problem = problems[p]
        rows = number[problem.rows]
        (own,) = (rows >= 0).nonzero()
        rows, n = rows[own], len(own)
        values = np.empty((n, n) if free_bias else (n + 1, n + 1), K.dtype)
        values[:n, :n] = K[np.ix_(rows, rows)]
        signs, most = problem.signs[own], problem.signs[own] * problem.upper[own]
        bounds = np.minimum(most, 0.0), np.maximum(most, 0.0)
        state = np.array([signs, np.zeros(n), *bounds])
        how = xi, state, free_bias, _TOL, _NO_LIMIT, _PATIENCE
        solve_subproblem(values, np.arange(n), *how)
        found, members = found + int(np.count_nonzero(state[1])), members + n
    return found / members if members else 0.0
