"""How many kernel values a fit will ask for, foretold by a few of the samples.

Where most samples end as support vectors, as they do when γ is large, features are
many or labels are noise, nearly all rows are asked for: then the whole matrix takes
half of the products. Where few do, it takes many times as long as their rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix, is_sparse
from mercer.exceptions import DataError
from mercer.kernels import Gram, Kernel
from mercer.solvers.svm import Bias, BinaryProblems, count_support_vectors

_PART = 16  # of the samples, so that a look takes little of what a fit takes,
_LEAST, _MOST = 192, 1024  # but at least and at most so many,
_OF_A_PROBLEM = 512  # and of each problem


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
    most = int(min(_MOST, n, _OF_A_PROBLEM * n // sizes.max()))
    count = min(max(n // _PART, _LEAST), most)
    few = np.arange(count) * n // count  # by class, as the samples are
    try:
        K = Gram.of_rows(kernel, X[order[few]], np.arange(count)).matrix
    except DataError:  # of what is too large: who takes all samples says which
        return 0.0
    if is_sparse(X):  # of which a matrix is solved in the type of the samples
        K = K.astype(X.dtype, copy=False)
    number = np.full(n, -1)
    number[few] = np.arange(count)
    all_of_them = problems.renumbered(number)
    number[few[1::2]] = -1
    half = problems.renumbered(number)
    support, before = (
        count_support_vectors(K, part, bias, xi) for part in (all_of_them, half)
    )
    if not support:
        return 0.0
    growth = min(1.0, float(np.log2(support / max(before, 1))))
    share = support / all_of_them.sizes.sum() * (n / count) ** (growth - 1.0)
    return float(share * (sizes**2).sum())
