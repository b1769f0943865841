"""Every benchmark from beginning to end, on 300 digits in place of its data."""

from dataclasses import replace

import numpy as np
import pytest

from mercer.bench import (
    BENCHMARKS,
    _data,
    _harness,
    _stand_ins,
    approximate,
    cluster,
    explain,
    measure,
    search,
    shapes,
)
from mercer.bench.svc import OURS, SKLEARN
from mercer.datasets import load_dataset
from mercer.report.bench_figure import save_bench_figure


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
    monkeypatch.setattr(search, "PATH", {"C": [1, 10]})
    monkeypatch.setattr(search, "OF_PATH", (200, 20))
    monkeypatch.setattr(explain, "SMALL", (6, 2, 3, 20))
    for limit, value in (
        *(("MILLION", 900), ("TEST", 200)),
        *(("MNIST_PARTS", (100, 200)), ("DRAWN_PARTS", (100, 300))),
        *(("MNIST_LANDMARKS", (20, 50)), ("DRAWN_LANDMARKS", (20, 50))),
    ):
        monkeypatch.setattr(approximate, limit, value)
    for limit, value in (
        *(("WORKERS", 2), ("SIZES", (300, 600, 1200)), ("BEYOND", ((10**7, 64),))),
        *(("_TRIED", 500), ("_ROWS", 50), ("_PINGS", 2), ("_BYTES", 2**16)),
    ):
        monkeypatch.setattr(cluster, limit, value)
    monkeypatch.setattr(explain, "LARGE", (7, 3, 4, 30))
    monkeypatch.setattr(_stand_ins, "SHARE", 0.02)
    monkeypatch.setattr(_harness, "_FETCHED", 1)


def the_same_coefficients(result, folder):
    assert result.remarks == ["coefficients of both after 2 epochs: the same"]


def a_winner_and_its_memory_once(result, folder):
    (remark,) = result.remarks
    assert remark.startswith("GramSearchCV(KernelSVC): best {'C': ")
    assert "peak memory" in remark


def errors_of_predictions(result, folder):
    judged = [text for text in result.remarks if "support vectors, error" in text]
    assert judged[0].startswith("KernelSVC: ")
    assert judged[1].startswith("scikit-learn: ")


def errors_beside_all_coalitions(result, folder):
    said = [text.split("error ")[1] for text in result.remarks if "error" in text]
    assert len(said) >= 2
    assert float(said[0]) < 1e-14


def bars_for_kinds_of_data(result, folder):
    assert [x for x, _ in result.points[OURS]] == list(range(len(result.kinds)))
    path = save_bench_figure(result, folder / "bars.svg")
    assert "engine signals" in path.read_text()


def fewer_mistakes_with_more_landmarks_and_samples(result, folder):
    for points in result.points.values():
        (_, first), (_, last) = points
        assert 0 < last < first < 0.6
    path = save_bench_figure(result, folder / "errors.png")
    assert path.stat().st_size > 1000


SAYS = {
    "perceptron": the_same_coefficients,
    "search-mnist5k": a_winner_and_its_memory_once,
    "svc-mnist": errors_of_predictions,
    "explain": errors_beside_all_coalitions,
    "svc-kinds": bars_for_kinds_of_data,
    "approximate": fewer_mistakes_with_more_landmarks_and_samples,
}
NAMES = [name for name, benchmark in BENCHMARKS.items() if not benchmark.fields]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")  # of peers
def test_it_runs_and_says_what_it_found(name, tiny, tmp_path):
    if name == "cluster":
        pytest.importorskip("distributed")
    rounds = 2 if name == "search-mnist5k" else 1
    result = measure(BENCHMARKS[name], rounds)
    assert {len(seconds) for seconds in result.seconds.values()} == {rounds}
    assert result.ratio(next(iter(result.seconds))) == 1.0
    assert bool(result.points) == bool(result.x)
    if name in SAYS:
        SAYS[name](result, tmp_path)


def test_every_saying_is_of_a_benchmark():
    assert set(SAYS) <= set(NAMES)


@pytest.mark.filterwarnings("ignore")  # of peers
def test_a_map_has_a_field_for_each_shape(tmp_path):
    fields = [f for f in shapes.QUICK.fields if f.place[2] == "200"]
    result = measure(replace(shapes.QUICK, fields=tuple(fields[::4])), 1)
    assert [f"{place[:3]}" for place in result.fields] == [
        f"{own.place}" for own in fields[::4]
    ]
    for *_, lead in result.fields:
        assert 0 < lead < np.inf
    name = f"{fields[0].title}: "
    ours, theirs = (result.seconds[name + who][0] for who in (OURS, SKLEARN))
    assert result.ratio(f"{name}{SKLEARN}") == theirs / ours >= result.fields[0][3]
    path = save_bench_figure(result, tmp_path / "map.png")
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("layout", ["dense", "CSR"])
def test_samples_have_the_shape_that_was_asked_for(layout):
    X, y = shapes.draw_samples(120, 400, 5, layout, "float32")
    assert X.shape == (120, 400)
    assert X.dtype == np.float32
    assert np.bincount(y).tolist() == [24] * 5
