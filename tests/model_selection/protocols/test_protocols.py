"""The protocols of the reports, against loops that do the same in plain words."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC, load_dataset
from mercer.exceptions import ParameterError
from mercer.model_selection import (
    REPORT_003,
    RotationFolds,
    Stage,
    basic_procedure,
    coarse_to_fine,
    cross_validating_procedure,
    holdout,
    rotation_k_fold,
    shuffled_split,
    split_search_retrain,
    two_to_one_split,
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


def test_coarse_to_fine():
    found = coarse_to_fine(MODEL, X, y, share=0.5, n_points=(6, 5, 4), cv=3)
    assert [len(stage.stage.values) for stage in found.stages] == [6, 5, 4]
    assert [stage.n_samples for stage in found.stages] == [150, 300, 300]
    coarse, finer, finest = (stage.stage.values for stage in found.stages)
    assert (min(coarse), max(coarse)) == (1e-6, pytest.approx(0.1))
    for wide, stage, narrow in (
        (coarse, found.stages[0], finer),
        (finer, found.stages[1], finest),
    ):
        at = sorted(wide).index(stage.best)
        assert min(narrow) == pytest.approx(sorted(wide)[max(0, at - 1)])
        assert max(narrow) == pytest.approx(sorted(wide)[min(len(wide) - 1, at + 1)])
    assert found.best_value in finest
    assert len(found.trace) == 15
    assert found.trace[0].keys() >= {"stage", "n_samples", "value", "mean_score"}
    assert found.search.predict(X).shape == (300,)
    assert sum(row["best"] for row in found.trace) == 3


def test_the_stages_of_report_003():
    coarse, finer, finest = REPORT_003
    assert coarse.share == 0.1
    assert coarse.values == (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    assert (finer.values[0], finer.values[-1]) == (0.005, 0.05)
    assert finest.values[:2] == (0.0070, 0.0072)
    assert finest.values[-1] == 0.0090
    found = coarse_to_fine(MODEL, X, y, stages=[Stage((0.01, 0.1), 0.5)], cv=3)
    assert found.best_value in (0.01, 0.1)
    with pytest.raises(ParameterError, match="needs stages"):
        coarse_to_fine(MODEL, X, y, stages=[])
    with pytest.raises(ParameterError, match="share is 2"):
        coarse_to_fine(MODEL, X, y, stages=[Stage((1.0,), 2)])
