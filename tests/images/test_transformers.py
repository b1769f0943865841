import numpy as np
import pytest
from scipy import ndimage
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import KernelSVC, load, load_dataset, save
from mercer.exceptions import ParameterError
from mercer.images import Affine, Deslant, Smooth

SHAPE = (12, 10)


class OfOneRow(Deslant):
    """The checks bring samples of any number of features."""

    def _shape(self):
        return 1, self.n_features_in_


class SmoothOfOneRow(Smooth):
    def _shape(self):
        return 1, self.n_features_in_


@parametrize_with_checks([OfOneRow(), SmoothOfOneRow()])
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


def test_each_image_goes_by_itself():
    digits = load_dataset("digits")
    model = Deslant().fit(digits.X)
    together = model.transform(digits.X)
    alone = [model.transform(one[None])[0] for one in digits.X[:40]]
    np.testing.assert_array_equal(together[:40], alone)
    assert model.step_ == 1 / 16
    np.testing.assert_array_equal(together * 16, np.rint(together * 16))


def test_paper_alone_stays_as_it_is():
    blank = np.full((2, 120), 0.5)
    np.testing.assert_array_equal(Deslant(SHAPE).fit(blank).transform(blank), blank)


def test_a_pipeline_is_saved(tmp_path):
    digits = load_dataset("digits")
    model = make_pipeline(Deslant((8, 8)), Smooth(0.5), KernelSVC(C=10))
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
