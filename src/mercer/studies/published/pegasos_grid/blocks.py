"""Parts of a Gram, copied on all threads: picking rows and columns waits for memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.kernels import Gram

_ROWS = 256


def copy_block(
    gram: Gram, rows: NDArray[np.integer], columns: NDArray[np.integer]
) -> NDArray:
    """The kernel values between some rows and some columns.

    >>> gram = Gram.from_matrix(np.arange(9.0).reshape(3, 3))
    >>> copy_block(gram, np.array([2, 0]), np.array([1, 2])).tolist()
    [[7.0, 8.0], [1.0, 2.0]]
    """
    values = np.empty((len(rows), len(columns)), gram.dtype)

    def copy(start: int) -> None:
        part = slice(start, start + _ROWS)
        gram.block(rows[part], columns, out=values[part])

    parallel_map(copy, range(0, len(rows), _ROWS))
    return values
