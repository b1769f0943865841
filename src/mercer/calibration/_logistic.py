r"""Prior-weighted logistic calibration: one score, several to fuse, or many classes.

For two classes, with :math:`\ell(s) = w \cdot s + b` the log-likelihood ratio, it
minimises

.. math::

    \frac{\pi}{n_T}\sum_{i \in T}\log\left(1 + e^{-\ell(s_i)-\tau}\right) +
    \frac{1-\pi}{n_N}\sum_{i \in N}\log\left(1 + e^{\ell(s_i)+\tau}\right) +
    \frac{\rho}{2}\|\tilde w\|^2, \qquad \tau = \log\frac{\pi}{1-\pi},

where :math:`\tilde w` are the weights of standardised scores. The tiny ridge
:math:`\rho` keeps the weights finite where a threshold separates the classes.

For more, the log-likelihood of class `k`, up to a constant per sample, is taken to be

.. math:: \ell_k(s) = a\,s_k + b_k,

so that :math:`1/a` is a temperature and the :math:`b_k` move the classes against each
other. It minimises :math:`-\sum_i \frac{\pi_{y_i}}{n_{y_i}} \log P(y_i \mid s_i)`,
with :math:`P(k \mid s) \propto \pi_k e^{\ell_k(s)}`, plus a tiny ridge on the slope
of standardised scores; the offsets sum to zero.
"""

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax
from sklearn.exceptions import ConvergenceWarning

Array = NDArray[np.float64]
#: value, gradient and Hessian
Objective = Callable[[Array], tuple[float, Array, Array]]


def fit_logistic(
    scores: Array,
    target: NDArray[np.bool_],
    prior: float,
    ridge: float,
    sample_weight: Array,
) -> tuple[Array, float, int]:
    """Return the weight of each column, the offset, and the number of steps."""
    weights = sample_weight * np.where(
        target,
        prior / sample_weight[target].sum(),
        (1.0 - prior) / sample_weight[~target].sum(),
    )
    z, peak, centre, scale = _standardise(scores, weights)
    design = np.column_stack((z, np.ones(len(scores))))
    penalty = np.full(design.shape[1], float(ridge))
    penalty[-1] = 0.0
    sign = np.where(target, 1.0, -1.0)
    shift = np.log(prior / (1.0 - prior))

    def objective(theta: Array) -> tuple[float, Array, Array]:
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
    intercept = float(theta[-1] - theta[:-1] @ (centre / scale))
    return theta[:-1] / scale / peak, intercept, n_iter


def fit_multinomial(
    scores: Array,
    y_encoded: NDArray[np.intp],
    priors: Array,
    ridge: float,
    sample_weight: Array,
) -> tuple[float, Array, int]:
    """Return slope, offsets and number of steps."""
    n_samples, n_classes = scores.shape
    sizes = np.bincount(y_encoded, sample_weight, minlength=n_classes)
    weights = sample_weight * (priors / sizes)[y_encoded]
    flat, peak, _, scale = _standardise(
        scores.reshape(-1, 1), np.repeat(weights / n_classes, n_classes)
    )
    z = flat.reshape(scores.shape)
    log_priors = np.log(priors)
    hot = np.zeros(scores.shape)
    true = np.arange(n_samples), y_encoded
    hot[true] = 1.0

    def objective(theta: Array) -> tuple[float, Array, Array]:
        slope, offsets = theta[0], theta[1:]
        log_p = log_softmax(slope * z + offsets + log_priors, axis=1)
        p = np.exp(log_p)
        total = offsets.sum()
        value = -weights @ log_p[true]
        value += (ridge * slope**2 + total**2) / 2.0
        residual = weights[:, None] * (p - hot)
        gradient = np.append((residual * z).sum() + ridge * slope, residual.sum(axis=0))
        gradient[1:] += total
        return float(value), gradient, _multinomial_hessian(weights, p, z, ridge)

    theta, n_iter = minimise(objective, np.zeros(n_classes + 1))
    slope = float(theta[0] / scale[0] / peak[0])
    return slope, theta[1:] - theta[1:].mean(), n_iter


def _multinomial_hessian(weights: Array, p: Array, z: Array, ridge: float) -> Array:
    weighted = weights[:, None] * p
    centred = z - (p * z).sum(axis=1)[:, None]
    hessian = np.empty((p.shape[1] + 1, p.shape[1] + 1))
    hessian[0, 0] = (weighted * centred**2).sum() + ridge
    hessian[0, 1:] = hessian[1:, 0] = (weighted * centred).sum(axis=0)
    hessian[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ p + 1.0
    # Deep in saturation an offset's curvature can vanish altogether.
    hessian[1:, 1:] += np.finfo(float).eps * np.eye(p.shape[1])
    return hessian


def _standardise(scores: Array, weights: Array) -> tuple[Array, Array, Array, Array]:
    """Return z = (scores / peak - centre) / scale by column, and peak, centre, scale.

    z has mean 0 and standard deviation 1; constant columns keep their scale.
    """
    # Dividing by the greatest size first keeps squares from overflowing.
    peak = np.abs(scores).max(axis=0)
    peak = np.where(peak > np.finfo(float).tiny, peak, 1.0)
    small = scores / peak
    constant = small.max(axis=0) == small.min(axis=0)
    centre = weights @ small
    deviation = np.sqrt(weights @ (small - centre) ** 2)
    scale = np.where(constant, 1.0, np.maximum(deviation, 1e-15))
    return (small - centre) / scale, peak, centre, scale


# scipy.optimize's trust-region methods stop short of `tol` in saturation, and are
# more than twice as slow: their steps end where the value no longer changes.
def minimise(
    objective: Objective, start: Array, tol: float = 1e-9, max_iter: int = 200
) -> tuple[Array, int]:
    """Newton's method with step halving, for small smooth convex problems.

    Return where no slope is steeper than `tol`, and the steps it took. If the slope
    cannot be brought down to `tol`, a ConvergenceWarning says so: never silently.
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
