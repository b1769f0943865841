"""The contestants: how each is made, and what is searched over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV

from mercer.estimators import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.model_selection import GramSearchCV

_ON_ONE_GRAM = (KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC)
#: Widths of the Gaussian, as multiples of scikit-learn's gamma="scale".
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_QUICK_FACTORS = (1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Learner:
    """A contestant.

    Attributes
    ----------
    name : str
        As tables show it.
    make : callable
        From a seed to an estimator.
    grid : mapping
        Values of each parameter that is searched over; those of gamma are multiples.
    quick : mapping
        What differs from it in a first look.
    is_ours : bool
        Whether it is one of Mercer's study, whose gamma is a multiple; or was named.
    """

    name: str
    make: Callable[[int], Any]
    grid: Mapping[str, Sequence[Any]]
    quick: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    is_ours: bool = True

    def make_search(self, seed: int, quick: bool, gamma: float, cv: Any) -> Any:
        """A search by accuracy in folds, without a refit; `gamma` is what 1 means."""
        candidates = {
            name: [gamma * v for v in values]
            if name == "gamma" and self.is_ours
            else list(values)
            for name, values in {**self.grid, **(self.quick if quick else {})}.items()
        }
        model = self.make(seed)
        kind = GramSearchCV if isinstance(model, _ON_ONE_GRAM) else GridSearchCV
        return kind(model, candidates, cv=cv, refit=False)


def _perceptron(variant: str) -> Learner:
    def make(seed: int) -> KernelPerceptron:
        return KernelPerceptron("rbf", variant=variant, epochs=10, random_state=seed)

    return Learner(
        f"perceptron ({variant})", make, {"gamma": _FACTORS}, {"gamma": _QUICK_FACTORS}
    )


#: The linear baseline first: it answers at once, and is what the others must beat.
LEARNERS: dict[str, Learner] = {
    "linear": Learner(
        "linear baseline",
        lambda seed: RidgeClassifier(),
        {"alpha": (0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4)},
        {"alpha": (1.0, 100.0, 1e4)},
    ),
    "knn": Learner(
        "nearest neighbours",
        lambda seed: KernelKNN(),
        {"kernel": ("cosine", "rbf"), "n_neighbors": (1, 3, 5, 7, 15, 31)},
        {"n_neighbors": (1, 3, 5)},
    ),
    "perceptron-last": _perceptron("last"),
    "perceptron-averaged": _perceptron("averaged"),
    "perceptron-best": _perceptron("best"),
    "pegasos": Learner(
        "Pegasos",
        lambda seed: KernelPegasos("rbf", epochs=10, random_state=seed),
        {"gamma": _FACTORS, "lam": (1e-6, 1e-5, 1e-4, 1e-3)},
        {"gamma": _QUICK_FACTORS, "lam": (1e-5, 1e-4)},
    ),
    "svm": Learner(
        "SVM",
        lambda seed: KernelSVC(kernel="rbf"),
        {"gamma": _FACTORS, "C": (0.1, 1.0, 10.0, 100.0)},
        {"gamma": _QUICK_FACTORS, "C": (1.0, 10.0)},
    ),
}


def learner_name(key: str) -> str:
    """The name that tables show; for others their class and parameters.

    >>> learner_name("svm"), learner_name("sklearn.svm.LinearSVC(C=[1, 10])")
    ('SVM', 'LinearSVC(C=[1, 10])')
    """
    if key in LEARNERS:
        return LEARNERS[key].name
    path, bracket, given = key.partition("(")
    return path.rpartition(".")[2] + (bracket + given).removesuffix("()")
