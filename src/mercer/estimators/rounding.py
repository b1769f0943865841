"""What errors of scores do to certificates, and when that matters.

Scores are off by the rounding of kernel values, which `Bound` bounds, and by that of
their own sums in float64.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer.kernels import Bound
from mercer.solvers.svm import Certificate

UNIT = 2.0**-53  # unit roundoff of float64, in which scores are summed
NEGLIGIBLE = 1e-3  # of the primal, of all problems together
MATTERS = 0.1  # of the gap: more rounding than that is looked at closer,
_CHEAP = 20_000  # if so many kernel values are enough, where each problem
_ASKING = 2000  # takes as long as so many,
_MOST = 0.1  # of the primal of a single problem
_WORSE = 2.0  # times the tolerance and the gap: then kernel values were too coarse


def errors_of_updates(
    bound: Bound, xi: float, alpha_sum: float, upper_sum: float, steps: int
) -> NDArray[np.float64]:
    """How far scores can be off that a solver kept up to date, step by step."""
    with np.errstate(invalid="ignore"):
        largest = 1 + (bound.size + xi) * upper_sum
        return bound.error * alpha_sum + UNIT * (steps + 1) * largest


def rounding_of(
    upper: NDArray[np.float64],
    alpha: NDArray[np.float64],
    slack: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> float:
    """How far errors of the scores can move either objective, or their difference.

    Of samples that are parts of a problem the sums bound what they do together.
    """
    losing = ~(slack + errors < 0)
    with np.errstate(invalid="ignore"):
        losses = upper[losing] @ errors[losing]
        norm = alpha @ errors / 2
        # where there is a loss, the gap moves by C − α or α: less than the loss does
        difference = alpha[~losing] @ errors[~losing]
        return float(np.nan_to_num(losses + max(norm, difference), nan=np.inf))


def doubtful(
    rounding: NDArray[np.float64],
    gaps: NDArray[np.float64],
    primals: NDArray[np.float64],
    sizes: NDArray[np.integer],
) -> NDArray[np.intp]:
    """Problems to look at in float64, so that rounding hardly matters beside the gap.

    Where that takes many kernel values (`sizes`), rounding may be as large as the gap.
    """
    gap = float(gaps.sum())
    all_of_them = _beyond(MATTERS * gap, rounding, primals)
    if (sizes[all_of_them] + _ASKING).sum() <= _CHEAP:
        return all_of_them
    return beyond_gap(gap, rounding, primals)


def beyond_gap(
    gap: float, rounding: NDArray[np.float64], primals: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Problems whose rounding may matter: all others together are within the gap."""
    return _beyond(max(gap, NEGLIGIBLE * primals.sum()), rounding, primals)


def _beyond(
    limit: float, rounding: NDArray[np.float64], primals: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Those that are off by most, until all others together are within the limit."""
    order = np.argsort(rounding)  # NaN and infinity come last
    within = np.cumsum(rounding[order]) <= limit
    return order[~(within & (rounding[order] <= _MOST * primals[order]))]


def are_lost(violation: Any, gap: Any, stated: Any, tol: float) -> Any:
    """Whether kernel values were too coarse: both are clearly worse than was stated."""
    return (violation > _WORSE * tol) & (gap > _WORSE * stated)


def certify_again(
    stated: Certificate,
    primal: float,
    dual: float,
    violation: float,
    rounding: float,
    tol: float,
) -> Certificate:
    """The certificate from scores in float64, where a solver has stated another.

    Where both violation and gap are clearly worse, kernel values were too coarse.
    """
    gap = max(0.0, primal - dual) + rounding
    lost = bool(are_lost(violation, gap, stated.gap, tol))
    return replace(
        stated,
        primal=primal,
        dual=dual,
        gap=gap,
        violation=violation,
        converged=stated.converged and not lost,
        status="precision" if stated.converged and lost else stated.status,
        rounding=rounding,
    )


@compiled
def rounding_of_stacked(
    rows: NDArray,
    signs: NDArray,
    upper: NDArray,
    bounds: NDArray,
    v: NDArray,
    gradient: NDArray,
    bias: NDArray,
    steps: NDArray,
    losses: NDArray,
    error: NDArray,
    size: NDArray,
) -> NDArray:
    """`rounding_of` each of many problems, by `errors_of_updates`, in one pass.

    `losses` are the sums of all C, and `size` has ξ in it.
    """
    found = np.zeros(len(bounds) - 1)
    for p in range(len(found)):
        if steps[p] == 0:  # there are no kernel values yet that could be off
            continue
        total, loss, norm, difference = 0.0, 0.0, 0.0, 0.0
        for i in range(bounds[p], bounds[p + 1]):
            total += abs(v[i])
        summed = UNIT * (steps[p] + 1)
        for i in range(bounds[p], bounds[p + 1]):
            off = error[rows[i]] * total + summed * (1 + size[rows[i]] * losses[p])
            norm += abs(v[i]) * off / 2
            if signs[i] * (gradient[i] - bias[p]) + off < 0:
                difference += abs(v[i]) * off
            else:
                loss += upper[i] * off
        found[p] = loss + (difference if difference > norm else norm)
        if np.isnan(found[p]):
            found[p] = np.inf
    return found
