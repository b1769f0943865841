"""Newton's method with step halving, for small smooth convex problems."""

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

Point = NDArray[np.float64]
Objective = Callable[[Point], tuple[float, Point, NDArray[np.float64]]]


def minimise(
    objective: Objective, start: Point, tol: float = 1e-9, max_iter: int = 200
) -> tuple[Point, int]:
    """Return where no slope is steeper than `tol`, and the steps it took.

    `objective` returns value, gradient and Hessian. If the slope cannot be brought
    down to `tol`, that is said in a ConvergenceWarning: never silently.
    """
    point = start
    value, gradient, hessian = objective(point)
    n_iter = 0
    while np.abs(gradient).max() > tol and n_iter < max_iter:
        step = -np.linalg.solve(hessian, gradient)
        slope = float(gradient @ step)
        length = 1.0
        trial = objective(point + step)
        # The last steps change the value by less than its rounding error.
        while trial[0] > value + 1e-4 * length * slope + 1e-15 and length > 1e-10:
            length /= 2.0
            trial = objective(point + length * step)
        point = point + length * step
        value, gradient, hessian = trial
        n_iter += 1
    if np.abs(gradient).max() > tol:
        warnings.warn(
            f"Calibration stopped after {n_iter} steps with a slope of "
            f"{np.abs(gradient).max():.1e} where {tol:.0e} was asked for; "
            "a greater ridge makes the problem easier.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return point, n_iter
