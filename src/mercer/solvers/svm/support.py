"""How many support vectors a few samples have: seen long before the optimum."""

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.svm._steps import solve_subproblem
from mercer.solvers.svm.problem import Bias, BinaryProblems, check_bias

_TOL = 0.1  # a violation
_PATIENCE = 20.0  # steps for each sample
_NO_LIMIT = 2**62  # steps


def count_support_vectors(
    K: NDArray, problems: BinaryProblems, bias: Bias, xi: float
) -> int:
    """Of all problems, each solved roughly as a single working set of this matrix."""
    xi, free_bias, found = check_bias(bias, xi), bias == "free", 0
    for problem in problems:
        n = len(problem)
        values = np.empty((n, n) if free_bias else (n + 1, n + 1), K.dtype)
        values[:n, :n] = K[np.ix_(problem.rows, problem.rows)]
        most = problem.signs * problem.upper
        bounds = np.minimum(most, 0.0), np.maximum(most, 0.0)
        state = np.array([problem.signs, np.zeros(n), *bounds])
        how = xi, state, free_bias, _TOL, _NO_LIMIT, _PATIENCE
        solve_subproblem(values, np.arange(n), *how)
        found += int(np.count_nonzero(state[1]))
    return found
