r"""Kernel expansions with fewer terms: points chosen, moved, and weighted anew.

Functions :math:`f_p = \sum_i \alpha_{ip} k(x_i, \cdot)` are replaced by
:math:`g_p = \sum_j \beta_{jp} k(z_j, \cdot)` over few points that all of them share.
Points are chosen among the :math:`x_i` by orthogonal matching pursuit in the kernel's
norm; β then minimises

.. math:: \sum_x w_{xp} (f_p(x) - g_p(x))^2 + \lambda \|f_p - g_p\|^2

over samples that the functions shall agree on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

#: What is left of k(x, x) once chosen points are projected out, below which a sample is
#: one of their combinations.
_NOTHING = 1e-6
_ADAM = 0.9, 0.99, 1e-8


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
    matrix = normal + ridge * gram
    matrix[np.diag_indices_from(matrix)] *= 1 + 1e-9  # points may repeat each other
    factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
    return np.asarray(cho_solve(factor, right + ridge * values, check_finite=False))


def move_points(
    points: NDArray,
    weights: NDArray,
    gamma: float,
    batches: Iterable[tuple[NDArray, NDArray, NDArray]],
    pace: float,
    n_batches: int,
) -> NDArray:
    """Move the points of a Gaussian expansion so that it comes nearer to targets.

    Adam on the squared error, one step for each batch of samples, targets and weights
    of these; the pace falls as a cosine to zero after `n_batches`.
    """
    points, (keep, keep_square, tiny) = points.copy(), _ADAM
    mean, square = np.zeros_like(points), np.zeros_like(points)
    weights = weights.astype(points.dtype)
    for step, (samples, targets, counts) in enumerate(batches, 1):
        gradient = _gradient(points, weights, gamma, samples, targets, counts)
        mean += (1 - keep) * (gradient - mean)
        square += (1 - keep_square) * (gradient**2 - square)
        rate = pace * 0.5 * (1 + np.cos(np.pi * min(1.0, step / n_batches)))
        scale = np.sqrt(square / (1 - keep_square**step)) + tiny
        points -= (rate / (1 - keep**step)) * mean / scale
    return points


def _gradient(
    points: NDArray,
    weights: NDArray,
    gamma: float,
    samples: NDArray,
    targets: NDArray,
    counts: NDArray,
) -> NDArray:
    squares = (samples**2).sum(axis=1)[:, None] + (points**2).sum(axis=1)
    squares -= 2 * samples @ points.T
    values = np.exp(-gamma * np.maximum(squares, 0))
    errors = counts * (values @ weights - targets)
    pulls = (errors @ weights.T) * values
    moved = pulls.T @ samples - pulls.sum(axis=0)[:, None] * points
    return np.asarray(2 * gamma / len(samples) * moved)
