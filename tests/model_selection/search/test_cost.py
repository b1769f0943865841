"""What a search says it will cost."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.svm import SVC

from mercer import KernelKNN, KernelSVC, load_dataset
from mercer.kernels import Gaussian
from mercer.model_selection import GramSearchCV

digits = load_dataset("digits")
X, y = digits.X[:400].astype(np.float32), digits.y[:400]
MATRIX = 400 * 400 * 4


def cost(model, grid, X=X):
    return GramSearchCV(model, grid, cv=3).estimate_cost(X, y)


def test_a_family():
    found = cost(KernelSVC(), {"C": [1, 10], "gamma": [0.001, 0.01]})
    assert (found.n_cells, found.n_kernels, found.n_base_matrices) == (12, 2, 1)
    assert (found.how, found.memory_bytes) == ("family", 2 * MATRIX)
    assert 0 < found.seconds < 60
    assert str(found).startswith("12 cells; 2 Gram(s) over 1 base matrix(es), family")


@pytest.mark.parametrize(
    ("budget", "how", "products", "nbytes"),
    [
        (2 * MATRIX, "family", 1, 2 * MATRIX),
        (MATRIX, "one by one", 2, MATRIX),
        (MATRIX - 1, "rows on demand", 0, MATRIX - 1),
    ],
)
def test_a_budget(budget, how, products, nbytes):
    model = KernelSVC(memory_budget=budget)
    found = cost(model, {"gamma": [0.001, 0.01]})
    assert (found.how, found.n_base_matrices) == (how, products)
    assert found.memory_bytes == nbytes


def test_what_cannot_be_shared():
    found = cost(RandomForestClassifier(5, random_state=0), {"max_depth": [2, 3]})
    assert (found.n_alone, found.memory_bytes, found.how) == (6, 0, "none")
    assert "6 of them one by one" in str(found)
    assert cost(SVC(), {"kernel": [RBF(), "rbf"]}).n_alone == 3
    assert cost(SVC(), {"kernel": ["sigmoid", "rbf"]}).n_alone == 0


def test_a_given_matrix():
    found = cost(
        KernelKNN(kernel="precomputed"), {"n_neighbors": [1]}, Gaussian(0.1)(X)
    )
    assert (found.how, found.n_kernels) == ("given", 0)
    assert found.seconds > 0
