"""Something large for all workers: sent once, then from worker to worker.

What is sent is kept by the scheduler as part of a task, so that it outlives any worker.
"""

from __future__ import annotations

import pickle
from typing import Any
from uuid import uuid4

_PIECE = 4 * 2**20  # bytes; Dask warns about graphs beyond 10 MB
_SMALL = 2**16  # up to which it goes along with every task


def share(client: Any, name: str, value: Any) -> tuple[Any, int]:
    """A future of the value, or itself if it is small; and its size in bytes."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    if len(content) <= _SMALL:
        return value, len(content)
    token = uuid4().hex
    pieces = [
        client.submit(
            _piece,
            content[start : start + _PIECE],
            key=f"mercer_{name}_piece-{token}-{start // _PIECE}",
        )
        for start in range(0, len(content), _PIECE)
    ]
    key = f"mercer_{name}-{token}"
    return client.submit(_join, pieces, key=key), len(content)


def _piece(content: bytes) -> bytes:
    return content


def _join(pieces: list[bytes]) -> Any:
    return pickle.loads(b"".join(pieces))
