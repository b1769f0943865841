import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from mercer import KernelSVC, VirtualSVC, compress, load, load_dataset, save
from mercer.exceptions import ParameterError
from mercer.explain import support_vectors
from mercer.images import Affine, Deslant, shifts

digits = load_dataset("digits")
X, y = digits.X[:400] / 8, digits.y[:400]
NEW, TRUE = digits.X[400:] / 8, digits.y[400:]
SETTINGS = {"C": 10.0, "gamma": 0.05}


@pytest.fixture(scope="module")
def model():
    return VirtualSVC(transforms=shifts(diagonal=False), **SETTINGS).fit(X, y)


def shifted(rows):
    """Each image, and its four neighbours: pixels that fall off the edge are lost."""
    planes = rows.reshape(-1, 8, 8)
    copies = [planes]
    for down, right in [(-1, 0), (0, -1), (0, 1), (1, 0)]:
        moved = np.zeros_like(planes)
        for r in range(8):
            for c in range(8):
                if 0 <= r + down < 8 and 0 <= c + right < 8:
                    moved[:, r + down, c + right] = planes[:, r, c]
        copies.append(moved)
    return np.concatenate(copies).reshape(-1, 64)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_each_problem_learns_its_shifted_support_vectors(multiclass):
    settings = {**SETTINGS, "multiclass": multiclass, "tol": 1e-12}
    model = VirtualSVC(transforms=shifts(diagonal=False), **settings).fit(X, y)
    plain = KernelSVC(**settings).fit(X, y)
    assert model.n_virtual_ == 5 * len(plain.support_)
    assert model.plain_certificate_.dual == plain.certificate_.dual
    scores, duals = model.binary_scores(NEW), []
    for p, own in enumerate(plain.binary_coefficients().T):
        vectors = plain.support_[own != 0]
        sign = np.tile(np.sign(own[own != 0]), 5)
        naive = KernelSVC(**{**settings, "multiclass": "ovo"})
        naive.fit(shifted(X[vectors]), sign)
        expected = naive.decision_function(NEW)
        np.testing.assert_allclose(scores[:, p], expected, atol=1e-9)
        duals.append(naive.certificate_.dual)
    assert model.certificate_.dual == pytest.approx(sum(duals), rel=1e-12)
    assert model.certificate_.converged
    assert model.shape_fit_ == X.shape


def test_it_learns_that_shifts_do_not_matter(model):
    plain = KernelSVC(**SETTINGS).fit(X, y)
    moved = Affine(down=1).apply(NEW, (8, 8))
    assert model.score(moved, TRUE) > plain.score(moved, TRUE) + 0.05
    assert model.score(NEW, TRUE) > plain.score(NEW, TRUE)


def test_support_says_whom_a_vector_was_made_from(model):
    np.testing.assert_array_equal(
        y[model.support_], np.repeat(range(10), model.n_support_)
    )
    copies = shifted(X).reshape(5, -1, 64)
    for vector, origin in zip(model.support_vectors_[::50], model.support_[::50]):
        assert (copies[:, origin] == vector).all(axis=1).any()


def test_sparse_images_give_the_same_model(model):
    again = clone(model).fit(sparse.csr_matrix(X), y)
    assert sparse.issparse(again.support_vectors_)
    np.testing.assert_allclose(
        again.decision_function(NEW), model.decision_function(NEW), atol=1e-9
    )


def test_weights_go_with_the_copies():
    weights = np.random.default_rng(0).integers(0, 2, len(y)).astype(float)
    few = VirtualSVC(**SETTINGS).fit(X[weights > 0], y[weights > 0])
    same = VirtualSVC(**SETTINGS).fit(X, y, weights)
    assert same.certificate_.dual == pytest.approx(few.certificate_.dual, rel=1e-6)


def test_it_is_saved_with_its_maps_and_in_a_pipeline(tmp_path):
    path = tmp_path / "model.mercer"
    maps = ("rotations", Affine(right=0.5))
    model = make_pipeline(Deslant(), VirtualSVC(transforms=maps, **SETTINGS)).fit(X, y)
    save(model, path)
    again = load(path)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    assert again[-1].transforms == maps
    assert again[-1].certificate_.gap == model[-1].certificate_.gap
    assert again[-1].plain_certificate_.gap == model[-1].plain_certificate_.gap


def test_it_is_compressed_and_explained(model):
    small = compress(model, 150, X, passes=1)
    assert (small.predict(NEW) == model.predict(NEW)).mean() > 0.9
    shares = support_vectors(model, NEW[:3])
    assert set(shares.support.ravel()) <= set(model.support_)


def test_a_limit_that_finds_no_support_vectors_leaves_the_plain_model():
    with pytest.warns(ConvergenceWarning, match="ended before tol"):
        model = VirtualSVC(max_iter=0, **SETTINGS).fit(X, y)
    assert model.n_virtual_ == 0
    assert not model.certificate_.converged
    assert len(model.predict(NEW)) == len(NEW)


def test_feature_names_are_kept():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"pixel {i}" for i in range(64)])
    model = VirtualSVC(**SETTINGS).fit(frame, y)
    assert model.feature_names_in_[0] == "pixel 0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"transforms": "blur"}, "transforms holds 'blur'"),
        ({"image_shape": (4, 4)}, "4 x 4, but samples have 64"),
        ({"kernel": "precomputed"}, "moves the pixels"),
        ({"kernel": np.dot}, "moves the pixels"),
        ({"C": -1}, "C is -1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        VirtualSVC(**parameters).fit(X, y)
