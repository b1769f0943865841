"""Ctrl-C is heard also where Python drops it."""

import signal
import sys
import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, make_scorer

from mercer import KernelSVC
from mercer._interrupts import ending_at_ctrl_c, remember_interrupts
from mercer.model_selection import GramSearchCV
from mercer.studies import Store, make_plan, run_plan
from studies.tiny_study import Tiny


class Finalized:
    """Presses Ctrl-C while it is forgotten, where nothing can be raised."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def dropped(monkeypatch):
    """What Python would have printed, and gone on."""
    errors = []
    monkeypatch.setattr(
        sys, "unraisablehook", lambda args: errors.append(args.exc_type)
    )
    yield errors
    assert errors == [KeyboardInterrupt]


@pytest.fixture(autouse=True)
def the_handler_is_left_as_it_was():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def test_what_was_dropped_is_remembered(dropped):
    with remember_interrupts() as outer, remember_interrupts() as inner:
        inner.check()
        Finalized()
        for interrupts in (inner, outer):
            with pytest.raises(KeyboardInterrupt):
                interrupts.check()


@pytest.mark.parametrize("learner", [KernelSVC(), KernelSVC(max_iter=10**6)])
def test_a_search_ends(dropped, learner):
    calls = []

    def score(y, predicted):
        calls.append(None)
        if len(calls) == 9:
            Finalized()
        return accuracy_score(y, predicted)

    grid = {"gamma": np.geomspace(1e-3, 1, 20).tolist()}
    scoring = {"own": make_scorer(score)}
    search = GramSearchCV(learner, grid, scoring=scoring, refit=False, cv=2)
    with pytest.raises(KeyboardInterrupt, match="candidates are complete"):
        search.fit(*load_iris(return_X_y=True))
    assert search.interrupted_
    assert 0 < len(search.cv_results_["params"]) < 20


class Dropping(Tiny):
    def run(self, cell, context):
        if cell.params == {"die": 4, "repeat": 3}:
            Finalized()
        return super().run(cell, context)


def test_a_study_ends(dropped, tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            run_plan(make_plan(Dropping(), None), store)
        assert [row.params["repeat"] for row in store.rows()] == [0, 1, 2]


def test_work_ends_by_its_flag_and_those_outside_know():
    stop = threading.Event()

    def work():
        signal.raise_signal(signal.SIGINT)
        return stop.is_set()

    with remember_interrupts() as interrupts:
        assert ending_at_ctrl_c(work, stop)
        assert interrupts.pressed


@pytest.mark.parametrize("own", [lambda *_: None, signal.SIG_IGN])
def test_a_program_may_not_want_to_end(own):
    before = signal.signal(signal.SIGINT, own)
    stop = threading.Event()
    with remember_interrupts() as interrupts:
        ending_at_ctrl_c(lambda: signal.raise_signal(signal.SIGINT), stop)
        interrupts.check()
    assert not stop.is_set()
    assert signal.signal(signal.SIGINT, before) is own
