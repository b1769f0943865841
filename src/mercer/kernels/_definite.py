"""Whether a matrix of kernel values is positive semidefinite."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, spotrf

from mercer._numba import compiled, compiled_reordering
from mercer._threads import single_threaded_blas

_SEEN = 1e-6  # of the largest k(x, x), and √n: smaller eigenvalues are rounding
_SPARED, _TINY_32, _HUGE_32 = 0.9, 1e-30, 1e30  # of it and of values, in float32
_ALONE = 600  # samples up to which threads take longer to factorize than one of them
_WHOLE = 256  # samples up to which all of them are looked at
_FEW, _MANY = 128, 2000  # of more that are looked at: at least, and of members at most
_FEWEST_OTHERS = 64  # that need not be members
_STANDING_OUT = 16  # samples that are looked at for their values, and as many partners


def is_semidefinite(
    K: NDArray, sums_to_zero: bool = False, among: NDArray[np.intp] | None = None
) -> bool:
    """Whether vᵀKv ≥ 0 for all v (whose sum is zero), as far as rounding lets us see.

    Or for all v of some samples. Eigenvalues down to −10⁻⁶·√n of the largest k(x, x)
    are taken for rounding, which those of float32 are.

    >>> is_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]))
    False
    """
    among = np.arange(len(K)) if among is None else among
    means = _means(K, among) if sums_to_zero else np.zeros(len(among))
    means -= means.mean() / 2
    own = np.diagonal(K)[among]
    largest = float(np.abs(own - 2 * means).max(initial=0.0))
    rounding = _SEEN * float(np.sqrt(len(among))) * largest
    # float32 takes half of the time, and where it fails may have failed by itself
    held = _TINY_32 <= largest <= _HUGE_32
    if held and _has_root(K, among, means, np.float32, _SPARED * rounding):
        return True
    tiny = float(np.finfo(np.float64).tiny)
    return _has_root(K, among, means, np.float64, rounding + tiny)


def looks_semidefinite(
    K: NDArray,
    members: NDArray[np.integer],
    magnitudes: NDArray[np.float64],
    sums_to_zero: bool = False,
) -> bool:
    """Whether that holds for the samples that matter most, which takes less time.

    For a few samples it is the whole matrix; of many these members, those that have the
    largest values (`magnitudes`) beside their own k(x, x), with whom they have them,
    and some others.
    """
    n = len(K)
    if n <= _WHOLE:
        return is_semidefinite(K, sums_to_zero)
    chosen = np.concatenate([_spread(members, _MANY), _standing_out(K, magnitudes)])
    others = _spread(np.arange(n), max(_FEWEST_OTHERS, _FEW - len(chosen)))
    return is_semidefinite(K, sums_to_zero, np.unique(np.concatenate([chosen, others])))


def _standing_out(K: NDArray, magnitudes: NDArray[np.float64]) -> NDArray[np.intp]:
    """Samples that may have a value too large for a k(x, x), and its other sample."""
    beside = magnitudes - np.diagonal(K)
    those = np.argpartition(-beside, _STANDING_OUT)[:_STANDING_OUT]
    return np.concatenate([those, np.abs(K[those]).argmax(axis=1)])


def _spread(samples: NDArray[np.integer], most: int) -> NDArray[np.integer]:
    """These, or of too many every second, or third, and so on."""
    return samples[:: -(-len(samples) // most)] if len(samples) else samples


def _has_root(
    K: NDArray,
    among: NDArray[np.intp],
    means: NDArray[np.float64],
    dtype: type,
    added: float,
) -> bool:
    """Whether K without the means, with this added to its diagonal, can be factorized.

    By Cholesky's method.
    """
    A: NDArray = np.empty((len(among), len(among)), dtype)
    _centre_above(K, among, means, A)
    diagonal = A.reshape(-1)[:: len(A) + 1]
    diagonal += added
    factorize = spotrf if dtype is np.float32 else dpotrf
    with single_threaded_blas() if len(A) <= _ALONE else nullcontext():
        # the other way round, as LAPACK wants it: not copied, and one half is enough
        _, failed = factorize(A.T, lower=True, clean=False, overwrite_a=True)
    return not failed and bool(np.isfinite(diagonal).all())


@compiled_reordering
def _means(K: NDArray, among: NDArray) -> NDArray:
    """Of each column, among some samples."""
    found = np.zeros(len(among))
    for i in among:
        for j in range(len(among)):
            found[j] += K[i, among[j]]
    return found / len(among)


@compiled
def _centre_above(K: NDArray, among: NDArray, means: NDArray, out: NDArray) -> None:
    """K without the means of its rows and columns, on the diagonal and above it."""
    for i in range(len(out)):
        row, above, mean = K[among[i]], out[i], means[i]
        for j in range(i, len(out)):
            above[j] = row[among[j]] - (mean + means[j])
