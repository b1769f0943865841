"""Parameters for each binary problem."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer import KernelPegasos, KernelPerceptron, KernelSVC, load_dataset
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import Gaussian, Polynomial
from mercer.model_selection import GramSearchCV, MachinesPerClass

digits = load_dataset("digits")
X, y = digits.X[:500] / 16, np.array(list("abcdefghij"))[digits.y[:500]]
new, truth = digits.X[500:900] / 16, np.array(list("abcdefghij"))[digits.y[500:900]]


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KernelSVC(), {"C": [0.1, 10], "gamma": [0.01, 0.1]}),
        (KernelSVC(multiclass="ovr"), {"C": [0.1, 10]}),
        (
            KernelPerceptron(random_state=0),
            {"kernel": [Polynomial(d, 1.0) for d in (1, 2, 4)]},
        ),
        (KernelPegasos(random_state=0, gamma=0.05), {"lam": [1e-2, 1e-4]}),
    ],
    ids=["ovo", "ovr", "perceptron", "pegasos"],
)
def test_the_same_interface(model, grid):
    search = GramSearchCV(model, grid, cv=3, per_class=True).fit(X, y)
    shared = GramSearchCV(model, grid, cv=3).fit(X, y)
    for name in ("mean_test_score", "rank_test_score"):
        assert (search.cv_results_[name] == shared.cv_results_[name]).all()
    assert search.best_params_ == shared.best_params_
    report = search.per_class_
    assert len(report.choices) == search.best_estimator_.reduction_.n_problems
    assert all(choice.error <= choice.shared_error for choice in report.choices)
    assert report.gain == report.score - report.shared_score
    assert f"{report.gain:+.4f}" in str(report)
    assert search.score(new, truth) > 0.8
    assert search.decision_function(new).shape == (400, 10)
    assert search.classes_.tolist() == list("abcdefghij")


def test_the_choice_is_the_least_binary_error():
    """Against fitting every problem by itself."""
    grid, model = {"C": [0.01, 1.0, 100.0]}, KernelSVC(gamma=0.05, tol=1e-6)
    splits = [(np.arange(500) % 3 != k, np.arange(500) % 3 == k) for k in range(3)]
    splits = [tuple(map(np.flatnonzero, split)) for split in splits]
    search = GramSearchCV(model, grid, cv=splits, per_class=True).fit(X, y)
    choice = search.per_class_.choices[0]
    assert choice.problem == "a against b"
    errors = []
    for C in grid["C"]:
        wrong = []
        for train, test in splits:
            train, test = (part[y[part] < "c"] for part in (train, test))
            fitted = clone(model).set_params(C=C).fit(X[train], y[train])
            wrong.append(np.mean(fitted.predict(X[test]) != y[test]))
        errors.append(np.mean(wrong))
    assert choice.error == pytest.approx(min(errors))
    assert errors[grid["C"].index(choice.params["C"])] == pytest.approx(min(errors))


def test_machines_with_equal_parameters_are_the_model_itself():
    for multiclass in ("ovo", "ovr"):
        model = KernelSVC(C=5, gamma=0.05, multiclass=multiclass, tol=1e-6)
        n_problems = 45 if multiclass == "ovo" else 10
        together = clone(model).fit(X, y)
        apart = MachinesPerClass(model, [{}] * n_problems).fit(X, y)
        assert (apart.predict(new) == together.predict(new)).all()
        scores = apart.decision_function(new)
        np.testing.assert_allclose(scores, together.decision_function(new), atol=1e-3)


def test_machines_with_weights_and_precomputed_kernels():
    weights = {c: 1.0 + k for k, c in enumerate("abcdefghij")}
    model = KernelSVC(C=weights, class_weight="balanced", gamma=0.05, tol=1e-6)
    together = clone(model).fit(X, y)
    apart = MachinesPerClass(model, [{}] * 45).fit(X, y)
    assert (apart.predict(new) == together.predict(new)).all()
    K, cross = Gaussian(0.05)(X), Gaussian(0.05)(new, X)
    model = KernelSVC(kernel="precomputed", tol=1e-6)
    given = MachinesPerClass(model, [{}] * 45).fit(K, y)
    assert (given.predict(cross) == clone(model).fit(K, y).predict(cross)).all()
    with pytest.raises(DataError, match="45 binary problems and parameters for 3"):
        MachinesPerClass(KernelSVC(), [{}] * 3).fit(X, y)


def test_what_is_wrong_is_said_as_without_it():
    broken = X.copy()
    broken[3, 2] = np.nan
    search = GramSearchCV(KernelSVC(), {"C": [1, 10]}, per_class=True)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        search.fit(broken, y)
    with pytest.raises(ParameterError, match="C is 'ten'"):
        search.set_params(param_grid={"C": ["ten"]}).fit(X, y)
    with pytest.raises(ParameterError, match="kernel is 'rbff'"):
        search.set_params(param_grid={"kernel": ["rbff"]}).fit(X, y)
