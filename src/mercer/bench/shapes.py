"""Our time beside the fastest peer's over shapes of data: a map."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from mercer.bench._data import Labelled
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.bench._stand_ins import with_short_indices
from mercer.bench.svc import OURS, left_out, peers
from mercer.kernels import Gaussian

MOST = 4e11  # products of two numbers in a Gram, above which a field stays empty
_MINUTES = 4e10  # of them, above which scikit-learn takes a minute or more
_LARGE = 20000  # samples, from which on one turn is enough
_MOST_GIVEN = 20000  # samples of a matrix of kernel values
_WARM = 5000  # samples
_MOST_RANDOM = 20000  # samples with labels at random, nearly all support vectors
RANDOM = "labels at random"
_IN_A_ROW = 30  # non-zeros of a sparse sample


def draw_samples(
    n: int, d: int, classes: int, layout: str, dtype: str, seed: int = 0
) -> Labelled:
    """Classes that overlap a little, whatever the shape; or labels at random."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    if layout == "CSR":
        own = rng.integers(d, size=(classes, _IN_A_ROW))
        at = np.where(
            rng.random((n, _IN_A_ROW)) < 0.4, own[y], rng.integers(d, size=own[y].shape)
        )
        starts = np.arange(0, n * _IN_A_ROW + 1, _IN_A_ROW)
        values = rng.random(at.size).astype(dtype)
        X = sparse.csr_array((values, at.ravel(), starts), shape=(n, d))
        X.sum_duplicates()
        return with_short_indices(X), y
    centres = rng.normal(size=(classes, d)) * 2.5 / np.sqrt(d)
    X = centres[y] + rng.normal(size=(n, d)) * max(1 / classes, 2 / np.sqrt(d))
    if layout == RANDOM:
        y = rng.permutation(y)
    return X.astype(dtype), y


def _prepare(
    n: int, d: int, classes: int, layout: str, dtype: str, kernel: str
) -> Prepared:
    X, y = draw_samples(n, d, classes, layout, dtype)
    if kernel == "precomputed":
        K = Gaussian(1 / d)(X)
        return _beside_peers(K, y, 1 / d, kernel, lambda rows: K[:rows, :rows], 0)
    gamma = 1 / (d * X.astype(np.float64).power(2).mean() if layout == "CSR" else d)
    work = n * n * (_IN_A_ROW if layout == "CSR" else d)
    return _beside_peers(X, y, gamma, kernel, lambda rows: X[:rows], work)


def _beside_peers(
    X: Any,
    y: Any,
    gamma: float,
    kernel: str,
    first: Callable[[int], Any],
    work: float,
) -> Prepared:
    contestants, makers = [], peers(gamma, 1.0, kernel=kernel)
    if work > _MINUTES and not left_out():
        del makers["scikit-learn"]  # which is many times slower than the other there
    for name, make in makers.items():
        # peers are warmed up by part of a large field; ours takes another way there,
        # through other compiled functions
        few = partial(_fit, make, first(_WARM), y[:_WARM])
        warm_up = None if name == OURS else few
        contestants.append(Contestant(name, partial(_fit, make, X, y), warm_up))
    return contestants, left_out()


def _fit(make: Any, X: Any, y: Any) -> None:
    make().fit(X, y)


def _fields(
    samples: tuple[int, ...], features: tuple[int, ...], classes: tuple[int, ...]
) -> Iterator[Benchmark]:
    """Panels of the map: what is not on its axes is as usual."""
    usual = 10, 2, "dense", "float32", "rbf"
    kernels = ("linear", "poly", "rbf", "sigmoid", "precomputed")
    panels: dict[str, list[tuple[str, tuple[Any, ...]]]] = {
        "dense, features": [(f"{d}", (d, *usual[1:])) for d in features],
        "CSR, features": [
            (f"{d}", (d, 2, "CSR", *usual[3:])) for d in features if d >= 100
        ],
        f"{RANDOM}, features": [
            (f"{d}", (d, 2, RANDOM, *usual[3:])) for d in features if d <= 1000
        ],
        "classes": [(f"{c}", (10, c, *usual[2:])) for c in classes],
        "kernel, float32": [(k, (*usual[:3], "float32", k)) for k in kernels],
        "kernel, float64": [(k, (*usual[:3], "float64", k)) for k in kernels],
    }
    for panel, columns in panels.items():
        for column, (d, c, layout, dtype, kernel) in columns:
            for n in samples:
                width = _IN_A_ROW if layout == "CSR" else d
                given = kernel == "precomputed" and n > _MOST_GIVEN
                crowded = layout == RANDOM and n > _MOST_RANDOM
                if n < 10 * c or n * n * width > MOST or given or crowded:
                    continue
                prepare = partial(_prepare, n, d, c, layout, dtype, kernel)
                title = f"{panel} {column}, {n} samples"
                place, slow = (panel, column, f"{n}"), n >= _LARGE
                yield Benchmark(title, prepare, place=place, slow=slow)


def _map(title: str, *axes: tuple[int, ...]) -> Benchmark:
    return Benchmark(
        f"SVM fit over shapes of data, {title}: the fastest peer's time over ours",
        lambda: ([], []),
        f"no field below 1; {OURS} C = 1, overlapping classes",
        slow=True,
        fields=tuple(_fields(*axes)),
    )


SHAPES = _map(
    "200 to 60000 samples",
    (200, 1000, 5000, 20000, 60000),
    (2, 10, 100, 1000, 10000, 100000),
    (2, 10, 50, 200),
)
QUICK = _map("up to 4000 samples", (200, 1000, 4000), (2, 100, 1000), (2, 10, 50))
