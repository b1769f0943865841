"""Ctrl-C ends a fit and whatever is around it; the best model so far stays."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import KernelSVC, _interrupts
from mercer._threads import n_threads
from mercer.calibration import CalibratedClassifier
from mercer.model_selection import GramSearchCV
from mercer.svm import SVC

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2000, 3))
Y = RANDOM.integers(0, 2, 2000)
#: labels by chance and a C of this size keep the solver busy for minutes
ENDLESS = {"C": 1e6, "gamma": 1.0}


@pytest.fixture
def ctrl_c():
    """SIGINT as soon as a solver is at work, from outside."""
    done = threading.Event()

    def watch():
        while not done.is_set():
            if _interrupts._AT_WORK:
                time.sleep(0.3)
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    done.set()
    thread.join()


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("learner", [KernelSVC, SVC])
def test_the_model_so_far_is_kept_and_the_interrupt_is_heard(learner):
    model = learner(**ENDLESS)
    sentence = "keeps the best model so far: primal .* stopped after"
    with pytest.raises(KeyboardInterrupt, match=sentence):
        model.fit(X, Y)
    assert model.certificate_.total.status == "stopped"
    assert model.fit_status_ == 1
    assert model.predict(X).shape == Y.shape


class Noted(KernelSVC):
    """Counts how many fits have begun, and how many have returned."""

    begun = returned = 0

    def fit(self, X, y):
        Noted.begun += 1
        model = super().fit(X, y)
        Noted.returned += 1
        return model


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize(
    "loop",
    [
        lambda model: cross_val_score(model, X, Y, cv=3),
        lambda model: GridSearchCV(model, {"tol": [1e-3, 1e-4]}, cv=3).fit(X, Y),
        lambda model: GramSearchCV(model, {"tol": [1e-3, 1e-4]}, cv=3).fit(X, Y),
        lambda model: CalibratedClassifier(model, cv=3).fit(X, Y),
    ],
    ids=["cross_val_score", "GridSearchCV", "GramSearchCV", "CalibratedClassifier"],
)
def test_a_loop_ends_and_no_fold_that_was_cut_short_counts(loop):
    Noted.begun = Noted.returned = 0
    with pytest.raises(KeyboardInterrupt):
        loop(Noted(**ENDLESS))
    assert 1 <= Noted.begun <= n_threads()
    assert Noted.returned == 0
