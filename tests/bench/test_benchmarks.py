"""Every benchmark from beginning to end, on 300 digits in place of its data."""

from dataclasses import replace

import numpy as np
import pytest

from mercer.bench import BENCHMARKS, _data, explain, measure, search
from mercer.datasets import load_dataset


@pytest.fixture
def tiny(monkeypatch):
    digits = load_dataset("digits")
    X = (digits.X[:300] / 16).astype(np.float32)
    part = {"train": np.arange(200), "test": np.arange(200, 300)}
    data = replace(digits, X=X, y=digits.y[:300], **part)
    for module in (_data, search):
        monkeypatch.setattr(module, "load_dataset", lambda name: data)
    for grid in ("GRID", "WIDE"):
        monkeypatch.setattr(search, grid, {"C": [1, 10], "gamma": [0.1]})
    monkeypatch.setattr(explain, "SMALL", (6, 2, 3, 20))
    monkeypatch.setattr(explain, "LARGE", (7, 3, 4, 30))


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.filterwarnings("ignore")  # of peers
def test_it_runs_and_says_what_it_found(name, tiny):
    result = measure(BENCHMARKS[name], 2)
    rounds = 1 if BENCHMARKS[name].slow else 2
    assert {len(seconds) for seconds in result.seconds.values()} == {rounds}
    assert result.ratio(next(iter(result.seconds))) == 1.0
    assert bool(result.points) == bool(result.x)


def test_both_perceptrons_are_the_same(tiny):
    result = measure(BENCHMARKS["perceptron"], 1)
    assert result.remarks == ["coefficients of both after 2 epochs: the same"]


def test_a_search_leaves_its_winner_and_its_memory_once(tiny):
    (remark,) = measure(BENCHMARKS["search-mnist5k"], 2).remarks
    assert remark.startswith("GramSearchCV(KernelSVC): best {'C': ")
    assert "peak memory" in remark


def test_predictions_are_judged(tiny):
    remarks = measure(BENCHMARKS["svc-mnist"], 1).remarks
    judged = [remark for remark in remarks if "support vectors, error" in remark]
    assert judged[0].startswith("KernelSVC: ")
    assert judged[1].startswith("scikit-learn: ")


@pytest.mark.filterwarnings("ignore")  # of shap
def test_explanations_are_judged_by_all_coalitions(tiny):
    remarks = measure(BENCHMARKS["explain"], 1).remarks
    errors = [float(text.split("error ")[1]) for text in remarks if "error" in text]
    assert len(errors) >= 2
    assert errors[0] < 1e-14
