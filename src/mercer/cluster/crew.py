"""Workers that hold the partitions, asked together and replaced when they are lost.

A partition is the result of a Dask task and changes while a machine learns, so it is
used only where it is: questions go to that worker and to no other. When the worker is
gone Dask makes the partition again elsewhere, as it was in the beginning, and whoever
asked is told so (the answer is None).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future as Promise
from itertools import count
from typing import Any, NamedTuple

from distributed import Client, Future, KilledWorker

from mercer._dask import (
    ADVICE,
    GONE,
    POLL,
    check_connected,
    check_made,
    check_memory,
    check_workers,
    fetch,
    poll,
)
from mercer._memory import format_bytes
from mercer._threads import threads_at_most
from mercer.cluster.partition import Moved
from mercer.exceptions import ClusterError, MemoryBudgetError

_PAUSED = 30.0  # seconds for which a worker may be short of memory
MOVED = "moved"  # the answer of a partition that Dask moved to another worker
_LOSSES = 12  # of one partition without an answer in between


class Crew:
    """Partitions on workers, by their numbers."""

    def __init__(
        self, client: Client, make: Callable[[int], Future], n: int, token: str
    ) -> None:
        self.client, self._make, self._token = client, make, token
        self._states = [make(k) for k in range(n)]
        self._homes: dict[int, str] = {}
        self._losses: dict[int, int] = defaultdict(int)
        self._threads: dict[str, int] = {}
        self._paused: dict[str, float] = {}
        self._began = time.time()
        self._turn = count()
        self.seconds = 0.0  # of workers' processors, at their partitions

    def __len__(self) -> int:
        return len(self._states)

    @property
    def n_workers(self) -> int:
        """How many workers hold partitions."""
        return len(set(self._homes.values()))

    def ask(
        self, name: str, function: Callable, questions: Mapping[int, Any], shared: Any
    ) -> dict[int, Any]:
        """``function(partition, question, shared)`` where the partitions are.

        The answer of a partition that was lost is None.
        """
        self._find_homes(questions)
        pending = self._submit(name, function, questions, shared)
        promises: dict[Future, Promise] = {}
        answers: dict[int, Any] = {}
        while pending:
            poll(list(pending))
            for future in [f for f in pending if f.status != "pending"]:
                own = pending[future]
                found = self._result(future, promises)
                if found is not None:
                    self.seconds += found.seconds
                    answers.update(zip(own, found.answers))
                    del pending[future]
            for future in self._stranded(pending):
                future.cancel()  # whoever waits for it is told
                for number in pending.pop(future):
                    self._lose(number)
                    answers[number] = None
        for number, answer in answers.items():
            if isinstance(answer, str):  # after a journey it is another object
                answers[number] = None
                self._states[number] = self._make(number)
            if answers[number] is None:
                self._homes.pop(number, None)
            else:
                self._losses.pop(number, None)
        return answers

    def _submit(
        self, name: str, function: Callable, questions: Mapping[int, Any], shared: Any
    ) -> dict[Future, list[int]]:
        """As many tasks as a worker has threads, each with some of the questions."""
        threads = self._threads
        groups: dict[tuple[str, int], list[int]] = defaultdict(list)
        for place, number in enumerate(sorted(questions, key=self._homes.__getitem__)):
            home = self._homes[number]
            groups[home, place % threads.get(home, 1)].append(number)
        turn = next(self._turn)
        return {
            self.client.submit(
                *(_on_partitions, function, [self._states[k] for k in own]),
                *([questions[k] for k in own], shared),
                key=f"mercer_{name}-{self._token}-{turn}-{group}",
                workers=[home],
                pure=False,
            ): own
            for group, ((home, _), own) in enumerate(groups.items())
        }

    def _result(self, future: Future, promises: dict[Future, Promise]) -> Any:
        """Answers; None while there are none (yet)."""
        promise = promises.pop(future, None) or fetch(future)
        try:
            return promise.result(POLL)
        except KilledWorker:
            return None
        except GONE:
            if future.status == "error":
                raise
            if not promise.done():
                promises[future] = promise
            return None
        except MemoryError as error:
            raise MemoryBudgetError(
                f"A worker ran out of memory ({error}). {ADVICE}"
            ) from None

    def _stranded(self, pending: Mapping[Future, list[int]]) -> list[Future]:
        """Tasks that wait for a worker which will not come back."""
        check_connected(self.client)
        if not pending:
            return []
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        stranded = []
        for future, own in pending.items():
            home = self._homes[own[0]]
            if home not in workers:
                stranded.append(future)
            elif workers[home].get("status") == "paused":
                self._check_paused(home, workers[home])
            elif (
                workers[home].get("status") != "running"  # it is about to leave
                or future.status not in ("pending", "finished")
            ):
                stranded.append(future)
        return stranded

    def _lose(self, number: int) -> None:
        home = self._homes.pop(number)
        check_memory(self.client, self._began, home)
        self._losses[number] += 1
        if self._losses[number] > _LOSSES:
            raise ClusterError(
                f"Partition {number} was lost with its worker {_LOSSES} times in a row;"
                " look into the logs of the workers for the reason."
            )

    def _check_paused(self, home: str, worker: Mapping[str, Any]) -> None:
        since = self._paused.setdefault(home, time.monotonic())
        if time.monotonic() - since > _PAUSED:
            limit = format_bytes(worker.get("memory_limit") or 0)
            raise MemoryBudgetError(
                f"The worker {home} has been short of memory ({limit}) for "
                f"{_PAUSED:.0f} s and does not go on. {ADVICE}"
            )

    def _find_homes(self, numbers: Any) -> None:
        missing = [k for k in numbers if k not in self._homes]
        alone = time.monotonic()
        while missing:
            check_connected(self.client)
            poll([self._states[k] for k in missing])
            for k in missing:
                check_made(self._states[k])
            futures = [self._states[k] for k in missing]
            places = self.client.who_has(futures)
            workers = self.client.nthreads()
            for k in missing:
                here = [w for w in places.get(self._states[k].key, ()) if w in workers]
                if here:
                    self._homes[k] = here[0]
            self._threads.update(workers)
            missing = [k for k in missing if k not in self._homes]
            alone = check_workers(self.client, alone)
            check_memory(self.client, self._began)


class _Done(NamedTuple):
    answers: list[Any]
    seconds: float


def _on_partitions(
    function: Callable, partitions: list[Any], questions: list[Any], shared: Any
) -> _Done:
    start = time.thread_time()
    with threads_at_most(1):
        answers = [
            MOVED
            if isinstance(partition, Moved)
            else function(partition, question, shared)
            for partition, question in zip(partitions, questions)
        ]
    return _Done(answers, time.thread_time() - start)
