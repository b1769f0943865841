"""SVMs on more samples than MNIST has; peers would take hours and are left out."""

from functools import partial
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bench import _stand_ins
from mercer.bench._data import Labelled, few_of, train_part
from mercer.bench._harness import Benchmark, Contestant, Prepared, peak_in_words
from mercer.bench.svc import GAMMA, OURS, C
from mercer.estimators import KernelSVC

SIZES = (30_000, 100_000, 300_000, 1_000_000)
#: Of memory for kernel rows; of hundreds of thousands of images few are kept.
_BUDGET, _OF_IMAGES, _OF_SUPPORT = "2GB", "512MB", "700MB"


def shifted(X: NDArray, y: NDArray) -> Labelled:
    """Square images and their eight shifts by one pixel, zeros moving in.

    >>> X, y = shifted(np.arange(9.0).reshape(1, 9), np.array([7]))
    >>> X.shape, y.tolist() == [7] * 9
    ((9, 9), True)
    >>> X[1].tolist()  # to the left
    [1.0, 2.0, 0.0, 4.0, 5.0, 0.0, 7.0, 8.0, 0.0]
    """
    n, side = len(X), isqrt(X.shape[1])
    wide = np.zeros((n, side + 2, side + 2), X.dtype)
    wide[:, 1:-1, 1:-1] = X.reshape(n, side, side)
    found = np.empty((n, 9, side, side), X.dtype)
    for k, (down, right) in enumerate(product((1, 0, 2), (1, 2, 0))):
        found[:, k] = wide[:, down : down + side, right : right + side]
    return found.reshape(9 * n, side * side), np.repeat(y, 9)


def _contestant(
    name: str, samples: Labelled, C: float, budget: str = _BUDGET, **about: Any
) -> Contestant:
    def fit(X: NDArray, y: NDArray) -> KernelSVC:
        return KernelSVC(C, gamma=GAMMA, memory_budget=budget).fit(X, y)

    def judge(model: KernelSVC) -> str:
        count, memory = len(model.support_), peak_in_words()
        known = f"{count} support vectors, {model.certificate_}"
        return f"{name}: {known}, peak memory {memory}"

    few = few_of(*samples)
    work, warm_up = partial(fit, *samples), partial(fit, *few)
    return Contestant(name, work, warm_up, remark=judge, **about)


def _over_samples() -> Prepared:
    X, y = _stand_ins.smooth(SIZES[-1])
    sizes = [max(2, int(n * _stand_ins.SHARE)) for n in SIZES]
    return [
        _contestant(f"{OURS}, n = {n}", (X[:n], y[:n]), 1.0, line=OURS, x=n)
        for n in sizes
    ], []


def _virtual() -> Prepared:
    samples = shifted(*train_part("mnist"))
    return [_contestant(OURS, samples, C, _OF_IMAGES)], []


def _virtual_support() -> Prepared:
    X, y = train_part("mnist")
    support = KernelSVC(C, gamma=GAMMA).fit(X, y).support_
    return [_contestant(OURS, shifted(X[support], y[support]), C, _OF_SUPPORT)], []


MILLION = Benchmark(
    f"SVM fit, up to a million samples x 20 floats, C = 1, gamma {GAMMA}, float32",
    _over_samples,
    "a million in at most 5 min and 4 GB",
    slow=True,
    x="samples",
)
VIRTUAL = Benchmark(
    f"SVM fit, MNIST and its eight shifts, 540000 x 784, C = {C:g}, gamma {GAMMA}",
    _virtual,
    "at most 15 min and 4 GB",
    slow=True,
)
VIRTUAL_SUPPORT = Benchmark(
    f"SVM fit, MNIST's support vectors and their shifts, C = {C:g}, gamma {GAMMA}",
    _virtual_support,
    "at most 20 s and 2 GB",
    slow=True,
)
