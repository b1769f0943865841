r"""Pool-adjacent-violators calibration: the best rising step function.

In each block of the isotonic fit, with :math:`t_b` of the positives and :math:`f_b` of
the others, the log-likelihood ratio is :math:`\log\frac{t_b/n_T}{f_b/n_N}`. A pure
block at either end would make it infinite; therefore one virtual sample of each class
is set below all scores and one of each above, which bounds what few samples can claim
(Laplace's rule of succession).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression


def fit_pav(
    scores: NDArray[np.float64],
    target: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct scores at which blocks start or end, and the ratio there."""
    counts = weights > 0
    scores, target, weights = scores[counts], target[counts], weights[counts]
    values, codes = np.unique(scores, return_inverse=True)
    # Below all scores the virtual positive comes first, above all the virtual other
    # comes last: the order that pools most.
    sums = [
        np.bincount(codes[own], weights[own], minlength=len(values))
        for own in (target, ~target)
    ]
    targets, others = np.r_[1, 0, sums[0], 1, 0], np.r_[0, 1, sums[1], 0, 1]
    totals = targets + others
    blocks = isotonic_regression(targets / totals, weights=totals).blocks
    hits, alarms = (np.add.reduceat(n, blocks[:-1]) for n in (targets, others))
    llr = np.log(hits / hits.sum()) - np.log(alarms / alarms.sum())
    slot_llr = np.maximum.accumulate(np.repeat(llr, np.diff(blocks))[2:-2])
    inner = slot_llr[1:-1]
    corner = np.ones(len(values), dtype=bool)
    corner[1:-1] = (inner != slot_llr[:-2]) | (inner != slot_llr[2:])
    return values[corner], slot_llr[corner]
