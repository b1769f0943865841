"""Threads: one outer level of Python threads, each calling BLAS with one thread.

Work is cut into pieces that do not depend on the number of threads, so results do not
either.
"""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import lru_cache
from numbers import Integral
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from mercer._settings import (
    changed_settings,
    current_settings,
    with_current_settings,
)
from mercer.exceptions import ParameterError

Item = TypeVar("Item")
Returned = TypeVar("Returned")

VARIABLE = "MERCER_NUM_THREADS"
_MOST = 1024  # more would be a slip, and no machine could start them
_worker = threading.local()


def n_threads() -> int:
    """Threads to use: ``MERCER_NUM_THREADS``, else what the process may use.

    ``OMP_NUM_THREADS`` counts as a limit, since process pools divide the cores with it,
    and so does a block of `threads_at_most`.
    """
    limit = current_settings().threads
    return _process_threads() if limit is None else min(limit, _process_threads())


@contextmanager
def threads_at_most(n_jobs: Any) -> Iterator[None]:
    """Within this block so many threads at most; None and -1 set no limit."""
    if n_jobs is None or n_jobs == -1:
        yield
        return
    if not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise ParameterError(
            f"n_jobs is {n_jobs!r}; it must be a whole number of at least 1, -1 or "
            "None."
        )
    with changed_settings(threads=min(int(n_jobs), n_threads())):
        yield


def _process_threads() -> int:
    if text := os.environ.get(VARIABLE):
        if not 1 <= (wanted := _whole_number(text)) <= _MOST:
            raise ParameterError(
                f"{VARIABLE} is {text!r}; set it to a whole number from 1 to {_MOST}."
            )
        return wanted
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    limit = _whole_number(os.environ.get("OMP_NUM_THREADS", ""))
    return min(available, limit) if limit else available


def _whole_number(text: str) -> int:
    """The number that a text says, or 0 for any other text."""
    digits = re.fullmatch(r"\s*([0-9]{1,9})\s*", text)
    return int(digits[1]) if digits else 0


@lru_cache(maxsize=1)
def _blas_libraries() -> list[Any]:
    # Looking for the loaded libraries takes milliseconds; do it once.
    loaded = ThreadpoolController().lib_controllers
    return [library for library in loaded if library.user_api == "blas"]


def _set_threads(library: Any, count: int) -> None:
    """Set them from whichever thread.

    threadpoolctl takes heed of that thread only which was the first to set a limit, and
    says nothing to others; but the last to leave a block need not be who entered first.
    """
    library.set_num_threads(count)
    if hasattr(library, "clear_controlling_thread"):
        if library.get_num_threads() != count:
            library.clear_controlling_thread(force=True)
            library.set_num_threads(count)
        library.clear_controlling_thread()


class _BLASLimit:
    """How many blocks ask for single-threaded BLAS; the limit is the process's own.

    Only the first to enter sets it, and the last to leave lifts it: none takes it away
    from another that still runs.
    """

    def __init__(self) -> None:
        self._before: list[tuple[Any, int]] = []  # libraries, and their own threads
        self._process = 0
        self.forget()

    def enter(self) -> int:
        """Enter a block of this process, or of one that it is forked from."""
        with self._lock:
            if self._blocks == 0:
                libraries = _blas_libraries()
                self._before = [(own, own.get_num_threads()) for own in libraries]
                for library, _ in self._before:
                    _set_threads(library, 1)
            self._blocks += 1
            return self._process

    def leave(self, process: int) -> None:
        with self._lock:
            if process != self._process:
                return
            self._blocks -= 1
            if self._blocks == 0:
                self._lift()

    def forget(self) -> None:
        """Begin anew, in a forked child."""
        self._lock, self._blocks = threading.Lock(), 0
        self._process += 1
        self._lift()

    def _lift(self) -> None:
        for library, count in self._before:
            _set_threads(library, count)
        self._before = []


_limit = _BLASLimit()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Within this block a BLAS call stays on its own thread."""
    process = _limit.enter()
    try:
        yield
    finally:
        _limit.leave(process)


def are_threads_busy() -> bool:
    """Whether this is one of the threads of `parallel_map`, which share work already.

    That does not depend on how many there are.
    """
    return getattr(_worker, "busy", False)


def parallel_map(
    function: Callable[[Item], Returned], items: Iterable[Item]
) -> list[Returned]:
    """Apply `function` to all `items` on threads, this one among them; in order.

    Called from within one of its own threads it runs there: one level of threads only.
    A single item is no level: it may call this again, and be helped by the threads.
    After an error, or Ctrl-C, no further item is begun.
    """
    work = list(items)
    if are_threads_busy():
        return [function(item) for item in work]
    if len(work) == 1:  # what it consists of may be done on threads
        with single_threaded_blas():
            return [function(work[0])]
    threads = min(n_threads(), len(work))
    results: dict[int, Returned] = {}
    numbers = iter(range(len(work)))

    def drain() -> None:
        # taking the next number is atomic, so threads need no lock
        try:
            for i in numbers:
                results[i] = function(work[i])
        finally:
            for _ in numbers:  # leaves nothing for the others when there was an error
                pass

    with single_threaded_blas():
        help_out = with_current_settings(drain)
        helpers = [_pool(threads).submit(help_out) for _ in range(threads - 1)]
        _worker.busy = True
        try:
            drain()
        finally:
            _worker.busy = False
            wait(helpers)
    for helper in helpers:
        helper.result()
    return [results[i] for i in range(len(work))]


@lru_cache
def _pool(threads: int) -> ThreadPoolExecutor:
    # kept for the next call: starting threads takes longer than much of the work
    return ThreadPoolExecutor(threads, "mercer", initializer=_mark_worker)


def _mark_worker() -> None:
    _worker.busy = True


if hasattr(os, "register_at_fork"):
    # a forked child has the pool's object but not its threads, and nobody to leave the
    # blocks that other threads of its parent were in
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_limit.forget)
