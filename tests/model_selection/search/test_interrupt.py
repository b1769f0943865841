"""Ctrl-C ends a search, and is heard; what is complete makes the results."""

import logging

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from mercer import KernelKNN, KernelPerceptron, KernelSVC, load_dataset
from mercer.kernels import Gaussian
from mercer.model_selection import GramSearchCV

iris = load_dataset("iris")


def interrupting(after):
    calls = []

    def scorer(model, X, y):
        calls.append(1)
        if len(calls) > after:
            raise KeyboardInterrupt
        return float(np.mean(model.predict(X) == y))

    return scorer


def test_complete_candidates_are_kept():
    kernels = [Gaussian(0.01), Gaussian(0.1), Gaussian(1.0)]
    options = {"cv": 3, "scoring": interrupting(after=7)}
    search = GramSearchCV(KernelKNN(3), {"kernel": kernels}, **options)
    sentence = "interrupted; 2 of 3 candidates are complete"
    with pytest.raises(KeyboardInterrupt, match=sentence):
        search.fit(iris.X, iris.y)
    assert search.interrupted_
    assert [p["kernel"] for p in search.cv_results_["params"]] == kernels[:2]
    assert search.predict(iris.X).shape == (150,)


def test_nothing_complete_is_an_interrupt():
    options = {"cv": 3, "scoring": interrupting(after=2)}
    search = GramSearchCV(KernelKNN(3), {"n_neighbors": [1, 2]}, **options)
    with pytest.raises(KeyboardInterrupt):
        search.fit(iris.X, iris.y)


def test_a_path_that_is_interrupted(monkeypatch):
    calls, solve = [], KernelSVC.solve

    def stopping(self, gram, problems, *, starts, stop):
        calls.append(1)
        if len(calls) == 3:
            stop.set()
        return solve(self, gram, problems, starts=starts, stop=stop)

    monkeypatch.setattr(KernelSVC, "solve", stopping)
    search = GramSearchCV(KernelSVC(gamma=1.0), {"C": [10, 0.1, 1, 100]}, cv=3)
    with pytest.raises(KeyboardInterrupt, match="2 of 4 candidates"):
        search.fit(iris.X, iris.y)
    # the smallest first
    assert [p["C"] for p in search.cv_results_["params"]] == [0.1, 1]


def test_a_loop_around_searches_ends():
    """The search that was cut short is not one of the scores."""
    fitted = []

    class Noted(GramSearchCV):
        def fit(self, X, y):
            try:
                return super().fit(X, y)
            finally:
                fitted.append(self)

    kernels = [Gaussian(0.01), Gaussian(0.1), Gaussian(1.0)]
    options = {"cv": 3, "scoring": interrupting(after=7)}
    search = Noted(KernelKNN(3), {"kernel": kernels}, **options)
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(search, iris.X, iris.y, cv=2, scoring="accuracy")
    assert [s.interrupted_ for s in fitted] == [True]


def test_what_the_log_says(caplog):
    model = KernelPerceptron(random_state=0)
    grid = {"epochs": [1, 2], "gamma": [0.1, 1.0]}
    with caplog.at_level(logging.INFO, "mercer"):
        GramSearchCV(model, grid, cv=3, verbose=2).fit(iris.X, iris.y)
    lines = [record.getMessage() for record in caplog.records]
    assert "12 cells; 2 Gram(s) over 1 base matrix(es), family: 352 KB" in lines[0]
    assert "12 of 12 cells" in lines[-1]
    assert "s left" in lines[-1]
    caplog.clear()
    GramSearchCV(model, grid, cv=3).fit(iris.X, iris.y)
    assert not caplog.records
