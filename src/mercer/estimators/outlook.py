"""How many kernel values a fit will ask for, foretold by a few of the samples.

Where most samples end as support vectors, as they do when γ is large, features are
many or labels are noise, nearly all rows are asked for: then the whole matrix takes
half of the products. Where few do, it takes many times as long as their rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix
from mercer.exceptions import DataError
from mercer.kernels import Gram, Kernel
from mercer.solvers.svm import (
    SMALL,
    Bias,
    BinaryProblems,
    Limits,
    solve_stacked,
)

_PART = 16  # of the samples, so that a look takes little of what a fit takes,
_LEAST, _MOST = 192, 1024  # but at least and at most so many
_TOL = 0.1  # a violation: who is a support vector is seen long before the optimum


def expected_values(
    kernel: Kernel,
    X: Matrix,
    order: NDArray[np.intp],
    problems: BinaryProblems,
    bias: Bias,
    xi: float,
) -> float:
    """About how many kernel values the rows of all support vectors hold.

    A few samples are solved, and half of them, too: the more samples, the smaller the
    share of support vectors, and by how much is seen by these two.
    """
    n, sizes = len(order), problems.sizes.astype(np.float64)
    count = int(min(max(n // _PART, _LEAST), _MOST, n, SMALL * n // sizes.max()))
    few = np.arange(count) * n // count  # by class, as the samples are
    try:
        gram = Gram.of_rows(kernel, X[order[few]], np.arange(count))
    except DataError:  # of what is too large: who takes all samples says which
        return 0.0
    known = gram, problems, few, n, bias, xi
    support, members = _count_support(*known, count)
    before, _ = _count_support(*known, count // 2)
    if not support:
        return 0.0
    growth = min(1.0, float(np.log2(support / max(before, 1))))
    share = support / members * (n / count) ** (growth - 1.0)
    return float(share * (sizes**2).sum())


def _count_support(
    gram: Gram,
    problems: BinaryProblems,
    few: NDArray[np.intp],
    n: int,
    bias: Bias,
    xi: float,
    count: int,
) -> tuple[int, int]:
    """Of so many of the few samples: support vectors of all problems, and members."""
    chosen = np.arange(count) * len(few) // count
    number = np.full(n, -1)
    number[few[chosen]] = chosen
    part = problems.renumbered(number)
    found, _ = solve_stacked(gram, part, None, bias, xi, Limits(tol=_TOL))
    return int(np.count_nonzero(found.v)), len(found.v)
