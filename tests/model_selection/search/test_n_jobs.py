"""How many threads a search takes, also beside others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sklearn.datasets import load_iris

from mercer import KernelSVC
from mercer._threads import n_threads
from mercer.model_selection import GramSearchCV


class SlowScore:
    """Scores when another search is at it as well, and notes the threads it sees."""

    def __init__(self, here, there):
        self.here, self.there, self.threads = here, there, set()

    def __call__(self, model, X, y):
        self.here.set()
        assert self.there.wait(60)
        self.threads.add(n_threads())
        return 0.0


@pytest.mark.parametrize("grid", [{"C": [1, 10]}, {"kernel": ["rbf", "linear"]}])
def test_two_searches_at_once_do_not_disturb_each_other(monkeypatch, grid):
    monkeypatch.setenv("MERCER_NUM_THREADS", "4")
    X, y = load_iris(return_X_y=True)
    one, two = threading.Event(), threading.Event()
    scores = {1: SlowScore(one, two), 3: SlowScore(two, one)}

    def search(n_jobs):
        GramSearchCV(KernelSVC(), grid, scoring=scores[n_jobs], n_jobs=n_jobs).fit(X, y)
        return n_threads()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(search, scores)) == [4, 4]
    assert {n: score.threads for n, score in scores.items()} == {1: {1}, 3: {3}}
