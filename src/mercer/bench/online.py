"""Kernel perceptron and Pegasos on zipcombo, against one product per example."""

import numpy as np
from numpy.typing import NDArray

from mercer.bench._data import random_part
from mercer.bench._harness import Benchmark, Contestant, Prepared
from mercer.estimators import KernelPegasos, KernelPerceptron
from mercer.kernels import Gaussian, Gram, Polynomial
from mercer.solvers.online import PerceptronRule, walk

EPOCHS, ROWS = 20, 7438


def per_example_perceptron(
    K: NDArray, signs: NDArray[np.float64], epochs: int
) -> NDArray[np.float64]:
    """The loop of the paper behind digit-classifiers (45): α times a column each."""
    alpha = np.zeros(signs.shape)
    for _ in range(epochs):
        for i in range(len(K)):
            predicted = np.where(alpha @ K[:, i] > 0, 1.0, -1.0)
            wrong = predicted != signs[:, i]
            alpha[wrong, i] += signs[wrong, i]
    return alpha


def _prepare_perceptron() -> Prepared:
    X, y = random_part("zipcombo", ROWS)
    kernel = Polynomial(5)
    gram = Gram(kernel, X, budget="2GB")
    K, signs = gram.matrix, np.where(np.arange(10)[:, None] == y, 1.0, -1.0)

    def model(epochs: int) -> KernelPerceptron:
        return KernelPerceptron(kernel, epochs=epochs, shuffle=False, mistake="sign")

    few = per_example_perceptron(K, signs, 2)
    fast = model(2).fit(X, y)
    ours = np.zeros_like(few)
    ours[:, fast.support_] = fast.dual_coef_
    same = "the same" if (ours == few).all() else "NOT the same"
    contestants = [
        Contestant("20 epochs on the Gram", lambda: _walk(gram, signs)),
        Contestant("fit from samples, 20 epochs", lambda: model(EPOCHS).fit(X, y)),
        Contestant("Gram alone", lambda: kernel(X)),
        Contestant("per example", lambda: per_example_perceptron(K, signs, EPOCHS)),
    ]
    return contestants, [f"coefficients of both after 2 epochs: {same}"]


def _walk(gram: Gram, signs: NDArray[np.float64]) -> None:
    """What fit does once the Gram is there: problems without a mistake are done."""
    scores, order = np.zeros(signs.shape), np.arange(signs.shape[1])[None]
    for epoch in range(EPOCHS):
        rules = [PerceptronRule(zero_is_negative=True)] * len(signs)
        before = np.full(len(signs), epoch * signs.shape[1])
        updates = walk(gram, rules, signs, order, scores, before)
        mistaken = [len(new.samples) > 0 for new in updates]
        signs, scores = signs[mistaken], scores[mistaken]


def _prepare_pegasos() -> Prepared:
    X, y = random_part("zipcombo", ROWS)
    kernel = Gaussian.from_width(8.0)  # width 2 for pixels in 0..1
    K = Gram(kernel, X).matrix
    model = KernelPegasos("precomputed", lam=1e-5, epochs=2, random_state=0)
    return [
        Contestant("Gram alone", lambda: kernel(X)),
        Contestant("10 digits, T = 2n, on the Gram", lambda: model.fit(K, y)),
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
