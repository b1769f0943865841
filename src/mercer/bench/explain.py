"""Exact Shapley values beside shap's sampling, and beside all coalitions."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.estimators import KernelSVC
from mercer.explain import shapley_values

#: Features, samples to explain, background rows and support vectors: so small that all
#: coalitions can be counted, and as many as one meets.
SMALL = (12, 5, 20, 200)
LARGE = (20, 200, 100, 1000)

Work = Callable[[], NDArray[np.float64]]


def _make(
    n_features: int, n_samples: int, n_rows: int, n_vectors: int
) -> tuple[KernelSVC, NDArray, NDArray]:
    """A machine of which every training sample is a support vector."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_vectors, n_features))
    model = KernelSVC(C=0.01).fit(X, np.arange(n_vectors) % 2)
    new = rng.normal(size=(n_samples + n_rows, n_features))
    return model, new[:n_samples], new[n_samples:]


def _all_coalitions(model: Any, X: NDArray, background: NDArray) -> NDArray[np.float64]:
    """By the definition, with one call of the model for all coalitions of a sample."""
    d = X.shape[1]
    members = np.array(list(product((False, True), repeat=d)))
    sizes = members.sum(axis=1)
    values = np.zeros(X.shape)
    for i, x in enumerate(X):
        mixed = np.where(members[:, None], x, background).reshape(-1, d)
        worth = model.decision_function(mixed).reshape(len(members), -1).mean(axis=1)
        for j in range(d):
            rest = np.flatnonzero(~members[:, j])
            gain = worth[rest + (1 << (d - 1 - j))] - worth[rest]
            weights = [1 / (d * comb(d - 1, int(size))) for size in sizes[rest]]
            values[i, j] = gain @ weights
    return values


def _prepare() -> Prepared:
    model, X, background = _make(*SMALL)
    exact = _all_coalitions(model, X, background)
    large = _make(*LARGE)

    def remark(name: str) -> Callable[[Any], str]:
        def judge(values: Any) -> str:
            return f"{name}: largest error {np.abs(values - exact).max():.1e}"

        return judge

    def contestant(name: str, work: Work) -> Contestant:
        return Contestant(name, work, remark=remark(name))

    goal = "{1} samples, {0} features, {2} background rows, {3} support vectors"
    contestants = [
        contestant(
            "shapley_values",
            lambda: shapley_values(model, X, background).values[:, :, 0],
        ),
        Contestant("all coalitions", lambda: _all_coalitions(model, X, background)),
        Contestant(goal.format(*LARGE), lambda: shapley_values(*large)),
    ]
    remarks = [f"values go up to {np.abs(exact).max():.1e}"]
    if find_spec("shap") is None:
        return contestants, [*remarks, "shap is not installed: left out"]
    import shap

    def sample() -> NDArray[np.float64]:
        explainer = shap.KernelExplainer(model.decision_function, background)
        found: NDArray = explainer.shap_values(X, silent=True)
        return found

    contestants.insert(1, contestant("shap.KernelExplainer", sample))
    return contestants, remarks


BENCHMARK = Benchmark(
    f"Shapley values of a Gaussian SVM, {SMALL[1]} samples, {SMALL[0]} features, "
    f"{SMALL[2]} background rows, {SMALL[3]} support vectors",
    _prepare,
    "the large one in at most 10 s; errors of rounding only",
)
