r"""Prior-weighted logistic calibration of one score, or fusion of several.

With :math:`\ell(s) = w \cdot s + b` the log-likelihood ratio, it minimises

.. math::

    \frac{\pi}{n_T}\sum_{i \in T}\log\left(1 + e^{-\ell(s_i)-\tau}\right) +
    \frac{1-\pi}{n_N}\sum_{i \in N}\log\left(1 + e^{\ell(s_i)+\tau}\right) +
    \frac{\rho}{2}\|\tilde w\|^2, \qquad \tau = \log\frac{\pi}{1-\pi},

where :math:`\tilde w` are the weights of standardised scores. The tiny ridge
:math:`\rho` keeps the weights finite where a threshold separates the classes.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from mercer.calibration._newton import Point, minimise
from mercer.calibration._scaling import fit_scaling


def fit_logistic(
    scores: NDArray[np.float64],
    target: NDArray[np.bool_],
    prior: float,
    ridge: float,
) -> tuple[NDArray[np.float64], float, int]:
    """Return the weight of each column, the offset, and the number of steps."""
    n_target = np.count_nonzero(target)
    weights = np.where(
        target, prior / n_target, (1.0 - prior) / (len(target) - n_target)
    )
    scaling = fit_scaling(scores, weights)
    design = np.column_stack((scaling.apply(scores), np.ones(len(scores))))
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 0.0
    sign = np.where(target, 1.0, -1.0)
    shift = np.log(prior / (1.0 - prior))

    def objective(theta: Point) -> tuple[float, Point, NDArray[np.float64]]:
        margin = sign * (design @ theta + shift)
        wrong = expit(-margin)
        value = weights @ np.logaddexp(0.0, -margin) + penalty @ theta**2 / 2.0
        gradient = design.T @ (-weights * sign * wrong) + penalty * theta
        curvature = weights * wrong * (1.0 - wrong)
        hessian = (design.T * curvature) @ design + np.diag(penalty)
        # Deep in saturation the offset's curvature can vanish altogether.
        hessian[-1, -1] += np.finfo(float).eps * prior * (1.0 - prior)
        return float(value), gradient, hessian

    theta, n_iter = minimise(objective, np.zeros(design.shape[1]))
    coef = theta[:-1] / scaling.scale / scaling.peak
    intercept = float(theta[-1] - theta[:-1] @ (scaling.centre / scaling.scale))
    return coef, intercept, n_iter
