import itertools

import numpy as np
import pytest

from mercer.exceptions import DataError, ParameterError

pytest.importorskip("matplotlib")
from mercer.report.search_figures import draw_search, save_search


def rows_of(**grid):
    """Candidates of a grid; the last of them is the best."""
    names, choices = list(grid), itertools.product(*grid.values())
    return [
        {"params": dict(zip(names, values)), "mean": 0.5 + 0.01 * number, "std": 0.02}
        for number, values in enumerate(choices)
    ]


def texts_of(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_two_parameters_give_a_map_with_the_best_framed():
    figure = draw_search(rows_of(C=[10.0, 1.0, 5.0], gamma=[0.1, 0.2]), title="An SVM")
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("C", "gamma")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "5", "10"]
    assert texts_of(figure) == [".520", ".540", ".500", ".530", ".550", ".510"]
    (frame,) = axes.patches
    assert frame.get_xy() == pytest.approx((0.53, 0.53))
    assert figure.get_suptitle() == "An SVM"


def test_a_cell_shows_the_best_over_the_other_parameters():
    rows = rows_of(kernel=["a", "b"], C=[1, 2, 3], gamma=[1, 2, 3])
    figure = draw_search(rows, x="gamma")
    assert figure.axes[0].get_xlabel() == "gamma, best over the other parameters"
    assert texts_of(figure)[0] == ".590"


def test_candidates_that_failed_leave_a_gap():
    rows = rows_of(C=[1, 2], gamma=[1, 2])
    rows[0]["mean"] = np.nan
    assert "–" in texts_of(draw_search(rows))
    with pytest.raises(DataError, match="every candidate failed"):
        draw_search(rows[:1])


@pytest.mark.parametrize(
    ("values", "scale"),
    [([0.01, 1.0, 100.0], "log"), ([1, 2, 3], "linear"), (["a", None, True], "linear")],
)
def test_one_parameter_gives_a_line_with_the_best_marked(values, scale):
    rows = rows_of(p=values)
    worse = {"params": rows[0]["params"], "mean": 0.1, "std": 9.0}
    axes = draw_search([*rows, worse]).axes[0]
    line, best = axes.lines
    np.testing.assert_allclose(line.get_ydata(), [0.5, 0.51, 0.52])
    np.testing.assert_allclose(best.get_ydata(), [0.52])
    assert axes.get_xscale() == scale


def test_bad_input_is_told_in_a_sentence(tmp_path):
    rows = rows_of(C=[1, 2], gamma=[1, 2])
    with pytest.raises(ParameterError, match="'degree' does not vary in this search"):
        draw_search(rows, x="degree")
    with pytest.raises(ParameterError, match=r"a picture is a \.png, \.svg or \.pdf"):
        save_search(rows, tmp_path / "picture.txt")
    assert save_search(rows, tmp_path / "picture.svg", dark=True).is_file()
