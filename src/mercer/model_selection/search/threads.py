"""How many threads a search may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from mercer._threads import VARIABLE, n_threads
from mercer.exceptions import ParameterError


@contextmanager
def at_most(n_jobs: int | None) -> Iterator[None]:
    """Within this block so many threads at most; None and -1 set no limit."""
    if n_jobs is None or n_jobs == -1:
        yield
        return
    if n_jobs < 1:
        raise ParameterError(
            f"n_jobs is {n_jobs!r}; it must be at least 1, -1 or None."
        )
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(min(n_jobs, n_threads()))
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before
