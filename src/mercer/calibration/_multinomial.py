r"""Prior-weighted multinomial calibration: one slope for all, an offset per class.

The log-likelihood of class `k`, up to a constant per sample, is taken to be

.. math:: \ell_k(s) = a\,s_k + b_k,

so that :math:`1/a` is a temperature and the :math:`b_k` move the classes against each
other. It minimises :math:`-\sum_i \frac{\pi_{y_i}}{n_{y_i}} \log P(y_i \mid s_i)`,
with :math:`P(k \mid s) \propto \pi_k e^{\ell_k(s)}`, plus a tiny ridge on the slope
of standardised scores; the offsets sum to zero.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from mercer.calibration._newton import Point, minimise
from mercer.calibration._scaling import fit_scaling


def fit_multinomial(
    scores: NDArray[np.float64],
    codes: NDArray[np.intp],
    priors: NDArray[np.float64],
    ridge: float,
) -> tuple[float, NDArray[np.float64], int]:
    """Return slope, offsets and number of steps."""
    n_samples, n_classes = scores.shape
    weights = (priors / np.bincount(codes, minlength=n_classes))[codes]
    scaling = fit_scaling(
        scores.reshape(-1, 1), np.repeat(weights / n_classes, n_classes)
    )
    z = scaling.apply(scores)
    rows, log_priors = np.arange(n_samples), np.log(priors)
    hot = np.zeros_like(z)
    hot[rows, codes] = 1.0

    def objective(theta: Point) -> tuple[float, Point, NDArray[np.float64]]:
        slope, offsets = theta[0], theta[1:]
        log_p = log_softmax(slope * z + offsets + log_priors, axis=1)
        p = np.exp(log_p)
        total = offsets.sum()
        value = -weights @ log_p[rows, codes]
        value += (ridge * slope**2 + total**2) / 2.0
        residual = weights[:, None] * (p - hot)
        gradient = np.append((residual * z).sum() + ridge * slope, residual.sum(axis=0))
        gradient[1:] += total
        return float(value), gradient, _hessian(weights, p, z, ridge)

    theta, n_iter = minimise(objective, np.zeros(n_classes + 1))
    slope = float(theta[0] / scaling.scale[0] / scaling.peak[0])
    return slope, theta[1:] - theta[1:].mean(), n_iter


def _hessian(
    weights: NDArray[np.float64],
    p: NDArray[np.float64],
    z: NDArray[np.float64],
    ridge: float,
) -> NDArray[np.float64]:
    weighted = weights[:, None] * p
    mean = (p * z).sum(axis=1)
    cross = (weighted * (z - mean[:, None])).sum(axis=0)
    hessian = np.empty((p.shape[1] + 1, p.shape[1] + 1))
    hessian[0, 0] = (weighted * (z - mean[:, None]) ** 2).sum() + ridge
    hessian[0, 1:] = hessian[1:, 0] = cross
    hessian[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ p + 1.0
    # Deep in saturation an offset's curvature can vanish altogether.
    hessian[1:, 1:] += np.finfo(float).eps * np.eye(p.shape[1])
    return hessian
