"""A search on workers is the local search."""

import os
import signal
import threading
from itertools import count

import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import KernelKNN, KernelPerceptron, KernelSVC, load_dataset
from mercer.exceptions import ParameterError
from mercer.model_selection import GramSearchCV
from mercer.model_selection.search.on_workers import ClusterEvaluation

SEARCHES = {
    "svm": (KernelSVC(), {"C": [1, 10], "gamma": [0.001, 0.002]}),
    "kinds": (
        KernelPerceptron(epochs=2, random_state=0),
        [{"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"], "gamma": [0.01]}],
    ),
    "neighbours": (KernelKNN(), {"n_neighbors": [1, 3]}),
    "pipeline": (
        make_pipeline(StandardScaler(), KernelSVC()),
        {"kernelsvc__C": [1, 10]},
    ),
    "alone": (KNeighborsClassifier(), {"n_neighbors": [1, 3]}),
}


@pytest.fixture(scope="module")
def digits():
    data = load_dataset("digits")
    return data.X[:300], data.y[:300]


def accuracy(model, X, y):  # of this module, which workers do not have
    return (model.predict(X) == y).mean()


@pytest.mark.parametrize("name", SEARCHES)
def test_results_are_the_local_ones(client, digits, name):
    estimator, grid = SEARCHES[name]
    there = GramSearchCV(clone(estimator), grid, cv=3, client=client).fit(*digits)
    here = GramSearchCV(clone(estimator), grid, cv=3).fit(*digits)
    assert there.best_params_ == here.best_params_
    assert list(there.cv_results_) == list(here.cv_results_)
    for column, values in here.cv_results_.items():
        if "time" not in column:
            np.testing.assert_array_equal(there.cv_results_[column], values)
    X, _ = digits
    np.testing.assert_array_equal(there.predict(X), here.predict(X))


def test_a_copy_has_the_same_client(client):
    search = GramSearchCV(KernelSVC(), {"C": [1]}, client=client)
    assert clone(search).client is client


def test_per_class_is_not_offered(client, digits):
    search = GramSearchCV(KernelSVC(), {"C": [1]}, client=client, per_class=True)
    with pytest.raises(ParameterError, match="leave client out"):
        search.fit(*digits)


# Dask's finalizers may drop it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_keeps_what_is_complete(client, digits):
    class Interrupted(GramSearchCV):
        def _evaluate(self, task, trials):
            def press(*_):
                os.kill(os.getpid(), signal.SIGINT)

            threading.Timer(0.5, press).start()
            return super()._evaluate(task, trials)

    grid = {"gamma": np.geomspace(1e-4, 1, 400).tolist()}
    search = Interrupted(KernelSVC(), grid, cv=5, client=client, refit=False)
    try:
        with pytest.warns(UserWarning, match="interrupted"):
            search.fit(*digits)
    except KeyboardInterrupt:
        return  # nothing was complete yet
    assert search.interrupted_
    assert 0 < len(search.cv_results_["params"]) < 400


def test_killed_workers(digits, monkeypatch):
    """One of the workers, then all others, in the middle of a search."""
    advance, calls = ClusterEvaluation._advance, count(1)

    def kill_some(self, done):
        advance(self, done)
        for pid in doomed.pop(next(calls), ()):
            os.kill(pid, signal.SIGKILL)

    monkeypatch.setattr(ClusterEvaluation, "_advance", kill_some)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        first, *others = client.run(os.getpid).values()
        doomed = {2: [first], 5: others}
        grid = {"gamma": np.geomspace(1e-4, 1, 12).tolist(), "C": [1, 10]}
        there = GramSearchCV(KernelSVC(), grid, cv=3, client=client).fit(*digits)
    assert not doomed
    here = GramSearchCV(KernelSVC(), grid, cv=3).fit(*digits)
    for column in ("mean_test_score", "split0_test_score"):
        np.testing.assert_array_equal(
            there.cv_results_[column], here.cv_results_[column]
        )
