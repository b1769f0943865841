"""Requests that wait at the same time are answered by one product."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.web.limits import Refusal, ServiceLimits

Classify = Callable[[NDArray], tuple[NDArray, NDArray]]
_Waiting = tuple[NDArray, "asyncio.Future[Any]"]


class Batcher:
    """Puts samples of waiting requests together and asks a model once.

    Parameters
    ----------
    answer : callable
        Labels and scores of samples; it runs on a thread, one call at a time.
    limits : ServiceLimits
        How many samples a batch has at most, and how many requests wait.
    """

    def __init__(self, answer: Classify, limits: ServiceLimits) -> None:
        self._answer, self._limits = answer, limits
        self._waiting: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None

    async def ask(self, samples: NDArray) -> tuple[NDArray, NDArray]:
        """Labels and scores of these samples, in time or not at all."""
        if len(self._waiting) >= self._limits.waiting:
            raise Refusal(503, "Too many requests are waiting; try again later.")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((samples, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        try:
            return await asyncio.wait_for(future, self._limits.seconds)
        except TimeoutError:
            seconds = self._limits.seconds
            raise Refusal(503, f"There was no answer within {seconds:g} s.") from None

    async def _work(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            if not await self._answer_all(batch):
                for one in batch:  # nobody pays for the samples of another
                    await self._answer_all([one])

    async def _answer_all(self, batch: list[_Waiting]) -> bool:
        """Whether these were answered; one alone is told what is wrong with it."""
        try:
            together = np.concatenate([samples for samples, _ in batch])
            labels, scores = await asyncio.to_thread(self._answer, together)
        except Exception as error:  # turned into words where it is told
            if len(batch) == 1 and not batch[0][1].done():
                batch[0][1].set_exception(error)
            return len(batch) == 1
        start = 0
        for samples, future in batch:
            part = slice(start, start + len(samples))
            start = part.stop
            if not future.done():
                future.set_result((labels[part], scores[part]))
        return True

    def _next_batch(self) -> list[_Waiting]:
        total, count = 0, 0
        for samples, _ in self._waiting:
            total += len(samples)
            if count and total > self._limits.samples:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return [
            (samples, future) for samples, future in batch if not future.done()
        ] or batch
