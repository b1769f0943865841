"""Where the solver of an SVM has its kernel values from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import fits_in_memory
from mercer._validation import Matrix, is_sparse
from mercer.estimators.outlook import asks_for
from mercer.kernels import (
    Gram,
    GramPart,
    Kernel,
    is_probably_whole,
    may_fill_rows,
    row_magnitudes,
)
from mercer.solvers.svm import Bias, BinaryProblems

_FEW = 512  # samples whose kernel values in float64 take less than to judge float32
_NOT_MANY, _NARROW = 1024, 128  # samples and features, of which some rows take less
_TAME, _LARGE = 1e4, 1e30  # values of samples and kernels that float32 holds easily
_AT_ONCE = 2**20  # values of samples that threads are not worth
# kernel values that take as long as a problem's asking for rows, by itself or together
_ASKING, _ASKING_TOGETHER = 250_000, 100_000
_WIDE = 128  # features, from which on a row takes longer than to use it
# features, from which on it pays to know whether most rows are asked for; of so few
# samples a matrix takes no longer than to know
_DEAR = 64
_CACHE = 2**24  # bytes of a matrix, from which on a solver waits for memory
_MOST_ROWS = 0.45  # of all: then the matrix, which takes a half of the products
_SPARSE, _MOST_SPARSE = 24, 8192  # times as much, and of samples up to so many


def kernel_source(
    kernel: Kernel,
    X: Matrix,
    order: NDArray[np.intp],
    problems: BinaryProblems,
    *,
    one_vs_rest: bool,
    budget: Any,
    bias: Bias = "free",
    xi: float = 0.0,
    in_a_hurry: bool = False,
) -> Gram | GramPart:
    """Kernel values of the ordered samples, for these binary problems.

    Who is in a hurry has no large matrix computed before the first step.
    """
    n, all_rows = len(order), False
    shared = _share_a_gram(kernel, X, problems.sizes, one_vs_rest)
    if not (shared or in_a_hurry) and _may_ask_for_all(kernel, X, budget):
        known = kernel, X, order, problems, bias, xi
        shared = all_rows = asks_for(_MOST_ROWS * n * n, *known)
    if shared:
        gram = None
        if X.dtype == np.float64:
            gram = Gram.of_rows(kernel, X, order, budget)
        elif _needs_float64(X, n, budget, all_rows) and _is_tame(X):
            rounded = 8 * n**2 > _CACHE and is_sparse(X)
            if rounded and kernel.is_semidefinite:  # then all values are tame
                gram = Gram.rounded_of_rows(kernel, X, order, budget)
            else:  # that more than a few are whole numbers saves nothing in float64
                gram = Gram.of_rows(kernel, X, order, budget, n > _FEW)
            if not np.abs(gram.diagonal).max() <= _LARGE:
                gram = None
        if gram is None:
            gram = Gram(kernel, X, budget, order)  # complains about what overflows
        if gram.in_memory:
            return gram
    if n <= _NOT_MANY and X.shape[1] <= _NARROW and _is_tame(X):
        return GramPart.prepare(kernel, X.astype(np.float64), order)
    return GramPart.prepare(kernel, X, order)


def _share_a_gram(
    kernel: Kernel, X: Matrix, sizes: NDArray[np.intp], one_vs_rest: bool
) -> bool:
    """Whether the whole matrix takes less time than the rows that are asked for.

    Few rows are ever needed, and a pair needs only its own columns. Problems of one
    class against all others need the same rows, so they share the whole matrix; and so
    do problems that are so small that they would spend more on asking for rows. Sparse
    and wide samples share it longer: their rows are dear, and of a whole matrix only
    one half is computed. Of dense samples with more features than there are samples
    most are support vectors, whose rows would be computed anyway.
    """
    (n, d), n_problems = X.shape, len(sizes)
    if one_vs_rest and n * n <= (sizes**2).sum():
        return True
    if d >= max(n, _WIDE) and not is_sparse(X):
        return True
    if n * n <= _ASKING_TOGETHER * n_problems:
        return True
    if n <= _NOT_MANY and d >= _DEAR:
        return True
    if may_fill_rows(kernel, X):  # then problems ask together
        return False
    asking = _ASKING * (_SPARSE if is_sparse(X) and n <= _MOST_SPARSE else 1)
    return n * n <= asking * n_problems


def _may_ask_for_all(kernel: Kernel, X: Matrix, budget: Any) -> bool:
    """Whether a look at a few samples may spare more time than it takes.

    Rows of few features are computed in no time. Where the kernel is indefinite, the
    way decides where a solver ends: it should not depend on what is foretold.
    """
    n, d = X.shape
    if n <= _FEW or not kernel.is_semidefinite or not kernel.bases:
        return False
    dear = d >= _DEAR or is_sparse(X)
    return dear and fits_in_memory(n * n * X.dtype.itemsize, budget)


def _needs_float64(X: Matrix, n: int, budget: Any, all_rows: bool = False) -> bool:
    """Whether values in float64 take less time than to find float32 too coarse.

    That is seen at once of few samples, and of some more where values are looked up
    rather than multiplied. Many features round so much that a certificate takes all
    values once more, unless they are whole numbers. And where all rows are needed, it
    takes all of them anyway.
    """
    d = X.shape[1]
    if n <= _FEW:
        return True
    if not fits_in_memory(8 * n * n, budget):
        return False
    if is_sparse(X):
        return n <= _MOST_SPARSE
    if all_rows or (n <= _NOT_MANY and d >= _DEAR):
        return True
    return d >= max(n, _WIDE) and not is_probably_whole(X)


def _is_tame(X: Matrix) -> bool:
    """Whether no value is so large that float32 might not hold what comes of it."""
    values = X.data[None] if is_sparse(X) else X
    if values.size <= _AT_ONCE:
        return bool(max(values.max(initial=0), -values.min(initial=0)) <= _TAME)
    return bool((row_magnitudes(values) <= _TAME).all())
