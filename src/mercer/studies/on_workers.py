"""A run on a cluster: cells go to workers, rows come back and are stored here at once.

The plan is sent once. A worker is given cells of a group one after the other, as long
as there are any, since they share what it has computed.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Container

from distributed import Client, Future, KilledWorker

from mercer._dask import (
    check_connected,
    check_made,
    check_memory,
    check_workers,
    poll,
    reachable,
    result_of,
    share,
)
from mercer._interrupts import Interrupts, remember_interrupts
from mercer._threads import threads_at_most
from mercer.exceptions import ClusterError
from mercer.studies.context import Context
from mercer.studies.plan import Plan
from mercer.studies.store import Claimed, Claims, Store
from mercer.studies.worker import Attempt, Finished, run_cell

_PAUSE = 0.2  # seconds between looks at cells that others are working on
_LOSSES = 12  # of one cell with its worker
_own = threading.local()  # of a worker's thread: the plan it is at, and its context


def run_on_client(
    attempt: Attempt, store: Store, client: Client, tell: Callable[[], None]
) -> None:
    """Run what the store does not have on the workers of a client."""
    with (
        remember_interrupts() as interrupts,
        Claims(store) as claims,
        reachable(client),
    ):
        _Run(attempt, store, client, claims).until_nothing_is_left(tell, interrupts)


class _Run:
    def __init__(
        self, attempt: Attempt, store: Store, client: Client, claims: Claims
    ) -> None:
        self._attempt, self._store, self._client = attempt, store, client
        self._claims = claims
        self._pending = dict(attempt.plan.cells)
        self._running: dict[Future, tuple[str, str]] = {}  # key of the cell, worker
        self._returned: set[str] = set()  # cells of workers that were lost
        self._losses: Counter[str] = Counter()
        self._began = time.time()
        self._group: dict[str, str] = {}  # that a worker is at
        self._plan, _ = share(client, "plan", attempt.plan)

    def until_nothing_is_left(
        self, tell: Callable[[], None], interrupts: Interrupts
    ) -> None:
        alone = time.monotonic()
        self._forget_finished()
        try:
            while self._pending or self._running:
                check_connected(self._client)
                self._hand_out()
                if self._running:
                    poll(list(self._running))
                else:
                    time.sleep(_PAUSE)
                    self._forget_finished()
                for future in list(self._running):
                    if _losses(future):
                        continue  # it is taken back
                    check_made(future)
                    if future.status == "finished":
                        self._keep(future)
                interrupts.check()
                tell()
                alone = check_workers(self._client, alone)
        finally:
            if self._running and self._client.status == "running":
                self._client.cancel(list(self._running))

    def _forget_finished(self) -> None:
        failed = {failure.key for failure in self._attempt.failures(self._store)}
        for key in self._attempt.done(self._store) | failed:
            self._pending.pop(key, None)

    def _hand_out(self) -> None:
        """As many cells to each worker as it has threads."""
        workers = self._client.nthreads()
        self._take_back(workers)
        busy = Counter(worker for _, worker in self._running.values())
        for worker, threads in workers.items():
            while busy[worker] < threads and (key := self._take_one(worker)):
                busy[worker] += 1
                future = self._client.submit(
                    *(_run, self._plan, key),
                    key=f"mercer_cell-{key}-{time.time_ns()}",
                    workers=[worker],
                    allow_other_workers=True,  # if its result is lost with it
                )
                self._group[worker] = self._pending.pop(key).group
                self._running[future] = key, worker

    def _take_back(self, workers: Container[str]) -> None:
        """Cells of workers that are gone; Dask would run them again by itself.

        That would be at once when a worker comes back, and one that dies while it
        is started stays away for good.
        """
        for future, (key, worker) in list(self._running.items()):
            if losses := _losses(future) or int(worker not in workers):
                self._client.cancel([future])
                self._count_losses(key, worker, losses)
                del self._running[future]
                self._group.pop(worker, None)
                self._pending[key] = self._attempt.plan.cells[key]
                self._returned.add(key)

    def _count_losses(self, key: str, worker: str, losses: int) -> None:
        check_memory(self._client, self._began, worker)
        self._losses[key] += losses
        if self._losses[key] > _LOSSES:
            raise ClusterError(
                f"The workers at {self._attempt.plan.cells[key].params} were lost "
                f"{_LOSSES} times; look into their logs for the reason."
            )

    def _take_one(self, worker: str) -> str | None:
        """Claim the next cell: of this group, else of one that nobody is at."""
        taken = {group for other, group in self._group.items() if other != worker}
        own = self._group.get(worker)

        def rank(key: str) -> int:
            group = self._pending[key].group
            return 0 if group == own else 2 if group in taken else 1

        for key in sorted(self._pending, key=rank):
            if key in self._returned:
                self._returned.discard(key)
                return key  # it is claimed already
            state = self._claims.take(key, self._attempt.since)
            if state is Claimed.MINE:
                return key
            if state is Claimed.DONE:
                del self._pending[key]
        return None

    def _keep(self, future: Future) -> None:
        found: Finished | str = result_of(future)
        key, _ = self._running.pop(future)
        if isinstance(found, str):
            self._store.add_failure(key, found)
        else:
            version = self._attempt.plan.study.version
            self._store.add_row(found.row, version, found.images)


def _losses(future: Future) -> int:
    """How many workers Dask lost at it before it gave up: they may be back already."""
    error = future.exception() if future.status == "error" else None
    return error.allowed_failures + 1 if isinstance(error, KilledWorker) else 0


def _run(plan: Plan, key: str) -> Finished | str:
    with threads_at_most(1):
        if getattr(_own, "plan", None) != plan.id:
            _own.plan, _own.context = plan.id, Context(plan.dataset)
            plan.study.warm_up(_own.context)
        return run_cell(plan, key, plan.cells[key], _own.context)
