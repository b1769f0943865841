"""Every example of the gallery runs, and ends with a figure."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


@pytest.fixture
def plt(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example, plt):
    runpy.run_path(str(example))
    assert len(plt.get_fignums()) == 1
    assert len(example.read_text("utf-8").splitlines()) < 100


def test_there_are_at_least_twelve():
    assert len(EXAMPLES) >= 12
