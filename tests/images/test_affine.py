import numpy as np
import pytest
from scipy import ndimage, sparse

from mercer.exceptions import ParameterError
from mercer.images import Affine, rotations, shifts
from mercer.images.affine import check_transforms
from mercer.images.pixels import Shades, check_image_shape

SHAPE = (7, 9)
MAPS = [
    Affine(right=2, down=-1),
    Affine(right=0.3, down=0.6),
    Affine(degrees=20),
    Affine(slant=0.4),
    Affine(width=1.3, height=0.8),
    Affine(mirrored=True),
    Affine(right=1, degrees=-15, slant=-0.2, width=0.9, mirrored=True),
]


def images(n=3, paper=0.0):
    drawn = np.random.default_rng(0).random((n, *SHAPE))
    drawn[:, [0, -1]] = drawn[:, :, [0, -1]] = 0.0  # ink does not touch the border
    return drawn.reshape(n, -1) + paper


def naive(one, image):
    """SciPy's own affine map, of one image."""
    matrix = one._matrix()
    back, centre = np.linalg.inv(matrix), (np.array(SHAPE) - 1) / 2
    offset = centre - back @ (centre + np.array([one.down, one.right]))
    # grown by a border of paper, as SciPy does not blend with what is outside
    grown = np.pad(image.reshape(SHAPE), 12)
    offset = offset + 12 - back @ np.full(2, 12)
    moved = ndimage.affine_transform(grown, back, offset, order=1)
    return moved[12:-12, 12:-12].ravel()


@pytest.mark.parametrize("one", MAPS, ids=str)
def test_maps_are_those_of_scipy(one):
    X = images()
    moved = one.apply(X, SHAPE)
    np.testing.assert_allclose(moved, [naive(one, x) for x in X], atol=1e-12)


@pytest.mark.parametrize("one", MAPS, ids=str)
def test_sparse_images_and_other_paper_give_the_same(one):
    X = images()
    moved = one.apply(X, SHAPE)
    again = one.apply(sparse.csr_matrix(X), SHAPE)
    assert isinstance(again, sparse.csr_matrix)
    np.testing.assert_allclose(again.toarray(), moved, atol=1e-12)
    np.testing.assert_allclose(one.apply(X - 1, SHAPE), moved - 1, atol=1e-12)


def test_a_turn_is_against_the_clock_and_a_slant_leans_to_the_right():
    image = np.zeros((5, 5))
    image[2, 4] = 1
    turned = Affine(degrees=90).apply(image.reshape(1, -1), (5, 5)).reshape(5, 5)
    assert turned[0, 2] == 1
    assert turned.sum() == 1
    image = np.zeros((5, 5))
    image[:, 2] = 1
    leaning = Affine(slant=0.5).apply(image.reshape(1, -1), (5, 5)).reshape(5, 5)
    assert leaning[0].argmax() == 3
    assert leaning[4].argmax() == 1


def test_a_whole_shift_is_exact():
    X = images().astype(np.float32)
    moved = Affine(right=1).apply(X, SHAPE).reshape(-1, *SHAPE)
    assert moved.dtype == np.float32
    np.testing.assert_array_equal(moved[:, :, 1:], X.reshape(-1, *SHAPE)[:, :, :-1])


@pytest.mark.parametrize(
    ("n_shades", "top", "paper", "step"),
    [
        (256, 1.0, 0.0, 1 / 255),
        (2001, 2.0, -1.0, 1 / 1000),
        (2, 1, 0, 1 / 255),
        (17, 16, 0, 1 / 16),
    ],
)
def test_shades_stay_on_their_grid(n_shades, top, paper, step):
    drawn = np.random.default_rng(0).integers(0, n_shades, (90, 63))
    X = (drawn * (top / (n_shades - 1)) + paper).astype(np.float32)
    X[0, :2] = paper, paper + top
    shades = Shades.of(X)
    assert shades.step == pytest.approx(step, rel=1e-5)
    moved = Affine(right=0.4, degrees=5).apply(X, SHAPE, shades)
    steps = (moved.astype(float) - paper) / step
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-2)
    free = Affine(right=0.4, degrees=5).apply(X, SHAPE, Shades(paper, None))
    assert np.abs(free - moved).max() <= 0.51 * step


def test_measured_values_have_no_step():
    assert Shades.of(images(200)).step is None
    assert Shades.of(np.ones((3, 4))).step is None
    assert Shades.of(np.array([[0.0, 1.0, np.pi, 1.1]])).step is None


def test_shifts_and_rotations():
    assert len(set(shifts(2))) == 8
    assert {(one.right, one.down) for one in shifts(diagonal=False)} == {
        (1, 0),
        (-1, 0),
        (0, 1),
        (0, -1),
    }
    assert check_transforms("rotations") == rotations(10)
    both = check_transforms(["mirror", Affine(right=3)])
    assert both == (Affine(mirrored=True), Affine(right=3))


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        ("shift", "'shift'; it takes mercer.images.Affine, and the words shifts"),
        (3, "holds 3"),
        ([], "take KernelSVC"),
        ([None], "holds None"),
    ],
)
def test_bad_transforms(transforms, message):
    with pytest.raises(ParameterError, match=message):
        check_transforms(transforms)


@pytest.mark.parametrize("bad", [{"width": 0}, {"right": np.nan}, {"height": -1}])
def test_bad_maps(bad):
    with pytest.raises(ParameterError, match="is no map"):
        Affine(**bad)


def test_image_shapes():
    assert check_image_shape(None, 49) == (7, 7)
    assert check_image_shape([2, 5], 10) == (2, 5)
    with pytest.raises(ParameterError, match="10 pixels are not square"):
        check_image_shape(None, 10)
    with pytest.raises(ParameterError, match="3 x 4, but samples have 10"):
        check_image_shape((3, 4), 10)
    for bad in (3, (1, 2, 3), "ab", (-2, -5)):
        with pytest.raises(ParameterError, match="image_shape is"):
            check_image_shape(bad, 10)
