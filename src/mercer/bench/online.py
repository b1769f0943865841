"""Kernel perceptron and Pegasos on zipcombo, against one product an example."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.bench._harness import Benchmark, Contestant
from mercer.datasets import load_dataset
from mercer.estimators import KernelPegasos, KernelPerceptron, Reduction
from mercer.kernels import Gaussian, Gram, Polynomial
from mercer.solvers.online import PerceptronRule, walk

EPOCHS, ROWS = 20, 7438


def _data() -> tuple[NDArray[np.float32], NDArray]:
    data = load_dataset("zipcombo")
    rows = np.random.default_rng(0).permutation(data.X.shape[0])[:ROWS]
    return np.ascontiguousarray(data.X[rows], dtype=np.float32), data.y[rows]


def per_example_perceptron(K: NDArray, y: NDArray, epochs: int) -> NDArray[np.float64]:
    """Report 003's vectorised loop, its equation 45: α times a column, per example."""
    n_classes = len(np.unique(y))
    alpha = np.zeros((n_classes, len(y)))
    signs = np.where(np.arange(n_classes)[:, None] == y, 1.0, -1.0)
    for _ in range(epochs):
        for i in range(len(y)):
            predicted = np.where(alpha @ K[:, i] > 0, 1.0, -1.0)
            wrong = predicted != signs[:, i]
            alpha[wrong, i] += signs[wrong, i]
    return alpha


def _prepare_perceptron() -> tuple[Sequence[Contestant], list[str]]:
    X, y = _data()
    kernel = Polynomial(5)
    gram = Gram(kernel, X, budget="2GB")
    K, signs = gram.matrix, Reduction.make("ovr", 10).signs(y)

    def model(epochs: int) -> KernelPerceptron:
        return KernelPerceptron(kernel, epochs=epochs, shuffle=False, mistake="sign")

    few = per_example_perceptron(K, y, 2)
    fast = model(2).fit(X, y)
    ours = np.zeros_like(few)
    ours[:, fast.support_] = fast.dual_coef_
    same = "the same" if (ours == few).all() else "NOT the same"
    contestants = [
        Contestant("20 epochs on the Gram", lambda: _walk(gram, signs)),
        Contestant("fit from samples, 20 epochs", lambda: model(EPOCHS).fit(X, y)),
        Contestant("Gram alone", lambda: kernel(X)),
        Contestant("per example", lambda: per_example_perceptron(K, y, EPOCHS)),
    ]
    return contestants, [f"coefficients of both after 2 epochs: {same}"]


def _walk(gram: Gram, signs: NDArray[np.float64]) -> None:
    """What fit does once the Gram is there."""
    rules = [PerceptronRule(zero_is_negative=True)] * len(signs)
    scores, steps = np.zeros(signs.shape), np.zeros(len(signs), np.int64)
    order, active = np.arange(gram.n_samples)[None], np.arange(len(signs))
    for _ in range(EPOCHS):
        mine = scores[active]
        found = walk(gram, rules, signs[active], order, mine, steps[active])
        scores[active] = mine
        steps[active] = [updates.n_steps for updates in found]
        active = active[[len(updates.samples) > 0 for updates in found]]
        if not len(active):
            return


def _prepare_pegasos() -> tuple[Sequence[Contestant], list[str]]:
    X, y = _data()
    kernel = Gaussian.from_width(8.0)  # width 2 for pixels in 0..1
    K = Gram(kernel, X).matrix
    model = KernelPegasos("precomputed", lam=1e-5, epochs=2, random_state=0)
    work: Callable[[], object] = lambda: model.fit(K, y)  # noqa: E731
    return [
        Contestant("Gram alone", lambda: kernel(X)),
        Contestant("10 digits, T = 2n, on the Gram", work),
    ], []


PERCEPTRON = Benchmark(
    "Kernel perceptron, 20 epochs, OvR, degree 5, 7438 rows of zipcombo, float32",
    _prepare_perceptron,
    "20 epochs at least 500x faster than per example; fit at most 2x the Gram",
)
PEGASOS = Benchmark(
    "Kernel Pegasos, 10 digits, T = 2n, Gaussian, 7438 rows of zipcombo, float32",
    _prepare_pegasos,
    "at most 0.5 s, Gram aside",
)
