"""The runner: what the store does not have yet is run, by one process or several."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from mercer._extras import import_extra
from mercer._interrupts import remember_interrupts
from mercer._settings import with_current_settings
from mercer._threads import n_threads, threads_at_most
from mercer.exceptions import MercerError, ParameterError
from mercer.studies.plan import Plan
from mercer.studies.row import Row
from mercer.studies.store import Failure, Store
from mercer.studies.worker import Attempt, Worker

#: Seconds between two looks at what the processes have done.
_PAUSE = 0.2


@dataclass(frozen=True)
class RunProgress:
    """How far a run is: cells in all, stored, failed, and what was stored last."""

    total: int
    done: int
    failed: int
    latest: Row | None


def run_plan(
    plan: Plan,
    store: Store,
    *,
    jobs: int = 1,
    client: Any = None,
    force: bool = False,
    listen: Callable[[RunProgress], None] = lambda progress: None,
) -> list[Failure]:
    """Run the cells that the store does not have.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : Store
        Where the rows are and go. Another run may work on the same file.
    jobs : int
        Processes; the threads are divided among them.
    client : distributed.Client, optional
        A Dask cluster to run the cells on instead.
    force : bool
        Run every cell again; a row is replaced when its new one is there.
    listen : callable
        Hears of the progress.

    Returns
    -------
    list of Failure
        The cells that ended in an error. They are tried again next time.
    """
    if jobs < 1:
        raise ParameterError(f"jobs is {jobs}; it must be at least 1.")
    begun = time.time()
    attempt = Attempt(plan, begun, begun if force else 0.0)

    def tell() -> None:
        done, failed = attempt.done(store), attempt.failures(store)
        latest = store.latest(plan.id) if done else None
        listen(RunProgress(len(plan.cells), len(done), len(failed), latest))

    plan.register(store)
    tell()
    if client is not None:
        import_extra("distributed", "cluster", "A study on a cluster")
        on_workers = import_module("mercer.studies.on_workers")
        on_workers.run_on_client(attempt, store, client, tell)
        tell()
        return attempt.failures(store)
    jobs = min(jobs, len(plan.cells) - len(attempt.done(store)))
    if jobs > 1:
        _run_processes(attempt, store, jobs, tell)
    else:
        Worker(attempt, store, tell).run()
    tell()
    return attempt.failures(store)


def _run_processes(
    attempt: Attempt, store: Store, jobs: int, tell: Callable[[], None]
) -> None:
    context = multiprocessing.get_context("spawn")
    complaints = context.SimpleQueue()
    arguments = (attempt, store.path, os.getpid(), complaints)
    with threads_at_most(max(1, n_threads() // jobs)):
        help_out = with_current_settings(_help)
    with remember_interrupts() as interrupts:
        helpers: list[BaseProcess] = [
            context.Process(target=help_out, args=arguments, daemon=True)
            for _ in range(jobs)
        ]
        try:
            for helper in helpers:
                helper.start()
            while any(helper.is_alive() for helper in helpers):
                time.sleep(_PAUSE)
                interrupts.check()
                tell()
        finally:
            _end(helpers)
    if not complaints.empty():
        raise complaints.get()
    if died := [helper.exitcode for helper in helpers if helper.exitcode]:
        raise MercerError(
            f"{len(died)} of {jobs} processes ended on their own (exit code {died[0]}; "
            "a lack of memory does that). Every finished cell is stored; run the same "
            "command again, with fewer --jobs."
        )


def _end(helpers: list[BaseProcess]) -> None:
    for helper in helpers:
        if helper.is_alive():
            helper.terminate()
    for helper in helpers:
        if helper.pid is not None:
            helper.join()


def _help(
    attempt: Attempt,
    path: Path,
    parent: int,
    complaints: multiprocessing.SimpleQueue[MercerError],
) -> None:
    """One of the processes; it ends when its parent is gone."""
    with threadpool_limits(n_threads()), suppress(KeyboardInterrupt):
        try:
            with Store(path) as store:
                Worker(attempt, store, go_on=lambda: os.getppid() == parent).run()
        except MercerError as error:
            complaints.put(error)
