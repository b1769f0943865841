"""Which samples were tested, in few characters."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

import numpy as np
from numpy.typing import NDArray


def pack(rows: NDArray[np.integer]) -> str:
    """Write a set of row numbers as text.

    >>> unpack(pack(np.array([3, 1, 4000]))).tolist()
    [1, 3, 4000]
    """
    mask = np.zeros(int(rows.max(initial=-1)) + 1, bool)
    mask[rows] = True
    return b64encode(zlib.compress(np.packbits(mask).tobytes(), 9)).decode("ascii")


def unpack(text: str) -> NDArray[np.intp]:
    """Read it back, in ascending order."""
    packed = np.frombuffer(zlib.decompress(b64decode(text)), np.uint8)
    return np.flatnonzero(np.unpackbits(packed))
