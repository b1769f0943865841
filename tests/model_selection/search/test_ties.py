"""Whole-number features make scores of zero: rounding must not decide anything."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from mercer import KernelKNN, KernelPegasos, KernelPerceptron
from mercer.kernels import Gaussian, Polynomial
from mercer.model_selection import GramSearchCV

POWERS = [Polynomial(1), Polynomial(2, 1.0), Polynomial(3), Polynomial(5, 1.0)]
LEARNERS = {
    "perceptron": (
        KernelPerceptron(epochs=2, random_state=3),
        {"variant": ["last", "averaged", "best"], "mistake": ["margin", "sign"]},
    ),
    "pegasos": (
        KernelPegasos(lam=1e-3, random_state=3),
        {"average": [False, True], "epochs": [1, 2]},
    ),
}


def whole_numbers(dtype, contradictions):
    X, y = load_digits(return_X_y=True)
    X, y = X[:240].astype(dtype), y[:240]
    if contradictions:
        random = np.random.default_rng(0)
        again = random.integers(0, len(y), 48)
        X = np.concatenate([X, X[again]])
        y = np.concatenate([y, random.permutation(y[again])])
        order = random.permutation(len(y))
        X, y = X[order], y[order]
    return X, y


def different_cells(model, grid, X, y, scoring=None):
    """The cells whose scores differ, train and test, in any bit."""
    options = {"cv": StratifiedKFold(3), "refit": False, "return_train_score": True}
    options["scoring"] = scoring
    plain, ours = (
        kind(model, grid, **options).fit(X, y).cv_results_
        for kind in (GridSearchCV, GramSearchCV)
    )
    names = [name for name in plain if name.startswith("split")]
    assert len(names) == 6
    return [
        (name, params)
        for name in names
        for params, a, b in zip(plain["params"], plain[name], ours[name])
        if a != b
    ]


@pytest.mark.parametrize("contradictions", [False, True], ids=["clear", "contradicted"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("learner", LEARNERS)
def test_scores_of_zero_are_zero_in_both(learner, dtype, multiclass, contradictions):
    model, grid = LEARNERS[learner]
    kernels = [*POWERS, Gaussian(0.001), Gaussian(0.1)]
    model = model.set_params(multiclass=multiclass)
    X, y = whole_numbers(dtype, contradictions)
    assert not different_cells(model, {"kernel": kernels, **grid}, X, y)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
@pytest.mark.parametrize("contradictions", [False, True], ids=["clear", "contradicted"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equally_near_neighbours_are_the_same(dtype, contradictions, scoring):
    kernels = ["cosine", "linear", "rbf", *POWERS, Gaussian(0.1)]
    grid = {"kernel": kernels, "n_neighbors": [1, 2, 5, 20]}
    X, y = whole_numbers(dtype, contradictions)
    assert not different_cells(KernelKNN(), grid, X, y, scoring)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_parallel_rows_have_the_neighbours_of_their_own_fits(layout):
    random = np.random.default_rng(0)
    few = random.integers(-4, 5, (9, 3))
    X = few[random.integers(9, size=120)] * random.integers(1, 30, (120, 1))
    y, grid = random.integers(0, 3, 120), {"n_neighbors": [1, 3, 8]}
    assert different_cells(KernelKNN(), grid, layout(X * 1.0), y) == []


def test_neighbours_that_are_equal_whatever_else_is_searched():
    """A k beyond all samples is fitted alone, and leaves the others as they are."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 3)).astype(float), rng.integers(0, 3, 60)
    options = {"cv": StratifiedKFold(2), "refit": False, "return_train_score": True}
    grid = {"n_neighbors": [1, 2, 5, 1000], "kernel": ["cosine", "rbf", "poly"]}
    found = []
    for kind in (GridSearchCV, GramSearchCV):
        with pytest.warns(UserWarning, match="Scoring failed|non-finite|fits failed"):
            results = kind(KernelKNN(), grid, **options).fit(X, y).cv_results_
        found.append([results[n] for n in sorted(results) if n.startswith("split")])
    np.testing.assert_array_equal(*found)
