"""Contestants that take turns: warmed up, interleaved, medians and ratios."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_FETCHED = 256 << 20


@dataclass(frozen=True)
class Contestant:
    """One way to do the work."""

    name: str
    work: Callable[[], Any]
    warm_up: Callable[[], Any] | None = None  # untimed; default: the work itself
    line: str = ""  # in a figure, the line that it is a point of
    x: float = 0.0  # and where on it
    beside: str = ""  # whom it is compared with; default: the first of all


@dataclass(frozen=True)
class Benchmark:
    """Work that several contestants do; `prepare` is not timed.

    `prepare` returns the contestants, the reference first, and remarks such as an
    accuracy or a peer that is left out and why.
    """

    title: str
    prepare: Callable[[], tuple[Sequence[Contestant], list[str]]]
    goal: str = ""
    slow: bool = False  # takes minutes: measured once, and only when it is named
    x: str = ""  # what the points of a figure are over; empty: there is no figure


@dataclass
class Result:
    """Seconds of each contestant, in rounds, and what else there is to say."""

    title: str
    goal: str
    seconds: dict[str, list[float]]
    remarks: list[str] = field(default_factory=list)
    x: str = ""
    points: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)

    def median(self, name: str) -> float:
        """Median seconds of one contestant."""
        return statistics.median(self.seconds[name])

    def ratio(self, name: str) -> float:
        """Time relative to that of whom it is compared with, the median over rounds."""
        other = self.beside.get(name) or next(iter(self.seconds))
        rounds = zip(self.seconds[name], self.seconds[other], strict=True)
        return statistics.median(own / reference for own, reference in rounds)


def measure(benchmark: Benchmark, repeats: int) -> Result:
    """Run the contestants in turns, warmed up."""
    contestants, remarks = benchmark.prepare()
    seconds: dict[str, list[float]] = {c.name: [] for c in contestants}
    for contestant in contestants:
        (contestant.warm_up or contestant.work)()
    for _ in range(1 if benchmark.slow else repeats):
        for contestant in contestants:
            gc.collect()
            _fetch_memory()
            start = time.perf_counter()
            contestant.work()
            seconds[contestant.name].append(time.perf_counter() - start)
    points: dict[str, list[tuple[float, float]]] = {}
    for contestant in contestants:
        if contestant.line:
            point = contestant.x, statistics.median(seconds[contestant.name])
            points.setdefault(contestant.line, []).append(point)
    return Result(
        benchmark.title,
        benchmark.goal,
        seconds,
        remarks,
        benchmark.x,
        points,
        {c.name: c.beside for c in contestants},
    )


def _fetch_memory() -> None:
    # A virtual machine hands idle memory back to its host, and whoever asks for it next
    # waits for it: half a second for these, where the work takes a quarter.
    np.ones(_FETCHED, np.uint8)
