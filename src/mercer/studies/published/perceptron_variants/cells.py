"""One split: every kernel, every number of epochs and three ways to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelPerceptron
from mercer.kernels import Kernel
from mercer.model_selection import Split, holdout, shuffled_split
from mercer.studies.published.perceptron_variants.settings import (
    EPOCHS,
    ESTIMATOR_VARIANTS,
    TEST_SHARE,
)

#: Images that the report shows with their predictions, and after how many epochs.
SHOWN, SHOWN_AFTER = 10, 5


def make_split(n_samples: int, seed: int) -> Split:
    """Everything shuffled, the first 30 % for testing."""
    random = np.random.default_rng(seed)
    return shuffled_split(n_samples, TEST_SHARE, seed=random, test_first=True)


def run_split(
    X: Any, y: NDArray, seed: int, kernels: Sequence[Kernel], epochs: int = EPOCHS
) -> list[dict[str, float]]:
    """For each kernel the test and training errors after every epoch.

    Samples come in the same order in every epoch, and a mistake is y·s ≤ 0.
    """
    names = {variant: name for name, variant in ESTIMATOR_VARIANTS.items()}
    candidates = {
        "kernel": kernels,
        "variant": list(names),
        "epochs": range(1, epochs + 1),
    }
    found = holdout(
        KernelPerceptron(shuffle=False),
        candidates,
        X,
        y,
        test_size=TEST_SHARE,
        seed=np.random.default_rng(seed),
        test_first=True,
    )
    values: list[dict[str, float]] = [{} for _ in kernels]
    for params, train, test in zip(found.params, found.train_errors, found.test_errors):
        own = values[kernels.index(params["kernel"])]
        name, epoch = names[params["variant"]], params["epochs"]
        own[f"{name} test after {epoch}"] = test[0]
        own[f"{name} train after {epoch}"] = train[0]
    return values


def show_samples(
    X: Any, y: NDArray, seed: int, kernel: Kernel
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Ten random test images, and what the averaged perceptron takes them for."""
    train, test = make_split(len(y), seed)
    shown = np.random.default_rng([seed, 1]).choice(test, SHOWN, replace=False)
    model = KernelPerceptron(
        kernel, variant="averaged", epochs=SHOWN_AFTER, shuffle=False
    )
    decided = model.fit(X[train], y[train]).predict(X[shown])
    return shown, {"true": y[shown], "decided": decided}
