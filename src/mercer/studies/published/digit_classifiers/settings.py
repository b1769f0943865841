"""The five configurations of the report, and their hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass

EPOCHS = 20
RUNS, QUICK_RUNS = 20, 3
FOLDS = 5
#: Runs whose errors are read after every epoch.
EPOCH_RUNS = 5

DEGREES = (1, 2, 3, 4, 5, 6, 7)
#: The last and finest of the three searches for the width of the Gaussian.
WIDTHS = tuple(round(0.0070 + 0.0002 * step, 4) for step in range(11))
NEIGHBOURS = (1, 7, 15, 31, 51, 101, 201)
PENALTIES = (0.5, 1.0, 10.0, 50.0, 100.0, 500.0, 1000.0)

#: The first two searches, on a tenth of the data.
COARSE = (1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.01, 0.05, 0.1)
FINE = (0.005, 0.006, 0.007, 0.008, 0.009, 0.01, 0.02, 0.03, 0.04, 0.05)
COARSE_SHARE = 0.1


@dataclass(frozen=True)
class Configuration:
    """A learner with one hyper-parameter.

    Attributes
    ----------
    number : int
        As the report counts them.
    name, symbol : str
        The learner, and what its hyper-parameter is called.
    values : tuple
        The values that are tried.
    kernel : str
        What its Grams have in common; configurations with equal ones share them.
    multiclass : str
        How classes are reduced to two.
    """

    number: int
    name: str
    symbol: str
    values: tuple[float, ...]
    kernel: str
    multiclass: str


CONFIGURATIONS = {
    "poly-ovr": Configuration(
        1,
        "perceptron, polynomial, one-vs-rest",
        "d",
        DEGREES,
        "polynomial",
        "ovr",
    ),
    "poly-ovo": Configuration(
        2,
        "perceptron, polynomial, one-vs-one",
        "d",
        DEGREES,
        "polynomial",
        "ovo",
    ),
    "gauss-ovr": Configuration(
        3, "perceptron, Gaussian, one-vs-rest", "c", WIDTHS, "gaussian", "ovr"
    ),
    "knn": Configuration(
        4, "nearest neighbours, cosine", "k", NEIGHBOURS, "cosine", ""
    ),
    "svm": Configuration(5, "SVM, Gaussian", "C", PENALTIES, "gaussian", "ovo"),
}


def key(value: float) -> str:
    """A value as it stands in the names of results.

    >>> key(0.0070), key(10.0), key(1e-6)
    ('0.007', '10', '1e-06')
    """
    return f"{value:g}"
