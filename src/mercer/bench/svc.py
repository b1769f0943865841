"""KernelSVC against scikit-learn's SVC and scikit-learn-intelex's."""

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from mercer.bench._data import FEW, Labelled, both_parts, few_of, train_part
from mercer.bench._harness import Benchmark, Contestant, Prepared, peak_in_words
from mercer.estimators import KernelSVC

OURS, SKLEARN = "KernelSVC", "scikit-learn"
C, GAMMA = 10.0, 0.02
SIZES = (2500, 5000, 10000, 20000, 40000, 60000)
BUDGETS, ROWS = (25, 50, 100, 200, 400, 800), 20000

Maker = Callable[[], Any]


def intelex_svc() -> Any:
    """scikit-learn-intelex's SVC, or None where it is not installed."""
    if find_spec("sklearnex") is None:
        return None
    return importlib.import_module("sklearnex.svm").SVC


def left_out() -> list[str]:
    """The remark about a peer that is not there."""
    if intelex_svc() is None:
        return ["scikit-learn-intelex is not installed: left out"]
    return []


def fitting(name: str, make: Maker, X: NDArray, y: NDArray, **about: Any) -> Contestant:
    """A contestant that fits a model, warmed up on a few of the samples.

    Ours on all of them: a few take another way, through other compiled functions.
    """
    few = few_of(X, y)
    warm_up = None if name.startswith(OURS) else lambda: make().fit(*few)
    return Contestant(name, lambda: make().fit(X, y), warm_up, **about)


def peers(gamma: float, C: float = C, **about: Any) -> dict[str, Maker]:
    """Ways to make an SVM with the same parameters."""
    about |= {"C": C, "gamma": gamma}
    makers: dict[str, Maker] = {
        OURS: partial(KernelSVC, **about),
        SKLEARN: partial(SVC, cache_size=1000, **about),
    }
    if (intelex := intelex_svc()) is not None:
        makers["scikit-learn-intelex"] = partial(intelex, **about)
    return makers


def _beside_ours(
    name: str, make: Maker, X: NDArray, y: NDArray, which: str, **about: Any
) -> Contestant:
    return fitting(f"{name}{which}", make, X, y, beside=f"{OURS}{which}", **about)


def _fits(X: NDArray, y: NDArray, gammas: Sequence[float] = (GAMMA,)) -> Prepared:
    """A contestant for each peer and γ."""
    contestants, remarks = [], []
    for gamma in gammas:
        which = f", gamma {gamma:g}" if len(gammas) > 1 else ""
        for name, make in peers(gamma).items():
            contestants.append(_beside_ours(name, make, X, y, which))
        model = KernelSVC(C, gamma=gamma).fit(X, y)
        remarks.append(
            f"gamma {gamma:g}: {len(model.support_)} support vectors, "
            f"{model.certificate_}, peak memory {peak_in_words()}"
        )
    return contestants, remarks + left_out()


def _binary() -> Prepared:
    X, y = train_part("usps")
    return _fits(X, y == 3)


def _mnist_10k() -> Prepared:
    X, y = train_part("mnist")
    return _fits(X[:10000], y[:10000])


def fits_then_predictions(
    train: Labelled, test: Labelled, makers: dict[str, Maker], which: str = ""
) -> Prepared:
    """Fits, and predictions with what they gave."""
    (X, y), (new, truth) = train, test
    (few, few_y), models = few_of(X, y), {}

    def fit(name: str, X: Any = X, y: Any = y) -> None:
        models[name] = makers[name]().fit(X, y)

    def predict(name: str, rows: int | None = None) -> NDArray:
        return np.asarray(models[name].predict(new[:rows]))

    def judge(name: str, predicted: NDArray) -> str:
        count, wrong = len(models[name].support_), np.mean(predicted != truth)
        return f"{name}{which}: {count} support vectors, error {wrong:.2%}"

    fits = [
        Contestant(
            f"{name}, fit{which}",
            partial(fit, name),
            partial(fit, name, few, few_y),
            beside=f"{OURS}, fit{which}",
        )
        for name in makers
    ]
    predictions = [
        Contestant(
            f"{name}, predict{which}",
            partial(predict, name),
            partial(predict, name, FEW),
            beside=f"{OURS}, predict{which}",
            remark=partial(judge, name),
        )
        for name in makers
    ]
    fits[0].work()
    memory = f"{models[OURS].certificate_}, peak memory {peak_in_words()}"
    return [*fits, *predictions], [memory]


def _mnist() -> Prepared:
    contestants, remarks = fits_then_predictions(*both_parts("mnist"), peers(GAMMA))
    return contestants, remarks + left_out()


def _predict() -> Prepared:
    (X, y), (new, truth) = both_parts("mnist")
    contestants, remarks = [], []
    for name, make in peers(GAMMA).items():
        predict = make().fit(X[:10000], y[:10000]).predict
        wrong = float(np.mean(predict(new) != truth))
        remarks.append(f"{name}: error {wrong:.2%}")
        contestants.append(
            Contestant(name, partial(predict, new), partial(predict, new[:100]))
        )
    return contestants, remarks + left_out()


def _over_samples() -> Prepared:
    X, y = train_part("mnist")
    return [
        _beside_ours(name, make, X[:n], y[:n], f", n = {n}", line=name, x=n)
        for n in SIZES
        for name, make in peers(GAMMA).items()
    ], left_out()


def _over_memory() -> Prepared:
    X, y = (part[:ROWS] for part in train_part("mnist"))
    contestants = []
    for megabytes in BUDGETS:
        ours = partial(KernelSVC, C, gamma=GAMMA, memory_budget=f"{megabytes}MB")
        theirs = partial(SVC, C=C, gamma=GAMMA, cache_size=megabytes)
        contestants += [
            _beside_ours(n, make, X, y, f", {megabytes} MB", line=n, x=megabytes)
            for n, make in ((OURS, ours), (SKLEARN, theirs))
        ]
    return contestants, []


_SETTINGS = f"C = {C:g}, tol 1e-3, float32"
USPS = Benchmark(
    f"SVM fit, USPS 7291, {_SETTINGS}",
    lambda: _fits(*train_part("usps"), gammas=(0.0156, 0.02, 0.05)),
    "at least 5x both peers",
)
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
SAMPLES = Benchmark(
    f"SVM fit against the number of samples, MNIST, gamma {GAMMA}, C = {C:g}",
    _over_samples,
    slow=True,
    x="samples",
)
MEMORY = Benchmark(
    f"SVM fit against the memory for kernel rows, first {ROWS} of MNIST",
    _over_memory,
    slow=True,
    x="memory for kernel values, MB",
)
