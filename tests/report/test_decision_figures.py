import io

import numpy as np
import pytest

from mercer.exceptions import DataError, ParameterError
from mercer.metrics import (
    bayes_error_curve,
    confusion_over_runs,
    det_points,
    hardest_samples,
    roc_points,
)

pytest.importorskip("matplotlib")
from mercer.report import decision_figures as figures
from mercer.report import look as looks

LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))

WORDS = np.array([f"{letter}berry" for letter in "abcdefghij"])


def scored(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, rng.normal(2.0 * y, 1.0)


def runs_of(classes, n=200, n_runs=4):
    rng = np.random.default_rng(0)
    y = classes[rng.integers(0, len(classes), n)]
    swap = [rng.random(n) < 0.2 for _ in range(n_runs)]
    return y, [np.where(s, rng.permutation(y), y) for s in swap]


def dcf_rows():
    return [
        {"C": c, "gamma": g, "min_dcf": 0.2 + g, "actual_dcf": 0.9 - 0.01 * c}
        for g in np.exp([-1.0, -4.0, -3.0, -2.0])
        for c in np.logspace(2, -3, 6)
    ]


def hardest(n):
    y, runs = runs_of(np.arange(10))
    images = np.random.default_rng(0).random((len(y), 64))
    return hardest_samples(y, runs, n, images=images)


def hardest_words():
    y, runs = runs_of(np.array(["a long name", "a much longer name", "$x$"]))
    return hardest_samples(y, runs[:1], images=np.eye(8)[None].repeat(len(y), axis=0))


DRAWINGS = {
    "dcf": lambda **kw: figures.draw_dcf_against_c(dcf_rows(), **kw),
    "bayes": lambda **kw: figures.draw_bayes_error(
        {"raw": bayes_error_curve(*scored()), "other": bayes_error_curve(*scored(50))},
        **kw,
    ),
    "roc": lambda **kw: figures.draw_roc({"raw": roc_points(*scored())}, **kw),
    "det": lambda **kw: figures.draw_det(
        {f"a name that is rather long {k}": det_points(*scored()) for k in "ab"}, **kw
    ),
    "confusion": lambda **kw: figures.draw_confusion(
        confusion_over_runs(*runs_of(np.arange(10))), **kw
    ),
    "three": lambda **kw: figures.draw_confusion(
        confusion_over_runs(*runs_of(np.array(["setosa", "versicolor", "virginica"]))),
        **kw,
    ),
    "letters": lambda **kw: figures.draw_confusion(
        confusion_over_runs(*runs_of(LETTERS, 2000)), **kw
    ),
    "ten words": lambda **kw: figures.draw_confusion(
        confusion_over_runs(*runs_of(WORDS)), **kw
    ),
    "hard words": lambda **kw: figures.draw_hardest(hardest_words(), **kw),
    "hardest": lambda **kw: figures.draw_hardest(hardest(5), **kw),
    "eight": lambda **kw: figures.draw_hardest(hardest(8), invert=True, **kw),
}


def texts_of(figure):
    return [
        text
        for text in figure.findobj(match=lambda o: hasattr(o, "get_fontsize"))
        if text.get_text().strip() and text.get_visible()
    ]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", DRAWINGS)
def test_every_word_is_inside_and_large_enough_for_a_phone(name, dark):
    figure = DRAWINGS[name](dark=dark)
    figure.savefig(io.BytesIO(), format="png")
    width, height = figure.bbox.width, figure.bbox.height
    for axes in figure.axes:
        labels = [axes.xaxis.label, axes.yaxis.label, axes.title, *axes.texts]
        for text in labels:
            if text.get_text():
                box = text.get_window_extent()
                assert box.x0 >= -1, text
                assert box.y0 >= -1, text
                assert box.x1 <= width + 1, text
                assert box.y1 <= height + 1, text
    for legend in figure.legends:
        box = legend.get_window_extent()
        assert box.x0 >= -1
        assert box.x1 <= width + 1
    pixels_a_point = 375 / figure.get_figwidth() / 72
    sizes = [text.get_fontsize() * pixels_a_point for text in texts_of(figure)]
    assert min(sizes) >= 8.5


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return np.dot(linear, (0.2126, 0.7152, 0.0722))


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", [looks.LIGHT, looks.DARK])
def test_colours_stand_out_from_the_page(look):
    for colour in (look.ink, look.quiet, *look.colours):
        assert contrast(colour, look.paper) >= 4.5


def test_a_line_for_each_gamma_and_kind_with_its_own_marker():
    axes = figures.draw_dcf_against_c(dcf_rows()).axes[0]
    lines = [line for line in axes.lines if len(line.get_xdata())]
    assert len(lines) == 8
    assert len({line.get_marker() for line in lines}) == 4
    assert len({line.get_color() for line in lines}) == 4
    assert len({line.get_linestyle() for line in lines}) == 2
    assert axes.get_xscale() == "log"
    assert all(np.all(np.diff(line.get_xdata()) > 0) for line in lines)
    names = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert names[0] == "γ = 0.0183"
    assert names[-2:] == ["minimum", "actual"]


def test_one_line_needs_no_gamma():
    rows = [{"C": c, "min_dcf": 0.1, "actual_dcf": 0.2} for c in (1, 10)]
    axes = figures.draw_dcf_against_c(rows).axes[0]
    assert len([line for line in axes.lines if len(line.get_xdata())]) == 2


def test_a_million_points_are_thinned_to_the_same_curve():
    y, scores = scored(200_000)
    roc = roc_points(y, scores)
    line = figures.draw_roc({"all": roc}).axes[0].lines[1]
    x, drawn = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(x) <= 2002
    between = np.interp(roc.false_alarm_rate, x, drawn)
    inside = (roc.false_alarm_rate > 1e-3) & (roc.false_alarm_rate < 0.999)
    assert np.abs(between - roc.hit_rate)[inside].max() < 0.005


def test_a_det_plot_of_a_perfect_system_is_empty_and_not_an_error():
    det = det_points([0, 1], [0.0, 1.0])
    assert figures.draw_det({"perfect": det}).axes[0].get_xlim()[0] < -2


def test_confusion_cells():
    table = confusion_over_runs([0, 0, 1], [[0, 1, 1], [0, 0, 1]], labels=[0, 1, 2])
    texts = [text.get_text() for text in figures.draw_confusion(table).axes[0].texts]
    assert texts == [*("75.0\n±25.0", "25.0\n±25.0", "0"), *("0", "100", "0"), *"–––"]


def test_images_and_their_labels():
    image = np.arange(64.0)
    samples = hardest_samples([5, 8], [[5, 3], [5, 0], [5, 8]], images=[image, image])
    axes = figures.draw_hardest(samples).axes
    assert axes[0].get_title() == "true 8"
    assert axes[0].get_xlabel() == "→ 0 or 3\n2 of 3"
    np.testing.assert_array_equal(axes[0].images[0].get_array(), image.reshape(8, 8))
    assert [a.get_visible() for a in axes] == [True, False, False, False, False]


def test_bad_input_is_told_in_a_sentence():
    for draw in (figures.draw_bayes_error, figures.draw_roc, figures.draw_det):
        with pytest.raises(DataError, match="no curves to draw"):
            draw({})
    with pytest.raises(DataError, match="no rows"):
        figures.draw_dcf_against_c([])
    with pytest.raises(DataError, match="Row 0 lacks actual_dcf, min_dcf"):
        figures.draw_dcf_against_c([{"C": 1}])
    with pytest.raises(DataError, match="no samples"):
        figures.draw_hardest([])
    with pytest.raises(ParameterError, match="columns is 0"):
        figures.draw_hardest(hardest(2), columns=0)
    wrong = [[1, 0]]
    with pytest.raises(DataError, match="has no image"):
        figures.draw_hardest(hardest_samples([0, 1], wrong))
    with pytest.raises(DataError, match="3 pixels in a row"):
        figures.draw_hardest(hardest_samples([0, 1], wrong, images=np.ones((2, 3))))
