"""Priors and costs of a calibrated classifier."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.exceptions import ParameterError


def check_priors(
    prior: float | ArrayLike | None, frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one prior per class; the frequencies unless given."""
    if prior is None:
        return frequencies
    priors = np.asarray(prior, dtype=np.float64)
    if priors.ndim == 0 and len(frequencies) == 2:
        priors = np.array([1.0 - priors, priors])
    if priors.shape != frequencies.shape:
        raise ParameterError(
            f"prior has the shape {priors.shape}, but there are {len(frequencies)} "
            "classes; give one probability per class, in the order of the labels."
        )
    if not (np.all((priors > 0.0) & (priors < 1.0)) and np.isclose(priors.sum(), 1.0)):
        raise ParameterError(
            f"prior is {prior}; each class's prior must lie strictly between 0 and 1 "
            "and together they must sum to 1."
        )
    return np.asarray(priors / priors.sum())


def check_costs(
    cost_matrix: ArrayLike | None, n_classes: int
) -> NDArray[np.float64] | None:
    """Return the costs, or None where every mistake costs the same."""
    if cost_matrix is None:
        return None
    costs = np.asarray(cost_matrix, dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}, but there are {n_classes} "
            f"classes; it must be {n_classes} x {n_classes}, with the true class in "
            "rows and the decision in columns."
        )
    if not (np.isfinite(costs).all() and (costs >= 0.0).all()):
        raise ParameterError(
            "cost_matrix holds a cost that is negative or not finite; "
            "costs are what a decision loses."
        )
    right = np.diag(costs)[:, None]
    if np.any((costs <= right) & ~np.eye(n_classes, dtype=bool)):
        raise ParameterError(
            "cost_matrix makes a wrong decision as cheap as the right one; "
            "in each row the diagonal must be the smallest cost."
        )
    return costs
