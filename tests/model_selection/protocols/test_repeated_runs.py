"""The procedures of report 003, against loops that do the same in plain words."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer import KernelKNN, KernelSVC, load_dataset
from mercer.exceptions import ParameterError
from mercer.kernels import Gaussian, Gram
from mercer.metrics import confusion_over_runs
from mercer.model_selection import (
    basic_procedure,
    cross_validating_procedure,
    shuffled_split,
)

digits = load_dataset("digits")
X, y = digits.X[:300] / 16, digits.y[:300]


def error(model, params, train, test):
    fitted = clone(model).set_params(**params).fit(X[train], y[train])
    return np.mean(fitted.predict(X[test]) != y[test])


def test_basic_procedure():
    result = basic_procedure(KernelKNN(), {"n_neighbors": [1, 7]}, X, y, runs=4, seed=2)
    for r in range(4):
        split = shuffled_split(300, 0.2, seed=2 + r)
        expected = error(KernelKNN(), {"n_neighbors": 7}, *split)
        assert result.test_errors[1, r] == pytest.approx(expected)
    assert (result.train_errors[0] == 0).all()


def test_cross_validating_procedure():
    model, grid = KernelSVC(gamma=0.05, tol=1e-6), {"C": [0.01, 0.1, 10]}
    result = cross_validating_procedure(model, grid, X, y, runs=2, n_splits=3, seed=5)
    for r in range(2):
        train, test = shuffled_split(300, 0.2, seed=5 + r)
        parts = np.array_split(train, 3)
        means = []
        for C in grid["C"]:
            folds = []
            for k in range(3):
                others = np.concatenate(parts[:k] + parts[k + 1 :])
                folds.append(error(model, {"C": C}, others, parts[k]))
            means.append(np.mean(folds))
        best = {"C": grid["C"][int(np.argmin(means))]}
        assert result.params[r] == best
        assert result.validation_errors[r] == pytest.approx(min(means))
        assert result.test_errors[r] == pytest.approx(error(model, best, train, test))
    assert result.error == (result.test_errors.mean(), result.test_errors.std())
    assert result.chosen("C")[0] == np.mean([p["C"] for p in result.params])
    assert np.array_equal(result.candidate_errors.min(axis=0), result.validation_errors)
    assert result.candidates == [{"C": C} for C in grid["C"]]


def test_given_splits_are_the_runs_and_predictions_go_to_the_metrics():
    splits = [shuffled_split(300, 0.3, seed=r) for r in (4, 9)]
    model, grid = KernelKNN(), {"n_neighbors": [1, 5]}
    result = cross_validating_procedure(model, grid, X, y, splits=splits)
    for r, (train, test) in enumerate(splits):
        tested, decided = result.predictions[r]
        assert np.array_equal(tested, test)
        assert result.test_errors[r] == np.mean(decided != y[test])
        expected = error(model, result.params[r], train, test)
        assert result.test_errors[r] == pytest.approx(expected)
    assert confusion_over_runs(y, result.predictions).n_runs == 2
    basic = basic_procedure(model, grid, X, y, splits=splits)
    assert basic.test_errors.shape == (2, 2)
    with pytest.raises(ParameterError, match="need a seed"):
        basic_procedure(model, grid, X, y)


def test_a_precomputed_kernel_is_cut_both_ways():
    kernel, grid, split = (
        Gaussian(0.05),
        {"C": [0.1, 10]},
        shuffled_split(300, 0.2, seed=0),
    )
    K = Gram(kernel, X).matrix
    found, expected = (
        cross_validating_procedure(model, grid, values, y, splits=[split])
        for model, values in (
            (KernelSVC(kernel="precomputed", tol=1e-6), K),
            (KernelSVC(kernel=kernel, tol=1e-6), X),
        )
    )
    assert found.params == expected.params
    assert found.test_errors == expected.test_errors
