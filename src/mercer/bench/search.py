"""GramSearchCV against GridSearchCV, and against the time of one Gram."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC

from mercer.bench import _stand_ins
from mercer.bench._data import random_part, train_part
from mercer.bench._harness import Benchmark, Contestant, Prepared, peak_in_words
from mercer.bench.svc import Maker, fitting, intelex_svc, left_out
from mercer.datasets import load_dataset
from mercer.estimators import KernelPerceptron, KernelSVC
from mercer.kernels import Polynomial
from mercer.model_selection import GramSearchCV

GRID = {"C": [0.5, 1, 10, 50, 100, 500, 1000], "gamma": [0.005, 0.01, 0.02, 0.05]}
WIDE = {"C": np.logspace(-1, 3, 10).tolist(), "gamma": np.logspace(-3, -1, 10).tolist()}
OF_PATH = 10000, 1000  # samples and features
PATH = {"C": np.logspace(-3, 3, 50).tolist()}
DEGREES, EPOCHS, FOLDS, ROWS = range(1, 8), range(1, 21), 5, 4000


def _searching(name: str, make: Maker, X: NDArray, y: NDArray) -> Contestant:
    """A search, which leaves its winner and its memory among the remarks."""

    def remark(search: Any) -> str:
        return (
            f"{name}: best {search.best_params_}, score {search.best_score_:.4f}, "
            f"peak memory {peak_in_words()}"
        )

    return fitting(name, make, X, y, remark=remark)


def _usps() -> Prepared:
    X, y = train_part("usps")
    peer = partial(GridSearchCV, param_grid=GRID, cv=FOLDS, refit=False)
    makers: dict[str, Maker] = {
        "GramSearchCV(KernelSVC)": partial(
            GramSearchCV, KernelSVC(), GRID, cv=FOLDS, refit=False
        ),
        "GridSearchCV(SVC), 2 processes": partial(peer, SVC(cache_size=1000), n_jobs=2),
    }
    if (intelex := intelex_svc()) is not None:
        makers["GridSearchCV(intelex's SVC)"] = partial(peer, intelex())
    return [_searching(n, make, X, y) for n, make in makers.items()], left_out()


def _mnist5k() -> Prepared:
    X, y = random_part("mnist5k", ROWS)
    make = partial(GramSearchCV, KernelSVC(), WIDE, cv=FOLDS, refit=False)
    return [_searching("GramSearchCV(KernelSVC)", make, X, y)], []


def _path() -> Prepared:
    """Two Gaussian classes that overlap, and their whole path of C."""
    n, d = OF_PATH
    rng, y = np.random.default_rng(0), np.arange(n) % 2
    X = rng.normal(size=(n, d)) + np.where(y, 1.0, -1.0)[:, None] / np.sqrt(d)
    X = X.astype(np.float32)
    model = KernelSVC(gamma=0.5 / d)
    make = partial(GramSearchCV, model, PATH, cv=10, refit=False)

    def remark(search: Any) -> str:
        gap = search.relative_gaps_.max()
        return (
            f"best C {search.best_params_['C']:.3g}, score {search.best_score_:.4f}, "
            f"largest relative gap {gap:.1e}, peak memory {peak_in_words()}"
        )

    return [fitting("GramSearchCV(KernelSVC)", make, X, y, remark=remark)], []


def _sparse() -> Prepared:
    """The same estimator in both searches, on texts and on texts in a pipeline."""
    (X, y), _ = _stand_ins.text(n=2000, new=1)
    grid = {"C": [0.1, 1, 10, 100]}
    steps = make_pipeline(MaxAbsScaler(), KernelSVC(gamma=0.5))
    in_steps = {f"kernelsvc__{name}": values for name, values in grid.items()}
    contestants = []
    for search in (GramSearchCV, GridSearchCV):
        for kind, model, own in (
            ("", KernelSVC(gamma=0.5), grid),
            (", in a pipeline", steps, in_steps),
        ):
            make = partial(search, model, own, cv=FOLDS, refit=False)
            beside = f"GramSearchCV{kind}"
            about = {"beside": beside} if search is GridSearchCV else {}
            name = f"{search.__name__}{kind}"
            contestants.append(fitting(name, make, X, y, **about))
    return contestants, []


def _perceptron() -> Prepared:
    data = load_dataset("zipcombo")
    kernels = [Polynomial(degree) for degree in DEGREES]
    grid: dict[str, list[Any]] = {"kernel": kernels, "epochs": list(EPOCHS)}
    model = KernelPerceptron(kernels[0], random_state=0)
    make = partial(GramSearchCV, model, grid, cv=FOLDS, refit=False)
    return [
        Contestant("one Gram", lambda: kernels[-1](data.X)),
        _searching("7 degrees, 20 epochs, 5 folds", make, data.X, data.y),
    ], []


USPS = Benchmark(
    "Search, USPS 7291 float32, SVM one-vs-one, 7 C x 4 gamma, 5 folds",
    _usps,
    "at least 20x GridSearchCV with 2 processes, 27x intelex, the same best",
    slow=True,
)
MNIST_5K = Benchmark(
    "Search, 4000 rows of mnist5k, SVM one-vs-one, 10 C x 10 gamma, 5 folds",
    _mnist5k,
    "at most 12 s where liquidSVM 1.0.1 takes 49 s",
)
PATH_OF_C = Benchmark(
    "Search, 10000 x 1000 float32, two classes that overlap, 50 C, 10 folds",
    _path,
    "at most 30 s, no gap above 1e-3 (37.7 s on a GPU were published for TorchKM)",
    slow=True,
)
SPARSE = Benchmark(
    "Search, 2000 texts in CSR, 4 C, 5 folds, the same estimator in both searches",
    _sparse,
    "faster than GridSearchCV, in a pipeline too",
)
PERCEPTRON = Benchmark(
    "Search, zipcombo float32, perceptron one-vs-rest, each of 20 epochs read",
    _perceptron,
    "at most 4x one Gram",
)
