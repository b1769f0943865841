"""The protocols of the reports, against loops that do the same in plain words."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer import KernelPegasos, KernelPerceptron, load_dataset
from mercer.exceptions import ParameterError
from mercer.model_selection import (
    RotationFolds,
    holdout,
    rotation_k_fold,
    shuffled_split,
    split_search_retrain,
)

digits = load_dataset("digits")
X, y = digits.X[:300] / 16, digits.y[:300]
GRID = {"epochs": [1, 3]}
MODEL = KernelPerceptron(random_state=0, gamma=0.05)


def error(model, params, train, test):
    fitted = clone(model).set_params(**params).fit(X[train], y[train])
    return np.mean(fitted.predict(X[test]) != y[test])


def test_rotation_k_fold():
    order = np.random.RandomState(7).permutation(300)
    expected = []
    for k in range(5):
        test = order[60 * k : 60 * (k + 1)]
        train = np.concatenate([order[: 60 * k], order[60 * (k + 1) :]])
        expected.append(error(MODEL, {"epochs": 3}, train, test))
    result = rotation_k_fold(MODEL, GRID, X, y, seed=7)
    np.testing.assert_allclose(result.test_errors[1], expected, atol=1e-12)
    assert result.rows[1]["test_error"] == pytest.approx(np.mean(expected))
    assert result.rows[1]["n_runs"] == 5
    assert RotationFolds(4, seed=0).get_n_splits() == 4
    with pytest.raises(ParameterError, match="at least 2"):
        RotationFolds(1, seed=0)


def test_holdout():
    train, test = shuffled_split(300, 0.3, seed=1)
    assert sorted([*train, *test]) == list(range(300))
    assert len(test) == 90
    result = holdout(MODEL, GRID, X, y, seed=1)
    for part, rows in (("test", test), ("train", train)):
        expected = error(MODEL, {"epochs": 1}, train, rows)
        assert result.rows[0][f"{part}_error"] == pytest.approx(expected)
    assert result.best in (0, 1)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        shuffled_split(10, 1.5, seed=0)


def test_split_search_retrain():
    model, grid = KernelPegasos(random_state=0, gamma=0.05), {"n_steps": [10, 500]}
    done = split_search_retrain(model, grid, X, y, seed=3)
    train, test = shuffled_split(300, 0.2, seed=3)
    assert done.split[1].tolist() == test.tolist()
    assert done.search.n_splits_ == 5
    assert "mean_train_score" in done.search.cv_results_
    expected = error(model, done.search.best_params_, train, test)
    assert done.test_error == pytest.approx(expected)
    own = split_search_retrain(model, grid, X, y, seed=3, per_class=True)
    assert len(own.search.per_class_.choices) == 10
