"""Approximations where an exact SVM on all samples is too dear: error against time.

An exact SVM on a part of the samples, beside a linear machine on all of them whose
features are scikit-learn's `Nystroem` of the same kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from mercer.bench._data import FEW, Labelled, both_parts
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.bench.svc import GAMMA, C
from mercer.estimators import KernelSVC
from mercer.kernels import Gaussian

MILLION, TEST = 1_000_000, 20_000
FEATURES, WRONG = 5, 0.05  # of the generated samples; the share of wrong labels
MNIST_PARTS = (1000, 3000, 10_000, 30_000, 60_000)
DRAWN_PARTS = (1000, 3000, 10_000, 30_000)
MNIST_LANDMARKS = (50, 150, 400, 1000)
DRAWN_LANDMARKS = (10, 30, 100)
_RIDGE = 0.1


def draw_waves(n: int, seed: int, wrong: float = WRONG, gap: float = 0.0) -> Labelled:
    """Two classes beside a wavy border, some labels wrong, or none near the border."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (2 * n if gap else n, FEATURES)).astype(np.float32)
    height = np.sin(3 * X[:, 0] + 2 * X[:, 1] * X[:, 2]) + X[:, 3:].mean(axis=1)
    clear = np.flatnonzero(np.abs(height) >= gap)[:n]
    return X[clear], (height[clear] > 0) ^ (rng.random(len(clear)) < wrong)


def _exact(C: float, gamma: float, n: int) -> Any:
    return KernelSVC(C, Gaussian(gamma))


def _nystroem(gamma: float, n_landmarks: int, n: int) -> Any:
    kernel = Gaussian(gamma).to_sklearn()
    features = Nystroem(kernel, n_components=min(n_landmarks, n), random_state=0)
    return make_pipeline(features, RidgeClassifier(_RIDGE, solver="cholesky"))


def _contestant(
    line: str, which: str, make: Callable[[int], Any], train: Labelled, test: Labelled
) -> Contestant:
    X, y = train

    def fit(n: int) -> Any:
        return make(n).fit(X[:n], y[:n])

    def error(model: Any) -> float:
        return float(np.mean(model.predict(test[0]) != test[1]))

    return Contestant(
        f"{line}, {which}",
        partial(fit, len(y)),
        partial(fit, min(FEW, len(y))),
        line=line,
        height=error,
    )


def _of(
    name: str,
    train: Labelled,
    test: Labelled,
    gamma: float,
    C: float,
    parts: tuple[int, ...],
    landmarks: tuple[int, ...],
) -> list[Contestant]:
    X, y = train
    exact = [
        _contestant(
            f"{name}, exact SVM on a part",
            f"{n} samples",
            partial(_exact, C, gamma),
            (X[:n], y[:n]),
            test,
        )
        for n in parts
    ]
    return exact + [
        _contestant(
            f"{name}, Nystroem on all",
            f"{m} landmarks",
            partial(_nystroem, gamma, m),
            train,
            test,
        )
        for m in landmarks
    ]


def _shuffled(X: NDArray, y: NDArray) -> Labelled:
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def _prepare() -> Prepared:
    train, test = both_parts("mnist")
    mnist = _of(
        "MNIST", _shuffled(*train), test, GAMMA, C, MNIST_PARTS, MNIST_LANDMARKS
    )
    million, others = draw_waves(MILLION, 0), draw_waves(TEST, 1)
    drawn = _of(
        "a million drawn", million, others, 0.5, 1.0, DRAWN_PARTS, DRAWN_LANDMARKS
    )
    remark = f"of the drawn labels {WRONG:.0%} are wrong: no error can be less"
    return [*mnist, *drawn], [remark]


BENCHMARK = Benchmark(
    "Approximations: a part of the samples, or Nystroem on all, processor seconds",
    _prepare,
    slow=True,
    x="processor seconds of a fit",
    y="test error",
    clock=time.process_time,
)
