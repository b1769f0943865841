"""Winnow, perceptron and least squares: a training set in, weights out.

All three predict +1 where w·x > 0, with the threshold in the last weight.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer.solvers.winnow import walk_winnow

#: Scores this close to zero are ties but for rounding; a tie is predicted -1.
_TIE = 1e-5
_RIDGE = 1e-9
_FIRST, _HOPELESS = 1000, 0.15


def perceptron(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """One walk through the samples; an update where the prediction is wrong."""
    weights = np.zeros(X.shape[1])
    _walk_perceptron(X, weights)
    return np.append(weights, 0.0)


def winnow(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """One walk; features are 1 for 1 and 0 for -1, weights double or halve.

    Predicts +1 where w·(x+1)/2 ≥ n, rewritten for features of ±1.
    """
    n = X.shape[1]
    weights = np.ones(n)
    walk_winnow(
        (X.astype(np.float64) + 1) / 2,
        X[:, 0].astype(np.float64),
        np.arange(len(X)),
        weights,
        np.zeros(n),
        float(n),
        2.0,
        False,
    )
    # at the threshold itself the prediction is +1: half of the tie's width beyond it
    return np.append(weights / 2, weights.sum() / 2 - n + 2 * _TIE)


def least_squares(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """The shortest of the weights with the smallest squared error."""
    Z = X.astype(np.float64)
    y = Z[:, 0]
    # a ridge that vanishes against n stands for the pseudo-inverse, and is faster
    if len(Z) <= Z.shape[1]:
        weights = Z.T @ np.linalg.solve(Z @ Z.T + _RIDGE * np.eye(len(Z)), y)
    else:
        weights = np.linalg.solve(Z.T @ Z + _RIDGE * np.eye(Z.shape[1]), Z.T @ y)
    return np.append(weights, 0.0)


LINEAR: dict[str, Callable[[NDArray[np.float32]], NDArray[np.float64]]] = {
    "winnow": winnow,
    "perceptron": perceptron,
    "least squares": least_squares,
}


def errors(
    weights: list[NDArray[np.float64]], points: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The share of the points that each of some weights gets wrong."""
    W = np.asarray(weights, np.float32)
    positive = points @ W[:, :-1].T + W[:, -1] > np.float32(_TIE)
    return (positive != (points[:, :1] > 0)).mean(axis=0)


def errors_if_small(
    weights: list[NDArray[np.float64]], points: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The same, but weights that are far from good enough are not tested to the end.

    Of an error of 10 % more than 15 % show in the first 1000 points once in ten million
    times.
    """
    found = errors(weights, points[:_FIRST])
    near = np.flatnonzero(found <= _HOPELESS)
    if len(near) and len(points) > _FIRST:
        found[near] = errors([weights[i] for i in near], points)
    return found


@compiled
def _walk_perceptron(X: Any, weights: Any) -> None:
    for i in range(X.shape[0]):
        score = 0.0
        for j in range(X.shape[1]):
            score += weights[j] * X[i, j]
        if (score > 0.0) != (X[i, 0] > 0.0):
            for j in range(X.shape[1]):
                weights[j] += X[i, 0] * X[i, j]
