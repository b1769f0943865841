import numpy as np
import pytest

pytest.importorskip("matplotlib")
from mercer.report.story_figures import confusion_of, draw
from mercer.studies import Spread
from mercer.studies.story import (
    Bars,
    Cloud,
    Confusion,
    Dots,
    Lines,
    Points,
    Series,
    Strips,
)


@pytest.mark.parametrize(
    ("xs", "expected"),
    [
        ([2, 9], {"2", "3", "6"}),
        ([1000, 100_000], {"1,000", "10,000", "100,000"}),
        ([1e-8, 1e-5], {"1e-8", "1e-7"}),
        ([0.05, 200], {"0.1", "1", "100"}),
    ],
)
def test_logarithmic_axes_have_plain_numbers(xs, expected):
    lines = Lines("l", "x", "y", [Series("a", xs, xs)], log_x=True, log_y=True)
    figure = draw(lines)
    figure.draw_without_rendering()
    for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
        ticks = [*axis.get_ticklabels(), *axis.get_ticklabels(minor=True)]
        texts = {tick.get_text() for tick in ticks}
        assert expected <= texts
        assert not any("^" in text or "times" in text for text in texts)


def test_markers_of_many_points_do_not_run_together():
    many = list(range(100))
    lines = Lines("l", "x", "y", [Series("a", many, many), Series("b", [1], [1])])
    few, one = draw(lines).axes[0].lines
    assert few.get_markevery() == 5
    assert one.get_markevery() == 1


def test_whole_numbers_have_whole_ticks():
    lines = Lines("l", "epochs", "y", [Series("a", range(1, 21), [0.5] * 20)])
    axis = draw(lines).axes[0].xaxis
    assert all(float(place).is_integer() for place in axis.get_majorticklocs())


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    "block",
    [
        Lines(
            "l",
            "x",
            "$y",
            [
                Series("a", [1, 2], [3.0, 4.0], [0.1, 0.2]),
                Series("a", [1, 2], [3.1, 4.1], published=True),
            ],
            log_x=True,
            log_y=True,
        ),
        Points("p", "x", "y", [("a", 0.1, 3.0), ("b", 1.0, 2.0)], log_x=True),
        Dots("d", "x", [("a", Spread(1.0, 0.1, 3)), ("b", Spread(2.0, None, 1))]),
        Confusion("c", ["a", "b"], [[[3, 1], [0, 0]], [[4, 0], [0, 0]]]),
        Bars("b", "x", "y", ["a", "b"], [("ours", [1.0, 2.0]), ("level", [1.5, 1.5])]),
        Strips("s", "x", [("a", [("train", 3.0), ("test", 1.0)])]),
        Cloud("k", "x", "y", [("a", [1.0, 2.0], [0.0, 1.0]), ("b", [0.0], [1.0])]),
    ],
)
def test_figures(block, dark):
    figure = draw(block, dark)
    figure.draw_without_rendering()
    assert figure.axes


def test_bars_stand_on_zero_and_strips_end_with_their_sum():
    kinds = [("ours", [1.0, 2.0]), ("level", [1.5, 1.5])]
    bars = draw(Bars("b", "x", "y", ["a", "b"], kinds)).axes[0]
    assert [bar.get_height() for bar in bars.patches] == [1.0, 2.0, 1.5, 1.5]
    assert {bar.get_y() for bar in bars.patches} == {0}
    strip = ("a", [("train", 3.0), ("test", 1.0), ("train", 2.0)])
    figure = draw(Strips("s", "x", [strip]))
    ends = [part.get_x() + part.get_width() for part in figure.axes[0].patches]
    assert max(ends) == 6.0
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["train", "test"]


def test_confusion_of_counts():
    table = confusion_of(
        Confusion("c", ["a", "b"], [[[3, 1], [0, 0]], [[4, 0], [0, 0]]])
    )
    np.testing.assert_allclose(table.mean[0], [0.875, 0.125])
    np.testing.assert_allclose(table.std[0], [0.125, 0.125])
    assert np.isnan(table.mean[1]).all()


def test_a_published_line_has_the_colour_of_ours():
    block = Lines(
        "l",
        "x",
        "y",
        [
            Series("d = 1", [1, 2], [3.0, 4.0]),
            Series("d = 2", [1, 2], [1.0, 2.0]),
            Series("d = 1", [1, 2], [3.1, 4.1], published=True),
        ],
    )
    lines = draw(block).axes[0].lines
    assert lines[0].get_color() == lines[2].get_color() != lines[1].get_color()
