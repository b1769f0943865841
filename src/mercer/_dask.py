"""Talking to a Dask cluster: what is sent once, what comes back, what goes wrong.

Something large for all workers is sent once and then goes from worker to worker. The
scheduler keeps it as part of a task, so that it outlives any worker.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import Future as Promise
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import cloudpickle
from distributed import Client, Future, KilledWorker, LocalCluster, wait
from distributed.comm.core import CommClosedError

from mercer._memory import format_bytes
from mercer.exceptions import ClusterError, MemoryBudgetError, ParameterError

POLL = 0.5  # seconds between looks at whether the workers are still there
_CONNECT = 10.0  # seconds to find a scheduler
_LOOPBACK = "127.0.0.1"
ALONE = 60.0  # seconds to wait for a worker
GONE = (CommClosedError, CancelledError, OSError, TimeoutError)
ADVICE = (
    "Use more workers or workers with more memory, more and smaller partitions, or a "
    "smaller memory_budget."
)
_PIECE = 4 * 2**20  # bytes; Dask warns about graphs beyond 10 MB


@contextmanager
def reachable(client: Client) -> Iterator[None]:
    """Within this block, one sentence when the scheduler cannot be reached."""
    try:
        check_connected(client)
        yield
    except GONE as error:
        check_connected(client, isinstance(error, CommClosedError))
        raise


def results(client: Client, futures: Sequence[Future]) -> list[Any]:
    """What tasks return that may run anywhere."""
    found = {f.key: result_of(f) for f in as_they_end(client, futures)}
    return [found[future.key] for future in futures]


def fetch(future: Future) -> Promise:
    """What a task has returned, on its way here; nobody may cancel it.

    Not ``future.result(timeout)``: when Dask cancels a transfer that has not begun, all
    later ones of the client fail with it.
    """
    client = future.client
    return asyncio.run_coroutine_threadsafe(
        client.gather(future, asynchronous=True), client.loop.asyncio_loop
    )


def result_of(future: Future) -> Any:
    """What a task has returned, or returns again after its worker was lost."""
    promise = fetch(future)
    alone = time.monotonic()
    while True:
        try:
            return promise.result(POLL)
        except TimeoutError:
            if promise.done():
                raise
        check_connected(future.client)
        alone = check_workers(future.client, alone)


def as_they_end(client: Client, futures: Sequence[Future]) -> Iterator[Future]:
    """Tasks that may run anywhere, each as soon as it has a result.

    What is left is cancelled when nobody wants more.
    """
    waiting, alone, began = list(futures), time.monotonic(), time.time()
    try:
        while waiting:
            poll(waiting)
            check_connected(client)
            for future in waiting:
                check_made(future)
            ended = [future for future in waiting if future.status == "finished"]
            waiting = [future for future in waiting if future not in ended]
            yield from ended
            if not ended:
                alone = check_workers(client, alone)
                check_memory(client, began)
    finally:
        if waiting and client.status == "running":
            client.cancel(waiting)


def poll(futures: Sequence[Future], until: str = "FIRST_COMPLETED") -> None:
    """Wait for a moment."""
    try:
        wait(list(futures), timeout=POLL, return_when=until)
    except (TimeoutError, CancelledError) as error:
        # frames of Dask's hold it, and by it each other and all futures
        error.__traceback__ = error.__cause__ = error.__context__ = None


def check_workers(client: Client, alone: float) -> float:
    """Since when there is no worker; a sentence when that is too long."""
    if client.nthreads():
        return time.monotonic()
    if time.monotonic() - alone > ALONE:
        raise ClusterError(
            f"The cluster at {address(client)} has had no worker for {ALONE:.0f} s; "
            f"start one with: dask worker {address(client)}"
        )
    return alone


def check_memory(client: Client, began: float, worker: str | None = None) -> None:
    """Complain when a worker was restarted for want of memory, this one or any."""
    for moment, event in client.get_events("worker-restart-memory") or ():
        if moment >= began and worker in (None, event["worker"]):
            raise MemoryBudgetError(
                f"The worker {event['worker']} ran out of memory with "
                f"{format_bytes(event['rss'])} in use and was restarted. {ADVICE}"
            )


def check_connected(client: Client, closed: bool = False) -> None:
    if closed or client.status != "running":
        raise ClusterError(
            f"The scheduler at {address(client)} cannot be reached any more; start the "
            "cluster and the fit again."
        ) from None


@contextmanager
def open_client(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at an address, or of so many workers of its own.

    Those listen on the loopback interface only, and end with the block.
    """
    if scheduler is not None and workers is not None:
        raise ParameterError("--scheduler and --workers exclude each other.")
    if scheduler is None:
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host=_LOOPBACK,
                dashboard_address=f"{_LOOPBACK}:0",
                worker_dashboard_address=None,
                silence_logs=logging.ERROR,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=_CONNECT)
    except (OSError, ValueError):
        raise ClusterError(
            f"There is no scheduler at {scheduler}; start one with: dask scheduler (it "
            "says its address), or let Mercer start workers with --workers 4."
        ) from None
    with client:
        yield client


def address(client: Client) -> str:
    """Where the scheduler is."""
    return str(getattr(client.scheduler, "address", "an unknown address"))


def check_made(state: Future) -> None:
    if state.status == "error":
        error = state.exception()
        if isinstance(error, KilledWorker):
            raise MemoryBudgetError(
                "Workers died again and again at the same task, most likely for want "
                f"of memory. {ADVICE}"
            )
        if isinstance(error, ImportError):
            raise ClusterError(
                f"A worker cannot import {error.name or 'a module'} ({error}); install "
                "on all workers what is used here, as packages of the same version."
            ) from None
        raise error
    if state.status == "cancelled":
        raise ClusterError(
            "A worker was lost with data that nobody else had; make X and y from files "
            "(dask.dataframe.read_parquet, dask.array.from_zarr), so that Dask can "
            "load them again."
        )


def share(client: Client, name: str, value: Any) -> tuple[Future, int]:
    """A future of the value, and its size in bytes.

    The scheduler sees bytes: it need not have the modules that the value is of.
    """
    content = cloudpickle.dumps(value)  # a scorer may be of a notebook
    token = uuid4().hex
    pieces: list[Any] = [
        content[start : start + _PIECE] for start in range(0, len(content), _PIECE)
    ]
    if len(pieces) > 1:
        pieces = [
            client.submit(_piece, piece, key=f"mercer_{name}_piece-{token}-{k}")
            for k, piece in enumerate(pieces)
        ]
    return client.submit(_join, pieces, key=f"mercer_{name}-{token}"), len(content)


def _piece(content: bytes) -> bytes:
    return content


def _join(pieces: list[bytes]) -> Any:
    return pickle.loads(b"".join(pieces))
