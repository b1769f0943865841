"""Arrays that need no conversion take a short way, to the same place."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from mercer import KernelSVC
from mercer._plain import are_clearly_classes, encode, is_plain_matrix

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.arange(40) % 2

ODD = {
    "a list": X.tolist(),
    "in the order of Fortran": np.asfortranarray(X),
    "every other row": X[::2],
    "half precision": X.astype(np.float16),
    "more than double": X.astype(np.longdouble),
    "whole numbers": X.astype(int),
    "objects": X.astype(object),
    "the other byte order": X.astype(X.dtype.newbyteorder()),
    "a frame": pd.DataFrame(X),
    "sparse": sparse.csr_array(X),
    "a masked array": np.ma.masked_array(X),
    "one dimension": X[:, 0],
    "no samples": X[:0],
    "no features": X[:, :0],
    "NaN": np.where(X > 2, np.nan, X),
    "infinite": np.where(X > 2, np.inf, X),
    "a sum that overflows": np.full((4, 3), 1e308),
}


@pytest.mark.parametrize("kind", sorted(ODD.keys() - {"every other row"}))
def test_whatever_is_odd_goes_to_scikit_learn(kind):
    assert not is_plain_matrix(ODD[kind])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_plain(dtype):
    assert is_plain_matrix(X.astype(dtype))
    assert is_plain_matrix(np.where(X > 2, np.nan, X), look=False)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_rows_are_plain_where_they_are_accepted(make):
    assert is_plain_matrix(make(X), accept_sparse=True)
    assert not is_plain_matrix(make(X))
    assert not is_plain_matrix(make(ODD["NaN"]), accept_sparse=True)
    assert not is_plain_matrix(make(ODD["no samples"]), accept_sparse=True)
    assert not is_plain_matrix(make(X).tocsc(), accept_sparse=True)
    plain, other = KernelSVC().fit(make(X), Y), KernelSVC().fit(make(X).tocoo(), Y)
    assert type(plain.support_vectors_) is make
    assert (plain.dual_coef_ != other.dual_coef_).nnz == 0
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        KernelSVC(kernel="precomputed").fit(make(X @ X.T), Y)


@pytest.mark.parametrize("kind", ["a list", "a frame", "in the order of Fortran"])
def test_both_ways_lead_to_the_same_model(kind):
    plain, other = KernelSVC().fit(X, Y), KernelSVC().fit(ODD[kind], Y.tolist())
    assert plain.n_features_in_ == other.n_features_in_ == 3
    assert plain.classes_.dtype == other.classes_.dtype
    np.testing.assert_array_equal(plain.dual_coef_, other.dual_coef_)
    new = RNG.normal(size=(5, 3))
    np.testing.assert_array_equal(
        plain.decision_function(new), plain.decision_function(new.tolist())
    )


def test_names_of_an_earlier_fit_are_forgotten():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = KernelSVC().fit(frame, Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


def test_other_shapes_are_told():
    model = KernelSVC().fit(X, Y)
    with pytest.raises(ValueError, match="2 features, but KernelSVC is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, Y[:-1])


@given(
    arrays.arrays(
        st.sampled_from([np.int8, np.uint8, np.int64, np.uint64, np.bool_, np.int32]),
        st.integers(1, 30),
    )
    | arrays.arrays(
        np.int64, st.integers(1, 60), elements=st.integers(-(2**63), -(2**63) + 3)
    )
    | arrays.arrays(np.uint64, 60, elements=st.integers(2**64 - 4, 2**64 - 1))
    | arrays.arrays(np.int8, 300)
    | arrays.arrays(np.uint8, 600)
)
def test_labels_are_encoded_as_numpy_does(y):
    classes, y_encoded = encode(y)
    known, inverse = np.unique(y, return_inverse=True)
    assert classes.dtype == known.dtype
    np.testing.assert_array_equal(classes, known)
    np.testing.assert_array_equal(y_encoded, inverse)
    assert are_clearly_classes(y) == (2 * len(known) <= len(y))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(1200, 1000), (3, 2**19), (2**21, 1)])
def test_many_values_are_all_looked_at(bad, shape):
    large = np.ones(shape, np.float32)
    assert is_plain_matrix(large)
    for at in ((0, 0), (-1, -1), (shape[0] // 2, shape[1] // 2)):
        odd = large.copy()
        odd[at] = bad
        assert not is_plain_matrix(odd)
