"""Fits on workers beside local ones, and a cost model measured, checked and read.

Constants are measured on one partition and on messages without content; the fits then
say how far off the model is, and it is read for more samples than anyone has here.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import psutil

from mercer._extras import import_extra
from mercer._memory import format_bytes
from mercer._threads import threads_at_most
from mercer.bench._cluster_cost import Constants, Cost, Counts, Shape, growth, predict
from mercer.bench._data import FEW, Labelled
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.bench.approximate import FEATURES, draw_waves
from mercer.estimators import KernelSVC
from mercer.kernels import Gaussian

WORKERS, MEMORY = 4, "2GB"
BUDGET = "512MB"  # for kernel values, of each worker and of the local fit
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
BEYOND = ((10_000_000, 64), (1_000_000_000, 1024))  # samples, workers
NOISY = 0.2  # of all samples move, where labels are noisy
C, GAMMA, GAP = 10.0, 0.5, 0.2
_TRIED, _ROWS = 20_000, 400  # samples of the partition that is measured, rows of them
_WIDTHS = 5, 128  # features
_PINGS, _BYTES = 20, 2**24


@dataclass(frozen=True)
class _Fit:
    """A fit on the cluster, and processor seconds where it was called."""

    model: Any
    driver: float
    wall: float

    @property
    def workers(self) -> float:
        """Processor seconds of the workers, at their partitions."""
        return float(self.model.effort_.worker_seconds)

    @property
    def counts(self) -> Counts:
        effort = self.model.effort_
        return Counts(effort.rounds, effort.movers, effort.moves)


def processor_seconds() -> float:
    """Of this process and of those that work for it."""
    return time.process_time() + _children()


def _children() -> float:
    return sum(
        sum(process.cpu_times()[:2])
        for process in psutil.Process().children(recursive=True)
    )


@contextmanager
def _workers() -> Iterator[None]:
    distributed = import_extra("distributed", "cluster", "The benchmark cluster")
    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit=MEMORY,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield


def _fit(X: Any, y: Any) -> _Fit:
    import dask.array as da

    from mercer.cluster import DaskKernelSVC

    rows = -(-len(y) // WORKERS)
    parts = da.from_array(X, (rows, -1)), da.from_array(y, rows)
    here, start = time.process_time(), time.perf_counter()
    model = DaskKernelSVC(C=C, kernel=Gaussian(GAMMA), memory_budget=BUDGET)
    model.fit(*parts)
    return _Fit(model, time.process_time() - here, time.perf_counter() - start)


def _local(X: Any, y: Any) -> KernelSVC:
    return KernelSVC(C, Gaussian(GAMMA), memory_budget=BUDGET).fit(X, y)


def _seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _of_partition(d: int) -> tuple[float, float, float]:
    """Seconds of a kernel value, of its use in an update, and of a sample's scan."""
    from mercer.cluster.messages import Changes, Move, Question, Task
    from mercer.cluster.partition import Partition
    from mercer.solvers.svm.smo import working_set_sizes

    rng = np.random.default_rng(0)
    X = rng.normal(size=(_TRIED, d)).astype(np.float32)
    codes = np.array([[-1.0, 1.0]])
    task = Task(Gaussian(1 / d), codes, True, 0.0, np.dtype(np.float32))
    y, upper = np.arange(_TRIED) % 2, np.ones(_TRIED)
    part = Partition(task, 0, X, y, upper, 8 * _TRIED * _ROWS)
    who = np.arange(_ROWS)
    steps = np.full(_ROWS, 1e-3)
    move = Move(0, who, steps, steps)
    numbers = who.astype(np.int64)
    apply = partial(part.apply, Changes(1, 1, numbers, [move]), [])
    question = Question([0], [working_set_sizes(_TRIED, _TRIED)], [0.0])
    with threads_at_most(1):
        Partition(task, 0, X, y, upper, 8 * _TRIED * _ROWS).apply(
            Changes(1, 1, numbers, [move]), []
        )
        first = _seconds(apply)
        again = statistics.median(_seconds(apply) for _ in range(3))
        scan = statistics.median(
            _seconds(lambda: part.answer(question, numbers[:0])) for _ in range(5)
        )
    each = _TRIED * _ROWS
    return max(0.0, first - again) / each, again / each, scan / _TRIED


def _of_messages() -> tuple[float, float]:
    """Seconds until all workers have answered, and of a byte more in the question."""
    from distributed import default_client

    from mercer._dask import share

    client = default_client()

    def ask(content: Any) -> float:
        start = time.perf_counter()
        shared, _ = share(client, "bench", content)
        client.gather(
            [
                client.submit(len, shared, workers=[worker], pure=False)
                for worker in client.nthreads()
            ]
        )
        return time.perf_counter() - start

    small = statistics.median(ask(b"") for _ in range(_PINGS))
    large = statistics.median(ask(np.ones(_BYTES, np.uint8)) for _ in range(3))
    return small, max(0.0, large - small) / (_BYTES * WORKERS)


def _measure_constants(tiny: _Fit, first: _Fit) -> Constants:
    """From fits of hardly any samples, which are all messages, and of some."""
    (thin, update, scan), (wide, _, _) = (_of_partition(d) for d in _WIDTHS)
    feature = max(0.0, wide - thin) / (_WIDTHS[1] - _WIDTHS[0])
    value = max(0.0, thin - feature * _WIDTHS[0])
    rounds = max(1.0, tiny.counts.rounds)
    messages, answers = tiny.driver / rounds, tiny.workers / rounds / WORKERS
    spent = first.driver - messages * first.counts.rounds
    driver = max(0.0, spent) / max(1.0, first.counts.moves)
    latency, byte = _of_messages()
    kernel = value, feature, update, scan
    return Constants(*kernel, driver, messages, answers, 2 * latency, byte)


