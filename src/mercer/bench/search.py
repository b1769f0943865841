"""GramSearchCV against GridSearchCV, and against the time of one Gram."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from mercer.bench._harness import Benchmark, Contestant
from mercer.bench._memory_of import peak_memory
from mercer.datasets import load_dataset
from mercer.estimators import KernelPerceptron, KernelSVC
from mercer.kernels import Polynomial
from mercer.model_selection import GramSearchCV

GRID = {"C": [0.5, 1, 10, 50, 100, 500, 1000], "gamma": [0.005, 0.01, 0.02, 0.05]}
WIDE = {"C": np.logspace(-1, 3, 10).tolist(), "gamma": np.logspace(-3, -1, 10).tolist()}
DEGREES, EPOCHS, FOLDS, ROWS = range(1, 8), range(1, 21), 5, 4000
_WARM_UP = 600


def _contestant(
    name: str,
    make: Callable[[], Any],
    X: NDArray,
    y: NDArray,
    remarks: list[str],
) -> Contestant:
    """A search, which leaves its winner and its memory among the remarks."""
    few = np.sort(np.random.default_rng(0).permutation(len(y))[:_WARM_UP])
    said: set[str] = set()

    def work() -> None:
        search = make().fit(X, y)
        if name not in said:
            said.add(name)
            remarks.append(
                f"{name}: best {search.best_params_}, score {search.best_score_:.4f}, "
                f"peak memory {peak_memory()}"
            )

    return Contestant(name, work, lambda: make().fit(X[few], y[few]))


def _usps() -> tuple[Sequence[Contestant], list[str]]:
    data, remarks = load_dataset("usps"), list[str]()
    X, y = np.ascontiguousarray(data.X[data.train], np.float32), data.y[data.train]
    options: dict[str, Any] = {"cv": FOLDS, "refit": False}
    makers: dict[str, Callable[[], Any]] = {
        "GramSearchCV(KernelSVC)": lambda: GramSearchCV(KernelSVC(), GRID, **options),
        "GridSearchCV(SVC), 2 processes": lambda: GridSearchCV(
            SVC(cache_size=1000), GRID, n_jobs=2, **options
        ),
    }
    if find_spec("sklearnex") is None:
        remarks.append("scikit-learn-intelex is not installed: left out")
    else:
        intelex = importlib.import_module("sklearnex.svm").SVC
        makers["GridSearchCV(intelex's SVC)"] = lambda: GridSearchCV(
            intelex(), GRID, **options
        )
    return [_contestant(n, make, X, y, remarks) for n, make in makers.items()], remarks


def _mnist5k() -> tuple[Sequence[Contestant], list[str]]:
    data, remarks = load_dataset("mnist5k"), list[str]()
    rows = np.random.default_rng(0).permutation(len(data.y))[:ROWS]
    X, y = np.ascontiguousarray(data.X[rows], np.float32), data.y[rows]

    def make() -> Any:
        return GramSearchCV(KernelSVC(), WIDE, cv=FOLDS, refit=False)

    return [_contestant("GramSearchCV(KernelSVC)", make, X, y, remarks)], remarks


def _perceptron() -> tuple[Sequence[Contestant], list[str]]:
    data, remarks = load_dataset("zipcombo"), list[str]()
    X, y = np.ascontiguousarray(data.X, np.float32), data.y
    kernels = [Polynomial(degree) for degree in DEGREES]
    grid: dict[str, list[Any]] = {"kernel": kernels, "epochs": list(EPOCHS)}
    model = KernelPerceptron(kernels[0], random_state=0)

    def make() -> Any:
        return GramSearchCV(model, grid, cv=FOLDS, refit=False)

    return [
        Contestant("one Gram", lambda: kernels[-1](X)),
        _contestant("7 degrees, 20 epochs, 5 folds", make, X, y, remarks),
    ], remarks


USPS = Benchmark(
    "Search, USPS 7291 float32, SVM one-vs-one, 7 C x 4 gamma, 5 folds",
    _usps,
    "at least 20x GridSearchCV with 2 processes, 27x intelex, the same best",
    slow=True,
)
MNIST_5K = Benchmark(
    "Search, 4000 rows of mnist5k, SVM one-vs-one, 10 C x 10 gamma, 5 folds",
    _mnist5k,
    "at most 12 s where liquidSVM 1.0.1 takes 49 s",
)
PERCEPTRON = Benchmark(
    "Search, zipcombo float32, perceptron one-vs-rest, each of 20 epochs read",
    _perceptron,
    "at most 4x one Gram",
)
