"""Checks of scores, priors and costs, which measures and calibration share.

Rows are counted from 0, as NumPy counts them.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.exceptions import DataError, ParameterError


def check_prior(prior: float) -> float:
    """Return `prior` as a float inside (0, 1)."""
    if not 0.0 < prior < 1.0:
        raise ParameterError(
            f"prior must lie strictly between 0 and 1, but it is {prior}; it is the "
            "probability of the positive class before the score is seen."
        )
    return float(prior)


def check_priors(priors: ArrayLike, n_classes: int, name: str) -> NDArray[np.float64]:
    """Return one prior for each class; together they sum to 1."""
    array = np.asarray(priors, dtype=np.float64)
    if array.shape != (n_classes,):
        raise ParameterError(
            f"{name} has the shape {array.shape}, but there are {n_classes} classes; "
            "give one probability per class, in the order of the sorted classes."
        )
    if not (np.all((array > 0.0) & (array < 1.0)) and np.isclose(array.sum(), 1.0)):
        raise ParameterError(
            f"{name} is {array.tolist()}; each class's prior must lie strictly between "
            "0 and 1 and together they must sum to 1."
        )
    return np.asarray(array / array.sum())


def check_cost_matrix(cost_matrix: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return costs, finite and not negative, with the truth in rows."""
    costs = np.asarray(cost_matrix, dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}, but there are {n_classes} "
            f"classes; it must be {n_classes} x {n_classes}, with the true class in "
            "rows and the decision in columns."
        )
    bad = ~(np.isfinite(costs) & (costs >= 0.0))
    if np.any(bad):
        row, column = np.argwhere(bad)[0]
        raise ParameterError(
            f"cost_matrix holds {costs[row, column]} in row {row}, column {column}; "
            "costs must be finite and not negative."
        )
    return costs


def check_finite(scores: NDArray[np.float64], name: str = "scores") -> None:
    """Raise if a score is NaN or infinite."""
    good = np.isfinite(scores)
    if good.all():
        return
    row = int(np.argwhere(~good)[0, 0])
    kind = "NaN" if np.isnan(scores[row]).any() else "an infinite value (inf)"
    raise DataError(
        f"{name} holds {kind} in row {row}; "
        "scores must be finite, so drop that row or clip it."
    )


def check_lengths(first: int, second: int, names: tuple[str, str]) -> None:
    """Raise unless both have the same number of rows."""
    if first != second:
        raise DataError(
            f"{names[0]} has {first} rows and {names[1]} has {second}; "
            "they must describe the same samples."
        )
