"""A certificate holds for the model as it is returned, whatever the data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from fuzz.certificates import check, run, true_objectives
from mercer import KernelSVC

IRIS, LABELS = load_iris(return_X_y=True)
IRIS, LABELS = IRIS[LABELS > 0], LABELS[LABELS > 0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_an_offset_in_float32(kind):
    X = kind((IRIS + 1000).astype(np.float32))
    model = KernelSVC(C=10, kernel="linear")
    primal, _ = check(model, X, LABELS)
    assert model.certificate_.converged
    assert primal == pytest.approx(89.8, rel=1e-3)
    assert model.score(X, LABELS) == 0.97
    # what was learned in float64 also answers in it
    assert model.support_vectors_.dtype == np.float64


def test_a_polynomial_of_an_offset_in_float32():
    X = (IRIS + 100).astype(np.float32)
    model = KernelSVC(C=10, kernel="poly", gamma=1.0, max_iter=100_000)
    check(model, X, LABELS)


def test_tiny_numbers_in_float32():
    X = (IRIS * 1e-25).astype(np.float32)
    model = KernelSVC()
    check(model, X, LABELS)
    assert model.score(X, LABELS) == KernelSVC().fit(IRIS, LABELS).score(IRIS, LABELS)


def test_samples_that_behave_stay_in_float32():
    model = KernelSVC(C=10).fit(IRIS.astype(np.float32), LABELS)
    assert model.support_vectors_.dtype == np.float32
    assert model.certificate_.total.rounding < 0.1 * model.certificate_.gap
    model = KernelSVC(C=10).fit(IRIS, LABELS)
    assert model.certificate_.total.rounding < 1e-6 * model.certificate_.gap


def test_what_float64_cannot_carry_is_said():
    X = IRIS + 1e9
    with pytest.warns(ConvergenceWarning):
        model = KernelSVC(C=10, kernel="linear", max_iter=1000).fit(X, LABELS)
    primal, dual = true_objectives(model, X, LABELS)
    assert primal - dual <= model.certificate_.gap


def test_it_holds_for_any_data():
    assert run(seed=0, n=80) == []
