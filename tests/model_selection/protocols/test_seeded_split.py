"""The split of report 004, and a number that comes out with it."""

import numpy as np
from sklearn.datasets import load_iris

from mercer import KernelSVC
from mercer.model_selection import two_to_one_split


def test_the_split_of_report_004():
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    order = np.random.permutation(100)  # noqa: NPY002
    np.random.set_state(state)  # noqa: NPY002
    train, test = two_to_one_split(100)
    assert train.tolist() == order[:66].tolist()
    assert test.tolist() == order[66:].tolist()
    assert [len(part) for part in two_to_one_split(6000)] == [4000, 2000]


def test_report_004_comes_out_with_its_split():
    iris = load_iris()
    rows = iris.target > 0
    X, z = iris.data[rows], iris.target[rows] == 1
    train, test = two_to_one_split(100)
    model = KernelSVC(1.0, "linear", bias="regularized", tol=1e-8)
    wrong = np.sum(model.fit(X[train], z[train]).predict(X[test]) != z[test])
    assert wrong == 2
