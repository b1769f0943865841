from dataclasses import replace

import pytest
from rich.console import Console

from mercer import bench
from mercer.bench import (
    BENCHMARKS,
    Benchmark,
    Contestant,
    Result,
    _harness,
    measure,
)
from mercer.exceptions import ParameterError
from mercer.report.bench_figure import draw_lines, save_bench_figure

turns, passed = [], []


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    monkeypatch.setattr(_harness, "_FETCHED", 1)


def clock():
    return sum(passed)


def contestants():
    def work(name, seconds):
        turns.append(name)
        passed.append(seconds)

    return [
        Contestant("quick", lambda: work("quick", 0.2), line="a", x=1.0),
        Contestant("slow", lambda: work("slow", 2.0), lambda: None, line="b", x=1.0),
        Contestant(
            "slower", lambda: work("slower", 4.0), lambda: None, "b", 2.0, "slow"
        ),
    ], ["a remark"]


def test_contestants_take_turns_and_are_compared_with_the_first():
    turns.clear()
    result = measure(Benchmark("sleep", contestants, x="naps", clock=clock), 3)
    assert turns == ["quick", *["quick", "slow", "slower"] * 3]  # warmed up first
    assert result.points["b"] == [
        (1.0, result.median("slow")),
        (2.0, result.median("slower")),
    ]
    assert result.ratio("slow") > result.ratio("slower") > 1  # beside quick; slow


def test_brief_work_is_repeated():
    done = []

    def work():
        done.append(0.03 if not done else 0.005)  # the first waits for caches

    benchmark = Benchmark("naps", lambda: ([Contestant("nap", work, lambda: 0)], []))
    result = measure(replace(benchmark, clock=lambda: sum(done)), 1)
    assert result.seconds["nap"] == [pytest.approx((0.03 + 0.005) / 2)]


def test_heights_stand_over_seconds_and_are_told():
    def judged():
        return [Contestant("guess", lambda: 0.25, line="a", height=float)], []

    ticks = iter(range(100))
    benchmark = Benchmark("guesses", judged, y="error", clock=lambda: next(ticks))
    result = measure(benchmark, 1)
    assert result.points == {"a": [(1, 0.25)]}
    assert result.remarks == ["guess: error 0.25"]


def test_ratios_are_medians_over_the_rounds():
    seconds = {"first": [1.0, 2.0, 4.0], "other": [3.0, 8.0, 8.0]}
    result = Result("known", "", seconds)
    assert result.median("first") == 2.0
    assert result.ratio("first") == 1.0
    assert result.ratio("other") == 3.0  # of 3, 4 and 2


def test_a_slow_benchmark_is_measured_once():
    result = measure(Benchmark("sleep", contestants, slow=True), 3)
    assert len(result.seconds["slow"]) == 1


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_points_are_drawn(tmp_path, ending):
    result = measure(Benchmark("sleep", contestants, x="naps", clock=clock), 1)
    path = save_bench_figure(result, tmp_path / "new" / f"figure.{ending}")
    assert path.stat().st_size > 1000


def test_a_million_is_no_power_of_ten():
    points = {"ours": [(30_000, 0.2), (1_000_000, 60.0)]}
    (axes,) = draw_lines(Result("known", "", {}, points=points)).axes
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["30000", "1000000"]


def test_an_unknown_benchmark_is_a_sentence():
    with pytest.raises(ParameterError, match="did you mean gram"):
        bench.run(["gramm"], 1, False, Console())


def test_every_benchmark_says_what_it_is():
    for benchmark in BENCHMARKS.values():
        assert benchmark.title
