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


def pool(
    targets: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """Return where each block starts, and its count of either class."""
    totals = targets + others
    fit = isotonic_regression(targets / totals, weights=totals)
    starts = np.asarray(fit.blocks[:-1], dtype=np.intp)
    return starts, np.add.reduceat(targets, starts), np.add.reduceat(others, starts)


def fit_pav(
    scores: NDArray[np.float64], target: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct scores at which blocks start or end, and the ratio there."""
    values, codes = np.unique(scores, return_inverse=True)
    targets = np.bincount(codes[target], minlength=len(values))
    others = np.bincount(codes[~target], minlength=len(values))
    # Below all scores the virtual positive comes first, above all the virtual other
    # comes last: the order that pools most.
    starts, hits, alarms = pool(
        np.concatenate(([1, 0], targets, [1, 0])),
        np.concatenate(([0, 1], others, [0, 1])),
    )
    llr = np.log(hits / hits.sum()) - np.log(alarms / alarms.sum())
    n_slots = len(values) + 4
    slot_llr = np.repeat(llr, np.diff(np.append(starts, n_slots)))[2:-2]
    slot_llr = np.maximum.accumulate(slot_llr)
    inner = slot_llr[1:-1]
    corner = np.ones(len(values), dtype=bool)
    corner[1:-1] = (inner != slot_llr[:-2]) | (inner != slot_llr[2:])
    return values[corner], slot_llr[corner]
