"""Threads: one outer level of Python threads, each calling BLAS with one thread.

Work is cut into pieces that do not depend on the number of threads, so results do not
either.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

from mercer.exceptions import ParameterError

Item = TypeVar("Item")
Result = TypeVar("Result")

VARIABLE = "MERCER_NUM_THREADS"
_worker = threading.local()


def n_threads() -> int:
    """Threads to use: ``MERCER_NUM_THREADS``, else what the process may use.

    ``OMP_NUM_THREADS`` counts as a limit, since process pools divide the cores with it.
    """
    if text := os.environ.get(VARIABLE):
        if not text.isdigit() or int(text) < 1:
            raise ParameterError(
                f"{VARIABLE} is {text!r}; set it to a whole number of at least 1."
            )
        return int(text)
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(available, int(limit)) if limit.isdigit() and int(limit) else available


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds; do it once.
    return ThreadpoolController()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Within this block a BLAS call stays on its own thread."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


def parallel_map(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> list[Result]:
    """Apply `function` to all `items` on threads; results in order.

    Called from within one of its own threads it runs there: one level of threads only.
    """
    work = list(items)
    if getattr(_worker, "busy", False):
        return [function(item) for item in work]
    threads = min(n_threads(), len(work))
    with single_threaded_blas():
        if threads <= 1:
            return [function(item) for item in work]
        with ThreadPoolExecutor(threads, initializer=_mark_worker) as pool:
            return list(pool.map(function, work))


def _mark_worker() -> None:
    _worker.busy = True
