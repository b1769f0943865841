"""The report's procedures: each is one run of one configuration."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gaussian, Gram, Polynomial
from mercer.metrics import confusion
from mercer.studies.cell import Outcome
from mercer.studies.compare.bitmap import pack
from mercer.studies.context import Context
from mercer.studies.published.digit_classifiers.learners import (
    class_numbers,
    gram_of,
    learner,
    pixels,
    reduction_of,
)
from mercer.studies.published.digit_classifiers.perceptrons import (
    Perceptrons,
    learn_and_decide,
)
from mercer.studies.published.digit_classifiers.settings import (
    COARSE,
    COARSE_SHARE,
    CONFIGURATIONS,
    EPOCHS,
    FINE,
    FOLDS,
    key,
)
from mercer.studies.published.digit_classifiers.splits import (
    Part,
    draw_part,
    draw_some,
    fold_parts,
)


def basic(context: Context, name: str, seed: int) -> Outcome:
    """One split: training and test error for every value."""
    y = class_numbers(context)
    part = draw_part(np.arange(len(y)), seed)
    decide = learner(context, name)
    values = CONFIGURATIONS[name].values
    begin = time.perf_counter()
    (decided,) = decide([Part(part.train, np.arange(len(y)))], values)
    seconds = time.perf_counter() - begin
    wrong = decided != y
    found = {}
    for value, mistakes in zip(values, wrong):
        found[f"train {key(value)}"] = mistakes[part.train].mean()
        found[f"test {key(value)}"] = mistakes[part.at].mean()
    return Outcome(found, {"all values": seconds, "per value": seconds / len(values)})


def cross_validating(context: Context, name: str, seed: int) -> Outcome:
    """One split: cross-validation chooses the value, and the model is tested once."""
    y = class_numbers(context)
    part = draw_part(np.arange(len(y)), seed)
    decide = learner(context, name)
    values = CONFIGURATIONS[name].values
    folds = fold_parts(part.train, FOLDS)
    begin = time.perf_counter()
    answers = decide(folds, values)
    errors = np.mean([(a != y[f.at]).mean(axis=1) for a, f in zip(answers, folds)], 0)
    best = values[int(errors.argmin())]
    searched = time.perf_counter()
    decided = decide([part], [best])[0][0]
    fitted = time.perf_counter()
    wrong = np.flatnonzero(decided != y[part.at])
    counts = confusion(y[part.at], decided, labels=np.arange(y.max() + 1))
    found: dict[str, Any] = {
        "chosen": best,
        "test": len(wrong) / len(part.at),
        "wrong": [
            [int(part.at[i]), int(y[part.at[i]]), int(decided[i])] for i in wrong
        ],
        "tested": pack(part.at),
        "confusion": counts,
        **{f"cv {key(v)}": error for v, error in zip(values, errors)},
        **_rates(counts),
    }
    seconds = {"search": searched - begin, "fit and test": fitted - searched}
    return Outcome(found, seconds, part.at[wrong].tolist())


def _rates(counts: NDArray[np.int64]) -> dict[str, float]:
    """Each cell of a confusion by its name, as a share of its row."""
    rates = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {
        f"confusion {i} {j}": rates[i, j]
        for i in range(len(rates))
        for j in range(len(rates))
        if i != j
    }


def coarse(context: Context, seed: int) -> Outcome:
    """One split of a tenth of the data: test error for widths far and wide.

    The report does not say which tenth: a random one each time, and the first rows of
    the file are both tried.
    """
    n_samples = context.dataset.n_samples
    some = draw_some(n_samples, COARSE_SHARE, seed)
    found = {}
    for name, rows in (("test", some), ("first rows", np.arange(len(some)))):
        X, y = pixels(context)[rows], class_numbers(context)[rows]
        part = draw_part(np.arange(len(rows)), seed)
        for c in sorted({*COARSE, *FINE}):
            decided = learn_and_decide(
                Gram(Gaussian(c), X),
                y,
                part.train,
                part.at,
                reduction_of(context, "ovr"),
            )
            found[f"{name} {key(c)}"] = (decided != y[part.at]).mean()
    return Outcome(found)


def epochs(context: Context, degree: int, seed: int) -> Outcome:
    """One split: errors of the first configuration after every epoch."""
    y = class_numbers(context)
    part = draw_part(np.arange(len(y)), seed)
    gram = gram_of(context, Polynomial(degree))
    machines = Perceptrons(gram, y, part.train, reduction_of(context, "ovr"))
    train, test, updates, seconds = [], [], [], 0.0
    for _ in range(EPOCHS):
        begin = time.perf_counter()
        updates.append(machines.learn(part.train))
        seconds += time.perf_counter() - begin
        train.append((machines.decide(part.train) != y[part.train]).mean())
        test.append((machines.decide(part.at) != y[part.at]).mean())
    found = {"train by epoch": train, "test by epoch": test, "updates": updates}
    return Outcome(found, {"per epoch": seconds / EPOCHS})


def linear_pairs(context: Context, seed: int) -> Outcome:
    """One split: what could explain one-vs-one at d = 1, each thing alone and all."""
    y = class_numbers(context)
    part = draw_part(np.arange(len(y)), seed)
    gram = gram_of(context, Polynomial(1))
    random = np.random.default_rng(seed + 1)
    found = {}
    for order in ("same order", "new order"):
        for rule in ("sign", "margin"):
            machines = Perceptrons(
                gram, y, part.train, reduction_of(context, "ovo"), rule == "sign"
            )
            for epoch in range(1, 2 * EPOCHS + 1):
                shuffled = random.permutation(part.train)
                machines.learn(part.train if order == "same order" else shuffled)
                if epoch in (EPOCHS, 2 * EPOCHS):
                    for ties in ("first", "summed"):
                        name = f"{order}, {rule}, {ties}, {epoch}"
                        for side, at in (("train", part.train), ("test", part.at)):
                            decided = machines.decide(at, ties == "summed")
                            found[f"{side} {name}"] = (decided != y[at]).mean()
    return Outcome(found)
