r"""Kernel expansions with fewer terms: points chosen, moved, and weighted anew.

Functions :math:`f_p = \sum_i \alpha_{ip} k(x_i, \cdot)` are replaced by
:math:`g_p = \sum_j \beta_{jp} k(z_j, \cdot)` over few points that all of them share.
Points are chosen among the :math:`x_i` by orthogonal matching pursuit in the kernel's
norm; β then minimises

.. math:: \sum_x w_{xp} (f_p(x) - g_p(x))^2 + \lambda \|f_p - g_p\|^2

over samples that the functions shall agree on. Points of Gaussian kernels and β are
then learned together by gradient steps.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq

from mercer._numba import compiled

#: What is left of k(x, x) once chosen points are projected out, below which a sample is
#: one of their combinations.
_NOTHING = 1e-6
#: By how much diagonals are raised until they outweigh rounding: points may repeat each
#: other, and sums of products in float32 err by 1e-7 of the largest.
_RAISED = 1e-9, 1e-7, 1e-5
_ADAM = 0.1, 0.01, 1e-20
_WEIGHT_PACE = 0.005  # of the mean weight, by which weights change at first


def choose_points(
    column: Callable[[int], NDArray],
    diagonal: NDArray,
    values: NDArray[np.float64],
    n_points: int,
) -> NDArray[np.intp]:
    """Choose points so that projections on them come near to the functions, greedily.

    Parameters
    ----------
    column : callable
        Kernel values between all samples and one of them.
    diagonal : array of shape (n_samples,)
        k(x, x).
    values : array of shape (n_samples, n_functions)
        The functions at the samples.
    n_points : int
        How many to choose; fewer are returned where these are enough.
    """
    n_samples, residuals = len(diagonal), values.copy()
    left = diagonal.astype(np.float64).copy()
    floor = _NOTHING * left
    basis = np.empty((min(n_points, n_samples), n_samples))
    chosen: list[int] = []
    for step in range(len(basis)):
        # by how much each sample would shorten what is missing, in the kernel's norm
        gains = np.einsum("ip,ip->i", residuals, residuals)
        gains = np.where(left > floor, gains / np.maximum(left, floor), -1.0)
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        chosen.append(best)
        direction = column(best) - basis[:step, best] @ basis[:step]
        direction /= np.sqrt(left[best])
        basis[step] = direction
        residuals -= direction[:, None] * (residuals[best] / np.sqrt(left[best]))
        left -= direction**2
        left[best] = 0.0
    return np.array(chosen, np.intp)


def solve_weights(
    normal: NDArray[np.float64],
    right: NDArray[np.float64],
    gram: NDArray[np.float64],
    values: NDArray[np.float64],
    ridge: float,
) -> NDArray[np.float64]:
    """Minimise the squared error on samples plus `ridge` times that of the kernel.

    Parameters
    ----------
    normal, right : arrays of shape (n_points, n_points), (n_points, n_functions)
        The normal equations over the samples.
    gram, values : arrays of the same shapes
        Kernel values between the points, and the functions at the points: the normal
        equations of the kernel's norm.
    ridge : float
        λ.
    """
    right, diagonal = right + ridge * values, np.diag_indices_from(normal)
    for more in _RAISED:
        matrix = normal + ridge * gram
        matrix[diagonal] *= 1 + more
        with contextlib.suppress(LinAlgError):
            factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
            return np.asarray(cho_solve(factor, right, check_finite=False))
    return np.asarray(lstsq(matrix, right, check_finite=False)[0])


def learn_points(
    points: NDArray,
    weights: NDArray,
    gamma: float,
    batches: Iterable[tuple[NDArray, NDArray, NDArray]],
    *,
    pace: float,
    n_batches: int,
) -> tuple[NDArray, NDArray]:
    """Move the points of a Gaussian expansion and weigh them, to come near to targets.

    Adam on the squared error, one step for each batch of samples, targets and weights
    of these; the pace falls as a cosine to zero after `n_batches`.
    """
    points, weights = points.copy(), weights.astype(points.dtype)
    of_weights = _WEIGHT_PACE * float(np.abs(weights).mean())
    moments = [np.zeros((2, *array.shape), array.dtype) for array in (points, weights)]
    for step, (samples, targets, counts) in enumerate(batches, 1):
        values = _gaussian(samples, points, gamma)
        errors = counts * (values @ weights - targets)
        errors /= len(samples)
        pulls = (errors @ weights.T) * values
        moved = pulls.T @ samples - pulls.sum(axis=0)[:, None] * points
        rate = 0.5 * (1 + np.cos(np.pi * min(1.0, step / n_batches)))
        _step(weights, values.T @ errors, moments[1], rate * of_weights, step)
        _step(points, moved, moments[0], rate * pace, step)
    return points, weights


def _gaussian(samples: NDArray, points: NDArray, gamma: float) -> NDArray:
    values = samples @ points.T
    values *= 2
    values -= (samples**2).sum(axis=1)[:, None]
    values -= (points**2).sum(axis=1)
    values *= gamma
    return np.exp(np.minimum(values, 0, out=values), out=values)


def _step(
    array: NDArray, gradient: NDArray, moments: NDArray, rate: float, step: int
) -> None:
    gain, gain_square, tiny = _ADAM
    rate *= np.sqrt(1 - (1 - gain_square) ** step) / (1 - (1 - gain) ** step)
    numbers = (array.dtype.type(number) for number in (rate, gain, gain_square, tiny))
    _adam(array, gradient, *moments, *numbers)


@compiled
def _adam(
    array: NDArray,
    gradient: NDArray,
    means: NDArray,
    squares: NDArray,
    rate: float,
    gain: float,
    gain_square: float,
    tiny: float,
) -> None:
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            slope = gradient[i, j]
            means[i, j] += gain * (slope - means[i, j])
            squares[i, j] += gain_square * (slope * slope - squares[i, j])
            array[i, j] -= rate * means[i, j] / (np.sqrt(squares[i, j]) + tiny)
