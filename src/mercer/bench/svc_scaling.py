"""How the cost of an SVM grows with the samples, and what memory buys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sklearn.svm import SVC

from mercer.bench._harness import Benchmark, Contestant
from mercer.bench.svc import GAMMA, OURS, C, left_out, peers, train_part
from mercer.estimators import KernelSVC

SIZES = (2500, 5000, 10000, 20000, 40000, 60000)
BUDGETS = (25, 50, 100, 200, 400, 800)
_ROWS = 20000
_FEW = 600


def _over_samples() -> tuple[Sequence[Contestant], list[str]]:
    X, y = train_part("mnist")
    contestants = []
    for n in SIZES:
        for name, make in peers(GAMMA).items():

            def fit(rows: int, make: Callable[[], Any] = make) -> None:
                make().fit(X[:rows], y[:rows])

            contestants.append(_point(name, f"n = {n}", n, fit, n))
    return contestants, left_out()


def _over_memory() -> tuple[Sequence[Contestant], list[str]]:
    X, y = train_part("mnist")
    contestants = []
    for megabytes in BUDGETS:
        ours = partial(KernelSVC, C, gamma=GAMMA, memory_budget=f"{megabytes}MB")
        theirs = partial(SVC, C=C, gamma=GAMMA, cache_size=megabytes)
        for name, make in {OURS: ours, "scikit-learn": theirs}.items():

            def fit(rows: int, make: Callable[[], Any] = make) -> None:
                make().fit(X[:rows], y[:rows])

            contestants.append(_point(name, f"{megabytes} MB", megabytes, fit, _ROWS))
    return contestants, []


def _point(
    line: str, where: str, x: float, fit: Callable[[int], None], rows: int
) -> Contestant:
    return Contestant(
        f"{line}, {where}",
        lambda: fit(rows),
        lambda: fit(_FEW),
        line,
        x,
        f"{OURS}, {where}",
    )


SAMPLES = Benchmark(
    f"SVM fit against the number of samples, MNIST, gamma {GAMMA}, C = {C:g}",
    _over_samples,
    slow=True,
    x="samples",
)
MEMORY = Benchmark(
    f"SVM fit against the memory for kernel rows, first {_ROWS} of MNIST",
    _over_memory,
    slow=True,
    x="memory for kernel values, MB",
)
