"""The five configurations of the report, and their hyper-parameters."""

from dataclasses import dataclass
from itertools import product

from mercer.model_selection import REPORT_003

EPOCHS = 20
RUNS, QUICK_RUNS = 20, 5
#: Runs that are carried out together, on one Gram.
RUNS_AT_ONCE = 5
FOLDS = 5
#: Runs whose errors are read after every epoch.
EPOCH_RUNS = 5

DEGREES = (1, 2, 3, 4, 5, 6, 7)
#: The last and finest of the three searches for the width of the Gaussian.
WIDTHS = REPORT_003[-1].values
NEIGHBOURS = (1, 7, 15, 31, 51, 101, 201)
PENALTIES = (0.5, 1.0, 10.0, 50.0, 100.0, 500.0, 1000.0)

#: The first two searches, on a tenth of the data: tables 4 and 5.
_COARSE = (1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.01, 0.05, 0.1)
_FINE = (0.005, 0.006, 0.007, 0.008, 0.009, 0.01, 0.02, 0.03, 0.04, 0.05)
COARSE_WIDTHS = sorted({*_COARSE, *_FINE})
COARSE_SHARE = 0.1
COARSE_RUNS = 100
#: Which tenth: drawn anew for each width and run, or the first rows of the file.
TENTHS = {"random": "a random tenth", "first": "the first tenth of the file"}

#: To choose from, where the epochs are chosen as well.
TRIED_DEGREES = (3, 4, 5)
TRIED_EPOCHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40)
CHOSEN_EPOCH_RUNS = 10
#: Learning rates: powers of two, so that a factor rounds nothing.
RATES = (0.125, 1.0, 8.0)
#: Training samples, where the growth of the work is looked at.
SIZES = (500, 1000, 2000, 4000)

#: Readings of one-vs-one at d = 1, by the names of their results.
PAIR_READINGS: dict[str, dict[str, bool | str | int]] = {
    f"{order}, {rule}, {ties}, {epochs}": {
        "shuffle": order == "new order",
        "mistake": rule,
        "break_ties": ties == "summed",
        "epochs": epochs,
    }
    for order, rule, ties, epochs in product(
        ("same order", "new order"),
        ("sign", "margin"),
        ("first", "summed"),
        (EPOCHS, 2 * EPOCHS),
    )
}


@dataclass(frozen=True)
class Configuration:
    """A learner, numbered as in the report, and the values of its hyper-parameter."""

    number: int
    name: str
    symbol: str
    values: tuple[float, ...]


CONFIGURATIONS = {
    "poly-ovr": Configuration(1, "perceptron, polynomial, one-vs-rest", "d", DEGREES),
    "poly-ovo": Configuration(2, "perceptron, polynomial, one-vs-one", "d", DEGREES),
    "gauss-ovr": Configuration(3, "perceptron, Gaussian, one-vs-rest", "c", WIDTHS),
    "knn": Configuration(4, "nearest neighbours, cosine", "k", NEIGHBOURS),
    "svm": Configuration(5, "SVM, Gaussian", "C", PENALTIES),
}


def key(value: float) -> str:
    """A value as it stands in the names of results.

    >>> key(0.0070), key(10.0), key(1e-6)
    ('0.007', '10', '1e-06')
    """
    return f"{value:g}"
