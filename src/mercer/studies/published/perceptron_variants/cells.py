"""What report 002 varies: on one split all kernels, epochs and ways to end."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import Dataset
from mercer.estimators import KernelPerceptron
from mercer.kernels import Kernel, Polynomial
from mercer.model_selection import Split, holdout, shuffled_split

DEGREES = (1, 2, 3, 4, 5, 6)
EPOCHS = 10
TEST_SHARE = 0.3
#: How tables name the three ways to end, and how `KernelPerceptron` does.
VARIANTS = {"vanilla": "vanilla", "erm": "ERM", "averaged": "averaged"}
ESTIMATOR_VARIANTS = {"vanilla": "last", "erm": "best", "averaged": "averaged"}
#: The c of (c + x·x')^d, which the report does not tell.
OFFSET, OTHER_OFFSET = 1.0, 0.0
#: Images that the report shows with their predictions, and after how many epochs.
SHOWN, SHOWN_AFTER = 10, 5


def samples_of(dataset: Dataset) -> NDArray[np.intp]:
    """The report's 10,000 images are MNIST's test part; other data are taken whole."""
    if dataset.name == "mnist" and dataset.test is not None:
        return np.asarray(dataset.test)
    return np.arange(dataset.n_samples)


def features_of(dataset: Dataset) -> Any:
    """Pixels between 0 and 1."""
    X = dataset.X[samples_of(dataset)]
    return X / X.dtype.type(max(1.0, dataset.value_range[1]))


def kernel_of(degree: int, offset: float) -> Polynomial:
    """(c + x·x')^d with the constant feature 1 that is appended to x.

    >>> kernel_of(2, 1.0)
    Polynomial(degree=2, offset=2.0, scale=1.0)
    """
    return Polynomial(degree, offset + 1.0)


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
