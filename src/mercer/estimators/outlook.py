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
from mercer.solvers.svm import Bias, BinaryProblems, share_of_support

_PART = 16  # of the samples, so that a look takes little of what a fit takes,
_LEAST, _MOST = 192, 512  # but at least and at most so many
_FAR = 0.75  # of what is asked: where a first look finds less, there is no second


def asks_for(
    values: float,
    kernel: Kernel,
    X: Matrix,
    order: NDArray[np.intp],
    problems: BinaryProblems,
    bias: Bias,
    xi: float,
) -> bool:
    """Whether the rows of all support vectors may hold so many kernel values.

    More samples are looked at only where the fewest cannot tell.
    """
    known = kernel, X, order, problems, bias, xi
    found = expected_values(min(_LEAST, len(order)), *known, _FAR * values)
    count = min(len(order) // _PART, _MOST)
    if found >= _FAR * values and count > _LEAST:
        found = expected_values(count, *known, values)
    return found >= values


def expected_values(
    count: int,
    kernel: Kernel,
    X: Matrix,
    order: NDArray[np.intp],
    problems: BinaryProblems,
    bias: Bias,
    xi: float,
    least: float = 0.0,
) -> float:
    """About how many these are, as so many of the samples tell.

    They are solved, and half of them, too: the more samples, the smaller the share of
    support vectors, and by how much is seen by these two. Where the first tell of fewer
    than the least that matters, so do both.
    """
    n, sizes = len(order), problems.sizes.astype(np.float64)
    few = np.arange(count) * n // count  # by class, as the samples are
    try:
        known = kernel, X[order[few]], np.arange(count)
        K = Gram.of_rows(*known, are_floats=True).matrix
    except DataError:  # of what is too large: who takes all samples says which
        return 0.0
    if is_sparse(X):  # of which a matrix is solved in the type of the samples
        K = K.astype(X.dtype, copy=False)
    number = np.full(n, -1)
    number[few] = np.arange(count)
    share = share_of_support(K, number, problems, bias, xi)
    all_values = float((sizes**2).sum())
    if share * all_values < least:
        return share * all_values
    number[few[1::2]] = -1
    of_half = share_of_support(K, number, problems, bias, xi)
    falls = min(1.0, share / of_half) if of_half else 1.0
    share *= falls ** np.log2(n / count)  # by as much as often as they are doubled
    return share * all_values
