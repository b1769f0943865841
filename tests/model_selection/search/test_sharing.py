"""What a search computes, counted."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.kernels import Base, Gaussian, Kernel, Linear, Polynomial, _family
from mercer.model_selection import GramSearchCV
from mercer.solvers.online import PegasosRule, PerceptronRule


class Counting(Kernel):
    """A Gaussian that counts the values it is asked for."""

    def __init__(self, gamma):
        self.gamma, self.bases, self.values = gamma, Gaussian.bases, 0

    def combine(self, tiles):
        self.values += tiles[Base.SQUARED_DISTANCE].size
        return Gaussian(self.gamma).combine(tiles)


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    return random.normal(size=(90, 4)) + y[:, None], y


@pytest.fixture
def products(monkeypatch):
    """The base matrices that are computed, in order."""
    made, compute = [], _family._base_matrix

    def counting(base, X, Y):
        made.append(base)
        return compute(base, X, Y)

    monkeypatch.setattr(_family, "_base_matrix", counting)
    return made


@pytest.mark.parametrize(
    ("model", "inner"),
    [
        (KernelSVC(), {"C": [1, 10, 100]}),
        (KernelPerceptron(random_state=0), {"epochs": [1, 2, 3]}),
        (KernelPegasos(random_state=0), {"lam": [0.1, 0.01], "n_steps": [10, 100]}),
        (KernelKNN(), {"n_neighbors": [1, 2, 3]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_base_matrix_once_and_each_kernel_one_pass(model, inner, data, products):
    kernels = [Counting(gamma) for gamma in (0.1, 0.5, 1.0)]
    grid = {"kernel": kernels, **inner}
    search = GramSearchCV(model, grid, cv=5, refit=False).fit(*data)
    assert len(search.cv_results_["params"]) > 6
    assert products == [Base.SQUARED_DISTANCE]
    # clones of a kernel in the grid are the kernel itself
    assert [kernel.values for kernel in kernels] == [90 * 90] * 3


def test_families_one_after_the_other(data, products):
    kernels = [Gaussian(0.1), Polynomial(2), Gaussian(1.0), Linear()]
    GramSearchCV(KernelPerceptron(), {"kernel": kernels}, cv=3).fit(*data)
    assert sorted(base.name for base in products) == ["DOT", "SQUARED_DISTANCE"]
    products.clear()
    kernels = [Gaussian(0.1), Polynomial(2), Gaussian(1.0) + Linear()]
    GramSearchCV(KernelKNN(), {"kernel": kernels}, cv=3).fit(*data)
    assert sorted(base.name for base in products) == ["DOT", "SQUARED_DISTANCE"]


def test_epochs_are_one_run_and_steps_a_beginning(data, monkeypatch):
    taken = []
    for rule in (PerceptronRule, PegasosRule):
        walk = rule.walk

        def counting(self, K, order, *arguments, walk=walk):
            taken.append(len(order))
            return walk(self, K, order, *arguments)

        monkeypatch.setattr(rule, "walk", counting)
    grid = {"n_steps": [10, 50, 200], "average": [True, False]}
    GramSearchCV(KernelPegasos(random_state=0), grid, cv=3, refit=False).fit(*data)
    assert sum(taken) == 3 * 3 * 200  # folds, classes, steps
    taken.clear()
    grid = {"epochs": [1, 2, 3], "variant": ["last", "averaged", "best"]}
    GramSearchCV(KernelPerceptron(random_state=0), grid, cv=3, refit=False).fit(*data)
    assert sum(taken) <= 3 * 3 * 3 * 60


def test_what_is_shared_is_said(data):
    grid = {"C": [1.0, 10.0]}
    search = GramSearchCV(KernelSVC(), grid, cv=3).fit(*data)
    assert search.sharing_ == "6 of 6 fits shared work with others."
    steps = {"kernelsvc__C": grid["C"]}
    pipeline = make_pipeline(StandardScaler(), KernelSVC())
    search = GramSearchCV(pipeline, steps, cv=3).fit(*data)
    assert search.sharing_ == "6 of 6 fits shared work with others."
    search = GramSearchCV(LogisticRegression(), grid, cv=3).fit(*data)
    assert search.sharing_.startswith("None of the 6 fits shared anything")
