"""KernelSVC against scikit-learn's SVC and scikit-learn-intelex's."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from mercer.bench._harness import Benchmark, Contestant
from mercer.bench._memory_of import peak_memory
from mercer.datasets import load_dataset
from mercer.estimators import KernelSVC

OURS = "KernelSVC"
C, GAMMA = 10.0, 0.02
_WARM_UP = 600


def peers(gamma: float) -> dict[str, Callable[[], Any]]:
    """Ways to make an SVM with the same parameters."""
    makers: dict[str, Callable[[], Any]] = {
        OURS: lambda: KernelSVC(C, gamma=gamma),
        "scikit-learn": lambda: SVC(C=C, gamma=gamma, cache_size=1000),
    }
    if find_spec("sklearnex") is not None:
        intelex = importlib.import_module("sklearnex.svm").SVC
        makers["scikit-learn-intelex"] = lambda: intelex(C=C, gamma=gamma)
    return makers


def left_out() -> list[str]:
    if find_spec("sklearnex") is None:
        return ["scikit-learn-intelex is not installed: left out"]
    return []


def train_part(name: str) -> tuple[NDArray[np.float32], NDArray]:
    data = load_dataset(name)
    return np.ascontiguousarray(data.X[data.train], np.float32), data.y[data.train]


def _fits(
    X: NDArray, y: NDArray, gammas: Sequence[float] = (GAMMA,)
) -> tuple[Sequence[Contestant], list[str]]:
    """A contestant for each peer and γ."""
    few = np.sort(np.random.default_rng(0).permutation(len(y))[:_WARM_UP])
    contestants, remarks = [], []
    for gamma in gammas:
        for name, make in peers(gamma).items():

            def work(make: Callable[[], Any] = make) -> None:
                make().fit(X, y)

            def warm_up(make: Callable[[], Any] = make) -> None:
                make().fit(X[few], y[few])

            which = f", gamma {gamma:g}" if len(gammas) > 1 else ""
            beside = f"{OURS}{which}"
            contestants.append(
                Contestant(f"{name}{which}", work, warm_up, beside=beside)
            )
        model = KernelSVC(C, gamma=gamma).fit(X, y)
        remarks.append(
            f"gamma {gamma:g}: {len(model.support_)} support vectors, "
            f"{model.certificate_}, peak memory {peak_memory()}"
        )
    return contestants, remarks + left_out()


def _usps() -> tuple[Sequence[Contestant], list[str]]:
    return _fits(*train_part("usps"), gammas=(0.0156, 0.02, 0.05))


def _binary() -> tuple[Sequence[Contestant], list[str]]:
    X, y = train_part("usps")
    return _fits(X, y == 3)


def _mnist_10k() -> tuple[Sequence[Contestant], list[str]]:
    X, y = train_part("mnist")
    return _fits(X[:10000], y[:10000])


def _mnist() -> tuple[Sequence[Contestant], list[str]]:
    """Fits, and predictions with what they gave."""
    X, y = train_part("mnist")
    data = load_dataset("mnist")
    new, truth = data.X[data.test], data.y[data.test]
    few = slice(0, _WARM_UP)
    models: dict[str, Any] = {}
    remarks: list[str] = []
    fits, predictions = [], []
    for name, make in peers(GAMMA).items():

        def fit(rows: slice, name: str = name, make: Callable[[], Any] = make) -> None:
            models[name] = make().fit(X[rows], y[rows])

        def predict(rows: slice, name: str = name) -> None:
            wrong = float(np.mean(models[name].predict(new[rows]) != truth[rows]))
            if rows != few:
                count = len(models[name].support_)
                remarks.append(f"{name}: {count} support vectors, error {wrong:.2%}")

        everything = slice(None)
        fits.append(
            Contestant(f"{name}, fit", partial(fit, everything), partial(fit, few))
        )
        predictions.append(
            Contestant(
                f"{name}, predict",
                partial(predict, everything),
                partial(predict, few),
                beside=f"{OURS}, predict",
            )
        )
    fits[0].work()
    remarks.append(f"{models[OURS].certificate_}, peak memory {peak_memory()}")
    remarks += left_out()
    return [*fits, *predictions], remarks


def _predict() -> tuple[Sequence[Contestant], list[str]]:
    data = load_dataset("mnist")
    X, y = data.X[data.train][:10000], data.y[data.train][:10000]
    new, truth = data.X[data.test], data.y[data.test]
    contestants, remarks = [], []
    for name, make in peers(GAMMA).items():
        model = make().fit(X, y)

        def work(model: Any = model) -> None:
            model.predict(new)

        def warm_up(model: Any = model) -> None:
            model.predict(new[:100])

        contestants.append(Contestant(name, work, warm_up))
        wrong = float(np.mean(model.predict(new) != truth))
        remarks.append(f"{name}: error {wrong:.2%}")
    return contestants, remarks + left_out()


_SETTINGS = f"C = {C:g}, tol 1e-3, float32"
USPS = Benchmark(f"SVM fit, USPS 7291, {_SETTINGS}", _usps, "at least 5x both peers")
BINARY = Benchmark(
    f"SVM fit, USPS 3 against the rest, gamma {GAMMA}, {_SETTINGS}",
    _binary,
    "at least 5x both peers",
)
MNIST_10K = Benchmark(
    f"SVM fit, MNIST first 10000, gamma {GAMMA}, {_SETTINGS}",
    _mnist_10k,
    "at least 9x scikit-learn and 3x intelex, at most 1 GB",
)
MNIST = Benchmark(
    f"SVM fit, MNIST 60000, then predict 10000, gamma {GAMMA}, {_SETTINGS}",
    _mnist,
    "fit at least 30x scikit-learn and 6x intelex, at most 1.5 GB; "
    "predict at least 30x and 3x",
    slow=True,
)
PREDICT = Benchmark(
    f"SVM predict, 10000 images, fitted on MNIST first 10000, gamma {GAMMA}",
    _predict,
    "at least 30x scikit-learn and 3x intelex",
)
