"""Priors and costs of a calibrated classifier."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._decision_checks import check_cost_matrix, check_priors
from mercer.exceptions import ParameterError


def priors_or_frequencies(
    prior: float | ArrayLike | None, frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one prior per class; the frequencies unless given."""
    if prior is None:
        return frequencies
    priors = np.asarray(prior, dtype=np.float64)
    if priors.ndim == 0 and len(frequencies) == 2:
        priors = np.array([1.0 - priors, priors])
    return check_priors(priors, len(frequencies), "prior")


def costs_or_none(
    cost_matrix: ArrayLike | None, n_classes: int
) -> NDArray[np.float64] | None:
    """Return the costs, or None where every mistake costs the same."""
    if cost_matrix is None:
        return None
    costs = check_cost_matrix(cost_matrix, n_classes)
    right = np.diag(costs)[:, None]
    if np.any((costs <= right) & ~np.eye(n_classes, dtype=bool)):
        raise ParameterError(
            "cost_matrix makes a wrong decision as cheap as the right one; "
            "in each row the diagonal must be the smallest cost."
        )
    return costs
