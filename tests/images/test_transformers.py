import numpy as np
import pytest
from scipy import ndimage
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import KernelSVC, load, load_dataset, save
from mercer.exceptions import ParameterError
from mercer.images import Affine, Brighten, Centre, Deslant, EqualInk, Smooth

SHAPE = (12, 10)


TRANSFORMERS = [Brighten, Centre, Deslant, EqualInk, Smooth]


class OfOneRow:
    """The checks bring samples of any number of features."""

    def _shape(self):
        return 1, self.n_features_in_


class BrightenOfOneRow(OfOneRow, Brighten):
    pass


class CentreOfOneRow(OfOneRow, Centre):
    pass


class DeslantOfOneRow(OfOneRow, Deslant):
    pass


class EqualInkOfOneRow(OfOneRow, EqualInk):
    pass


class SmoothOfOneRow(OfOneRow, Smooth):
    pass


@parametrize_with_checks([kind() for kind in OfOneRow.__subclasses__()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def stroke():
    image = np.zeros(SHAPE)
    image[2:10, 4:6] = 1
    image[2:4, 3:7] = 1
    uneven = np.random.default_rng(0).uniform(0.5, 1.0, SHAPE)  # on no grid
    return (image * uneven).reshape(1, -1)


def slope(image):
    """The regression of columns on rows, pixel by pixel."""
    weighted = [(r, c, v) for (r, c), v in np.ndenumerate(image.reshape(SHAPE))]
    total = sum(v for *_, v in weighted)
    row = sum(r * v for r, _, v in weighted) / total
    column = sum(c * v for _, c, v in weighted) / total
    covariance = sum((r - row) * (c - column) * v for r, c, v in weighted)
    return covariance / sum((r - row) ** 2 * v for r, _, v in weighted)


@pytest.mark.parametrize("slant", [-0.3, -0.1, 0.2, 0.4])
@pytest.mark.parametrize("paper", [0.0, -1.0])
def test_a_slanted_stroke_is_set_upright(slant, paper):
    slanted = Affine(slant=slant).apply(stroke(), SHAPE) + paper
    assert abs(slope(slanted - paper) + slant) < 0.1
    again = Deslant(SHAPE).fit(slanted).transform(slanted) - paper
    assert abs(slope(again)) < 1e-9
    by_row = [image.reshape(SHAPE).sum(axis=1) for image in (again, slanted - paper)]
    np.testing.assert_allclose(*by_row)


@pytest.mark.parametrize("kind", TRANSFORMERS)
def test_each_image_goes_by_itself(kind):
    digits = load_dataset("digits")
    model = kind().fit(digits.X)
    together = model.transform(digits.X)
    alone = [model.transform(one[None])[0] for one in digits.X[:40]]
    np.testing.assert_array_equal(together[:40], alone)
    shades = together / model.step_
    np.testing.assert_allclose(shades, np.rint(shades), atol=1e-6)
    if kind is not EqualInk:
        assert model.step_ == 1 / 16
        np.testing.assert_array_equal(together * 16, np.rint(together * 16))


@pytest.mark.parametrize("kind", TRANSFORMERS)
def test_paper_alone_stays_as_it_is(kind):
    blank = np.full((2, 120), 0.5)
    model = kind(image_shape=SHAPE).fit(blank)
    np.testing.assert_array_equal(model.transform(blank), blank)


def test_a_pipeline_is_saved(tmp_path):
    digits = load_dataset("digits")
    steps = Deslant((8, 8)), Centre(), Brighten(), EqualInk(), Smooth(0.5)
    model = make_pipeline(*steps, KernelSVC(C=10))
    model.fit(digits.X[:300], digits.y[:300])
    save(model, tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.predict(digits.X), model.predict(digits.X))


def test_images_that_are_not_square_need_a_shape():
    with pytest.raises(ParameterError, match="120 pixels are not square"):
        Deslant().fit(stroke())


@pytest.mark.parametrize("paper", [0.0, -1.0])
@pytest.mark.parametrize("width", [0.5, 1.2])
def test_smoothing_is_that_of_scipy(paper, width):
    image = stroke()
    expected = ndimage.gaussian_filter(image.reshape(SHAPE), width, mode="constant")
    model = Smooth(width, SHAPE).fit(image + paper)
    found = model.transform(image + paper) - paper
    np.testing.assert_allclose(found.reshape(SHAPE), expected, atol=1e-12)


def test_smoothing_needs_a_width():
    with pytest.raises(ParameterError, match="width is 0"):
        Smooth(0, SHAPE).fit(stroke()).transform(stroke())


@pytest.mark.parametrize("paper", [0.0, -1.0])
@pytest.mark.parametrize(("down", "right"), [(0, 1), (-2, 0.25), (1.5, -0.75)])
def test_ink_is_centred(down, right, paper):
    moved = Affine(down=down, right=right).apply(stroke(), SHAPE) + paper
    found = Centre(SHAPE).fit(moved).transform(moved).reshape(SHAPE) - paper
    rows, columns = np.indices(SHAPE)
    middle = [(found * at).sum() / found.sum() for at in (rows, columns)]
    np.testing.assert_allclose(middle, (5.5, 4.5), atol=1e-9)
    assert found.sum() == pytest.approx(stroke().sum())


@pytest.mark.parametrize("paper", [0.0, -1.0])
def test_all_images_get_the_same_ink(paper):
    factors = np.array([[0.2], [1.0], [3.0]])
    images = factors * stroke() + paper
    model = EqualInk(SHAPE).fit(images)
    drawn = model.transform(images) - paper
    norms = np.linalg.norm(drawn, axis=1)
    np.testing.assert_allclose(norms, factors.mean() * np.linalg.norm(stroke()), 0.01)
    np.testing.assert_allclose(drawn[1:], drawn[:-1], atol=1e-9)
    assert drawn.max() == pytest.approx(255 * model.step_)
    brighter = np.zeros((1, 120)) + paper
    brighter[0, 7] += 1.0  # all of its ink in one pixel, which is no brighter than that
    assert model.transform(brighter).max() - paper == pytest.approx(255 * model.step_)


@pytest.mark.parametrize("paper", [0.0, -1.0])
def test_brightening_takes_a_power(paper):
    image = stroke()
    model = Brighten(0.4, SHAPE).fit(image + paper)
    found = model.transform(image + paper) - paper
    brightest = image.max()
    expected = brightest * (image / brightest) ** 0.4
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert model.transform(np.full((1, 120), paper - 0.1)).min() == paper


def test_brightening_needs_a_power():
    with pytest.raises(ParameterError, match="power is -1"):
        Brighten(-1, SHAPE).fit(stroke())