def _words(constants: Constants) -> str:
    c = constants
    return (
        f"constants: a kernel value {c.value * 1e9:.2g} ns and {c.feature * 1e9:.2g} "
        f"ns a feature, its use in an update {c.update * 1e9:.2g} ns, a sample's scan "
        f"{c.scan * 1e9:.2g} ns a round, a move {c.driver * 1e6:.2g} µs at the driver, "
        f"a round {c.messages * 1e3:.2g} ms at the driver and {c.answers * 1e3:.2g} ms "
        f"on each worker; waiting: a round {c.latency * 1e3:.2g} ms, a byte "
        f"{c.byte * 1e9:.2g} ns"
    )


class _Check:
    """Predictions beside what was measured, the counts known or read off two fits."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._known: list[tuple[int, Counts]] = []

    def __call__(self, n: int, fit: _Fit) -> str:
        shape = Shape(n, FEATURES, 1, WORKERS, WORKERS, 2**29)
        cost = predict(shape, fit.counts, self._constants)
        spent, said = fit.driver + fit.workers, cost.driver + cost.workers
        effort, model = fit.model.effort_, fit.model
        told = (
            f"n = {n}: {effort.rounds} rounds, {len(model.support_)} support vectors, "
            f"{effort.movers} movers, {effort.moves} moves, "
            f"{effort.kernel_values:.2g} kernel values (model {cost.values:.2g}), "
            f"{format_bytes(effort.bytes_moved)} moved (model "
            f"{format_bytes(int(cost.network))}); processor seconds: workers "
            f"{fit.workers:.1f} (model {cost.workers:.1f}), driver {fit.driver:.1f} "
            f"(model {cost.driver:.1f}), measured / model {spent / said:.2f}"
        )
        if len(self._known) >= 2:
            blind = predict(shape, self._expected(n), self._constants)
            told += f", with counts read off {self._two()}: "
            told += f"{spent / (blind.driver + blind.workers):.2f}"
        self._known.append((n, fit.counts))
        told += f"; gap {model.certificate_.gap:.2g}, dual {_dual(model)}"
        return "\n  ".join([told, *self._read_beyond()] if n == SIZES[-1] else [told])

    def _two(self) -> str:
        return " and ".join(f"{n}" for n, _ in self._known[:2])

    def _expected(self, n: float) -> Counts:
        (first, some), (second, more) = self._known[:2]
        return some.at(more, growth(n, first, second))

    def _read_beyond(self) -> Iterator[str]:
        """For more samples: counts that go on growing, or a share of all samples."""
        (first, some), *_, (last, more) = self._known
        for n, workers in BEYOND:
            clear = some.at(more, growth(n, first, last))
            noisy = Counts(clear.rounds * 4, NOISY * n, NOISY * n * _again(more))
            for counts in (clear, noisy):
                shape = Shape(n, FEATURES, 1, workers, workers, 8 * 2**30)
                yield _read(shape, counts, predict(shape, counts, self._constants))


def _again(counts: Counts) -> float:
    """In how many rounds a sample moves, if it moves at all."""
    return counts.moves / counts.movers


def _read(shape: Shape, counts: Counts, cost: Cost) -> str:
    hours = (cost.workers + cost.driver) / 3600
    return (
        f"read at n = {shape.n:.0e} with {counts.movers:.2g} movers on {shape.workers} "
        f"workers: {cost.values:.2g} kernel values, {hours:.2g} processor hours, "
        f"{cost.wall / 3600:.2g} h of which the driver {cost.driver / 3600:.2g} h, "
        f"{cost.memory / 2**30:.2g} GB a worker, {cost.network / 2**30:.2g} GB moved"
    )


def _dual(model: Any) -> str:
    return f"{model.certificate_.dual:.6g}"


def _say_dual(n: int, model: KernelSVC) -> str:
    return f"n = {n}, local: dual {_dual(model)}"


def _samples(n: int) -> Labelled:
    return draw_waves(n, 0, wrong=0.0, gap=GAP)


def _prepare() -> Prepared:
    X, y = _samples(max(SIZES))
    _fit(X[:FEW], y[:FEW])
    tiny, first = (_fit(X[:n], y[:n]) for n in (FEW, SIZES[0]))
    constants = _measure_constants(tiny, first)
    check, contestants = _Check(constants), []
    for n in SIZES:
        few = X[:FEW], y[:FEW]
        local, there = f"local, n = {n}", f"{WORKERS} workers, n = {n}"
        contestants += [
            Contestant(
                *(local, partial(_local, X[:n], y[:n]), partial(_local, *few)),
                *("local", n, local),
                partial(_say_dual, n),
            ),
            Contestant(
                *(there, partial(_fit, X[:n], y[:n]), partial(_fit, *few)),
                *(f"{WORKERS} workers", n, local),
                partial(check, n),
            ),
        ]
    return contestants, [_words(constants)]


BENCHMARK = Benchmark(
    f"SVM fit on {WORKERS} workers beside the local one, {FEATURES} features, "
    "processor seconds of all processes, and the cost model",
    _prepare,
    slow=True,
    x="samples",
    y="processor seconds of a fit",
    clock=processor_seconds,
    within=_workers,
)
