"""The largest value of each row of a matrix, by one look at each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._threads import parallel_map

_ROWS = 256  # that a thread looks at,
_FEW_BYTES = 2**24  # of more than these: to call it takes as long


def row_magnitudes(K: NDArray) -> NDArray[np.float64]:
    """The largest absolute value of each row; not finite where one of them is not.

    >>> row_magnitudes(np.array([[1.0, -2.0], [np.nan, 0.0]])).tolist()
    [2.0, nan]
    """
    # floats without their signs are in the order of their bits, NaN above infinity
    kind = np.dtype(f"i{K.itemsize}")
    bits, found = K.view(kind), np.zeros(len(K), kind)
    mask = kind.type(np.iinfo(kind).max)

    def look(first: int) -> None:
        part = slice(first, first + _ROWS)
        _largest(bits[part], mask, found[part])

    if K.nbytes <= _FEW_BYTES:
        _largest(bits, mask, found)
    else:
        parallel_map(look, range(0, len(K), _ROWS))
    return found.view(K.dtype).astype(np.float64)


@compiled
def _largest(bits: Any, mask: Any, found: Any) -> None:
    for i in range(len(bits)):
        row, largest = bits[i], found[i]
        for j in range(len(row)):
            largest = max(largest, row[j] & mask)
        found[i] = largest
