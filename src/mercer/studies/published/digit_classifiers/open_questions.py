"""What the report leaves open: its epochs, a learning rate, and how work grows."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelKNN, KernelSVC
from mercer.kernels import Gaussian, Gram, Kernel, Polynomial
from mercer.model_selection import cross_validating_procedure
from mercer.studies import Context, Outcome, derive_seed
from mercer.studies.published.digit_classifiers.learners import (
    class_numbers,
    perceptron,
    pixels,
)
from mercer.studies.published.digit_classifiers.procedures import (
    ProcedureRun,
    draw_split,
)
from mercer.studies.published.digit_classifiers.settings import (
    COARSE_SHARE,
    EPOCHS,
    FOLDS,
    RATES,
    SIZES,
    TRIED_DEGREES,
    TRIED_EPOCHS,
)

_BEST_DEGREE, _BEST_C = 4, 10.0
_STARTING_SAMPLES = 10


def chosen_epochs(context: Context, run: ProcedureRun) -> Outcome:
    """The cross-validating procedure on its own splits, with epochs to choose too."""
    X, y = pixels(context), class_numbers(context)
    kernels: dict[Kernel, int] = {Polynomial(d): d for d in TRIED_DEGREES}
    grid = {"kernel": list(kernels), "epochs": list(TRIED_EPOCHS)}
    splits = ProcedureRun("cross-validating", run.number, run.seed).splits(len(y))
    result, seconds = run.together(
        context,
        "epochs",
        lambda: cross_validating_procedure(
            perceptron(), grid, X, y, n_splits=FOLDS, splits=splits
        ),
    )
    chosen = result.params[run.place]
    found = {
        "chosen": kernels[chosen["kernel"]],
        "chosen epochs": chosen["epochs"],
        "test": result.test_errors[run.place],
    }
    return Outcome(found, {"search": seconds})


def learning_rates(context: Context, run: ProcedureRun) -> Outcome:
    """A perceptron on a tenth, by each rate, from zero and from somewhere else."""
    X, y = pixels(context), class_numbers(context)
    random = np.random.default_rng(derive_seed(run.seed, run.procedure, run.number))
    rows = random.permutation(len(y))[: max(20, round(COARSE_SHARE * len(y)))]
    train, test = draw_split(len(rows), derive_seed(run.seed, "rate", run.number))
    K = Gram(Polynomial(_BEST_DEGREE), X[rows].astype(np.float64)).matrix
    signs = np.where(y[rows] == np.arange(y.max() + 1)[:, None], 1.0, -1.0)
    elsewhere = np.zeros(signs.shape)
    some = random.choice(train, _STARTING_SAMPLES, replace=False)
    elsewhere[:, some] = random.choice([-1.0, 1.0], (len(signs), len(some)))
    found: dict[str, Any] = {}
    for start, first in (("zero", np.zeros(signs.shape)), ("elsewhere", elsewhere)):
        for rate in RATES:
            updates, scores = walk_with_rate(K, signs, train, rate, first)
            decided = scores[:, test].argmax(axis=0)
            found[f"updates from {start} at {rate:g}"] = updates
            found[f"test from {start} at {rate:g}"] = np.mean(decided != y[rows][test])
    return Outcome(found)


def walk_with_rate(
    K: NDArray[np.float64],
    signs: NDArray[np.float64],
    train: NDArray[np.intp],
    rate: float,
    start: NDArray[np.float64],
) -> tuple[int, NDArray[np.float64]]:
    """Updates and last scores of w ← w + rate·y·φ(x), all classes beside each other."""
    scores, updates = start @ K, 0
    for _ in range(EPOCHS):
        for i in train:
            wrong = np.where(scores[:, i] > 0, 1.0, -1.0) != signs[:, i]
            scores[wrong] += rate * np.outer(signs[wrong, i], K[i])
            updates += int(wrong.sum())
    return updates, scores


def growth(context: Context, run: ProcedureRun) -> Outcome:
    """Work and seconds of the three learners, by the number of training samples."""
    X, y = pixels(context), class_numbers(context)
    seed = derive_seed(run.seed, run.procedure, run.number)
    train, test = draw_split(len(y), seed)
    learners = {
        "perceptron": perceptron(kernel=Polynomial(_BEST_DEGREE)),
        "knn": KernelKNN(1, "cosine"),
        "svm": KernelSVC(C=_BEST_C, kernel=Gaussian(1 / X.shape[1])),
    }
    sizes = [n for n in SIZES if n < len(train)] + [len(train)]
    found: dict[str, Any] = {"sizes": sizes}
    seconds = {}
    for name, model in learners.items():
        for n in sizes:
            begin = time.perf_counter()
            model.fit(X[train[:n]], y[train[:n]])
            fitted = time.perf_counter()
            model.predict(X[test])
            seconds[f"{name} fit {n}"] = fitted - begin
            seconds[f"{name} predict {n}"] = time.perf_counter() - fitted
            found |= {f"{name} {k} {n}": v for k, v in _work(name, model).items()}
    return Outcome(found, seconds)


def _work(name: str, model: Any) -> dict[str, int]:
    """What was done, in numbers that no clock is asked for."""
    if name == "perceptron":
        updates = int(np.sum(model.mistakes_))
        return {"updates": updates, "support": len(model.support_)}
    if name == "svm":
        steps = int(model.certificate_.iterations)
        return {"updates": steps, "support": len(model.support_)}
    return {}
