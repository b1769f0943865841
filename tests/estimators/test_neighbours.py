import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from mercer import KernelKNN
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import Cosine, Gaussian, Polynomial
from naive import nearest, nearest_of_whole_numbers

DIGITS, LABELS = load_digits(return_X_y=True)
X, Y, NEW = DIGITS[:400], LABELS[:400], DIGITS[400:520]


@pytest.mark.parametrize("kernel", [Cosine(), Gaussian(1e-3), Polynomial(3)], ids=str)
@pytest.mark.parametrize("k", [1, 7, 400])
def test_neighbours_are_the_naive_ones(kernel, k):
    model = KernelKNN(k, kernel).fit(X, Y)
    distances, indices = model.kneighbors(NEW)
    if isinstance(kernel, Polynomial):
        expected = nearest(kernel(NEW, X), kernel.diag(X), k)
    else:
        by_angle = isinstance(kernel, Cosine)
        expected = nearest_of_whole_numbers(NEW, X, k, by_angle)
    assert (indices == expected).all()
    squares = kernel.diag(NEW)[:, None] + kernel.diag(X)[indices]
    squares -= 2 * np.take_along_axis(kernel(NEW, X), indices, axis=1)
    np.testing.assert_allclose(distances**2, np.maximum(squares, 0), atol=1e-6)
    assert (np.diff(distances, axis=1) >= 0).all()


@pytest.mark.parametrize("k", [1, 3, 10])
def test_agrees_with_scikit_learn(k):
    theirs = KNeighborsClassifier(k, metric="cosine", algorithm="brute").fit(X, Y)
    ours = KernelKNN(k).fit(X, Y)
    assert (ours.predict(NEW) == theirs.predict(NEW)).all()
    np.testing.assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW))
    euclid = KNeighborsClassifier(k, algorithm="brute").fit(X, Y)
    gauss = KernelKNN(k, Gaussian(1e-4)).fit(X, Y)
    assert (gauss.predict(NEW) == euclid.predict(NEW)).all()


def test_ties():
    same = np.ones((6, 2))
    model = KernelKNN(2).fit(same, ["b", "a", "a", "b", "c", "c"])
    assert model.kneighbors([[1.0, 1.0]])[1].tolist() == [[0, 1]]  # the first ones
    assert model.predict([[1.0, 1.0]]).tolist() == ["a"]  # first in classes_


class CountingCosine(Cosine):
    calls = 0

    def combine(self, tiles):
        CountingCosine.calls += 1
        return super().combine(tiles)


def test_changing_k_costs_no_new_search():
    model = KernelKNN(9, CountingCosine()).fit(X, Y)
    model.predict(NEW)
    searched = CountingCosine.calls
    for k in (1, 3, 7, 9):
        again = model.set_params(n_neighbors=k).predict(NEW)
        assert (again == KernelKNN(k).fit(X, Y).predict(NEW)).all()
    assert CountingCosine.calls == searched
    model.predict(X)  # other samples
    assert CountingCosine.calls > searched


def test_a_sample_changed_in_place_is_searched_anew():
    model, changed = KernelKNN(1).fit(X, Y), NEW.copy()
    model.predict(changed)
    changed[:] = X[: len(changed)]
    assert (model.predict(changed) == Y[: len(changed)]).all()


def test_kinds_of_input():
    expected = KernelKNN(5).fit(X, Y).predict(NEW)
    rows = KernelKNN(5).fit(sparse.csr_array(X), Y)
    assert (rows.predict(sparse.csr_array(NEW)) == expected).all()
    half = KernelKNN(5).fit(X.astype(np.float32), Y)
    assert half.kneighbors(NEW.astype(np.float32))[0].dtype == np.float32
    assert (half.predict(NEW.astype(np.float32)) == expected).mean() > 0.99
    given = KernelKNN(5, "precomputed").fit(Cosine()(X), Y)
    assert (given.predict(Cosine()(NEW, X)) == expected).all()
    with pytest.raises(ParameterError, match="distance to a neighbour is not known"):
        given.kneighbors(Cosine()(NEW, X))


def test_bad_input_gets_a_sentence():
    with pytest.raises(ParameterError, match="only 400 training samples"):
        KernelKNN(401).fit(X, Y).predict(NEW)
    with pytest.raises(ParameterError, match="n_neighbors is 0"):
        KernelKNN(0).fit(X, Y)
    with pytest.raises(DataError, match="one class only"):
        KernelKNN().fit(X, np.zeros(400))


class Interrupted(KernelKNN):
    """Another thread asks about other samples whenever it looks at its memory."""

    asked = False

    @property
    def _memory(self):
        if not self.asked:
            self.asked = True
            self.kneighbors(X[:1])
            self.asked = False
        return self._kept

    @_memory.setter
    def _memory(self, memory):
        self._kept = memory


def test_threads_do_not_get_each_others_neighbours():
    expected = KernelKNN(3).fit(X, Y).kneighbors(NEW)[1]
    assert (Interrupted(3).fit(X, Y).kneighbors(NEW)[1] == expected).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_of_equal_rows_the_first_is_ahead_by_kernel_values_too(dtype, layout):
    """A product rounds by where a row stands in it."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        few = rng.normal(size=(int(rng.integers(3, 40)), int(rng.integers(1, 40))))
        source = rng.integers(len(few), size=int(rng.integers(20, 200)))
        Y = layout(few[source].astype(dtype))
        model = KernelKNN(1, kernel="poly", degree=3).fit(Y, source % 2)
        for k in (1, 7, len(source)):
            found = model.kneighbors(layout(few.astype(dtype)), k)[1]
            for row in found:
                # the rows that equal each other count up, and none is left out
                for number in np.unique(source[row]):
                    expected = np.flatnonzero(source == number)
                    own = row[source[row] == number]
                    assert own.tolist() == expected[: len(own)].tolist()
                    assert len(own) == len(expected) or source[row[-1]] == number
