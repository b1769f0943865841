r"""Winnow: multiplicative updates over features of -1, 0 and 1.

Plain winnow predicts +1 when :math:`\langle w, x \rangle \ge \theta`, and on a mistake
multiplies the weights of the active features by the factor, or divides them by it.
Balanced winnow subtracts a second set of weights, which moves the other way.
"""

from typing import Any

from mercer._numba import compiled

# weights stay within these bounds, so that no run can overflow
_SMALLEST, _LARGEST = 1e-200, 1e200


@compiled
def walk_winnow(
    X: Any,
    signs: Any,
    order: Any,
    positive: Any,
    negative: Any,
    threshold: float,
    factor: float,
    balanced: bool,
) -> Any:
    """Walk once through the samples in order; weights change in place.

    Returns the number of mistakes. `negative` stays as it is unless balanced.
    """
    mistakes = 0
    for t in range(order.shape[0]):
        i = order[t]
        y = signs[i]
        if y == 0.0:
            continue
        score = -threshold
        for j in range(X.shape[1]):
            score += (positive[j] - negative[j]) * X[i, j]
        if (score >= 0.0) == (y > 0.0):
            continue
        mistakes += 1
        for j in range(X.shape[1]):
            change = factor ** (y * X[i, j])
            positive[j] = min(max(positive[j] * change, _SMALLEST), _LARGEST)
            if balanced:
                negative[j] = min(max(negative[j] / change, _SMALLEST), _LARGEST)
    return mistakes
