"""Contestants that take turns: warmed up, interleaved, medians and ratios."""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psutil

from mercer._memory import format_bytes
from mercer._peak_memory import peak_memory

_FETCHED = 256 << 20
_BRIEF = 0.05  # seconds, up to which work is repeated


@dataclass(frozen=True)
class Contestant:
    """One way to do the work."""

    name: str
    work: Callable[[], Any]
    warm_up: Callable[[], Any] | None = None  # untimed; default: the work itself
    line: str = ""  # in a figure, the line that it is a point of
    x: float = 0.0  # and where on it
    beside: str = ""  # whom it is compared with; default: the first of all
    remark: Callable[[Any], str] | None = None  # on what its work returned, once
    height: Callable[[Any], float] | None = None  # of its point, over its seconds


#: What `prepare` returns: the contestants, the reference first, and remarks such as an
#: accuracy or a peer that is left out and why.
Prepared = tuple[Sequence[Contestant], list[str]]


@dataclass(frozen=True)
class Benchmark:
    """Work that several contestants do; `prepare` is not timed."""

    title: str
    prepare: Callable[[], Prepared]
    goal: str = ""
    slow: bool = False  # takes minutes: measured once, and only when it is named
    x: str = ""  # what the points of a figure are over; empty: there is no figure
    kinds: tuple[str, ...] = ()  # of data, where the figure has bars: x numbers them
    y: str = "seconds of a fit"
    clock: Callable[[], float] = time.perf_counter
    within: Callable[[], AbstractContextManager[Any]] = nullcontext  # say, workers
    fields: tuple["Benchmark", ...] = ()  # of a map, measured instead of the work
    place: tuple[str, str, str] = ("", "", "")  # in it: panel, column, row


@dataclass
class Result:
    """Seconds of each contestant, in rounds, and what else there is to say."""

    title: str
    goal: str
    seconds: dict[str, list[float]]
    remarks: list[str] = field(default_factory=list)
    x: str = ""
    kinds: tuple[str, ...] = ()
    y: str = ""
    points: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    #: fields of a map: panel, column, row, the fastest peer's time over ours
    fields: list[tuple[str, str, str, float]] = field(default_factory=list)

    def median(self, name: str) -> float:
        """Median seconds of one contestant."""
        return statistics.median(self.seconds[name])

    def ratio(self, name: str) -> float:
        """Time relative to that of whom it is compared with, the median over rounds."""
        other = self.beside.get(name) or next(iter(self.seconds))
        rounds = zip(self.seconds[name], self.seconds[other], strict=True)
        return statistics.median(own / reference for own, reference in rounds)


def measure(benchmark: Benchmark, repeats: int) -> Result:
    """Run the contestants in turns, warmed up; of a map, field by field."""
    if benchmark.fields:
        return _measure_map(benchmark, repeats)
    with benchmark.within():
        return _measure(benchmark, repeats)


def _measure(benchmark: Benchmark, repeats: int) -> Result:
    contestants, remarks = benchmark.prepare()
    seconds: dict[str, list[float]] = {c.name: [] for c in contestants}
    heights: dict[str, float] = {}
    for contestant in contestants:
        (contestant.warm_up or contestant.work)()
    for turn in range(1 if benchmark.slow else repeats):
        for contestant in contestants:
            gc.collect()
            _fetch_memory()
            took, done = _time(contestant.work, benchmark.clock)
            seconds[contestant.name].append(took)
            if turn == 0 and contestant.remark is not None:
                remarks.append(contestant.remark(done))
            if turn == 0 and contestant.height is not None:
                height = heights[contestant.name] = contestant.height(done)
                remarks.append(f"{contestant.name}: {benchmark.y} {height:.4g}")
            del done  # its memory is not the next one's
    points: dict[str, list[tuple[float, float]]] = {}
    for contestant in contestants:
        if contestant.line:
            name, took = contestant.name, statistics.median(seconds[contestant.name])
            point = (took, heights[name]) if name in heights else (contestant.x, took)
            points.setdefault(contestant.line, []).append(point)
    return Result(
        benchmark.title,
        benchmark.goal,
        seconds,
        remarks,
        benchmark.x,
        benchmark.kinds,
        benchmark.y,
        points,
        beside={c.name: c.beside for c in contestants},
    )


def _time(work: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    """Seconds of some work, and what it returned.

    Brief work is repeated: once after other work it waits for caches rather than works.
    """
    start = clock()
    done = work()
    took = clock() - start
    if not 0 < took < _BRIEF:
        return took, done
    times = int(_BRIEF / took)
    for _ in range(times):
        work()
    return (clock() - start) / (1 + times), done


def _measure_map(benchmark: Benchmark, repeats: int) -> Result:
    total = Result(benchmark.title, benchmark.goal, {})
    for own in benchmark.fields:
        result = measure(own, repeats)
        ours, *others = result.seconds
        lead = min(map(result.ratio, others))
        total.fields.append((*own.place, lead))
        total.seconds |= {f"{own.title}: {n}": s for n, s in result.seconds.items()}
        for name in result.seconds:
            total.beside[f"{own.title}: {name}"] = f"{own.title}: {ours}"
        total.remarks += [r for r in result.remarks if r not in total.remarks]
    return total


def peak_in_words() -> str:
    """Of this process since it began, and of the processes that work for it."""
    children = psutil.Process().children(recursive=True)
    own, others = format_bytes(peak_memory()), sum(map(peak_memory, children))
    return f"{own} and {format_bytes(others)} in other processes" if others else own


def _fetch_memory() -> None:
    # A virtual machine hands idle memory back to its host, and whoever asks for it next
    # waits for it: half a second for these, where the work takes a quarter.
    np.ones(_FETCHED, np.uint8)
