"""Kernels that are functions of one's own, on samples of any kind."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from mercer import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC, save
from mercer.estimators import MachinesPerClass
from mercer.exceptions import DataError, ModelFileError, ParameterError
from mercer.kernels import Gaussian, Polynomial
from mercer.model_selection import GramSearchCV
from mercer.svm import SVC

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(90, 4))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
NEW = RANDOM.normal(size=(40, 4))
KERNEL = Polynomial(2, offset=1.0)
LEARNERS = [
    KernelSVC(),
    SVC(),
    KernelPerceptron(random_state=0),
    KernelPerceptron(variant="best", multiclass="ovo", random_state=0),
    KernelPegasos(random_state=0),
    KernelKNN(3),
]


def function(A, B):
    return (np.asarray(A) @ np.asarray(B).T + 1.0) ** 2


def shared_letters(A, B):
    """A kernel of words: how many letters they share, repeated ones included."""
    assert all(isinstance(word, str) for word in [*A, *B])
    letters = "abcdefghijklmnopqrstuvwxyz"
    counts = [
        np.array([[w.count(c) for c in letters] for w in words]) for words in (A, B)
    ]
    return counts[0] @ counts[1].T


WORDS = ["aab", "aba", "aaa", "ba", "zzy", "zyz", "yyz", "zy", "aabb", "zzyy"]
KINDS = ["ab", "ab", "ab", "ab", "yz", "yz", "yz", "yz", "ab", "yz"]


@pytest.mark.parametrize("model", LEARNERS, ids=str)
def test_a_function_is_the_kernel_that_it_computes(model):
    ours = clone(model).set_params(kernel=KERNEL).fit(X, Y)
    own = clone(model).set_params(kernel=function).fit(X, Y)
    assert (own.predict(NEW) == ours.predict(NEW)).all()
    if hasattr(own, "decision_function"):
        np.testing.assert_allclose(
            own.decision_function(NEW), ours.decision_function(NEW), atol=2e-3
        )
        assert (own.support_ == ours.support_).mean() > 0.95
    assert own.n_features_in_ == 4


@pytest.mark.parametrize("model", LEARNERS, ids=str)
@pytest.mark.parametrize("kind", [list, np.array])
def test_samples_that_are_no_vectors(model, kind):
    model = clone(model).set_params(kernel=shared_letters).fit(kind(WORDS), KINDS)
    assert model.predict(kind(["aaaa", "zyzy", "ba"])).tolist() == ["ab", "yz", "ab"]
    score = cross_val_score(model, WORDS, KINDS, cv=3, error_score="raise").mean()
    assert score == 1.0


@pytest.mark.parametrize("learner", [KernelPerceptron, KernelPegasos])
def test_partial_fit_goes_on_with_words(learner):
    pieces = [(WORDS[k::3], KINDS[k::3]) for k in range(3)]
    model = learner(kernel=shared_letters)
    for words, kinds in pieces:
        model.partial_fit(words, kinds, classes=["ab", "yz"])
    assert model.predict(["aaaa", "zyzy"]).tolist() == ["ab", "yz"]
    vectors = learner(kernel=function), learner(kernel=KERNEL)
    for model in vectors:
        model.partial_fit(X[:50], Y[:50], classes=[0, 1, 2]).partial_fit(X[50:], Y[50:])
    assert (vectors[0].predict(NEW) == vectors[1].predict(NEW)).all()


def test_neighbours_have_distances():
    own, ours = KernelKNN(3, function).fit(X, Y), KernelKNN(3, KERNEL).fit(X, Y)
    for mine, theirs in zip(own.kneighbors(NEW), ours.kneighbors(NEW)):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)


def test_sparse_samples_reach_the_function_as_they_are():
    seen = set()

    def linear(A, B):
        seen.update({type(A), type(B)})
        return A @ B.T

    model = KernelSVC(kernel=linear).fit(sparse.lil_array(X), Y)
    assert (
        model.predict(NEW) == KernelSVC(kernel="linear").fit(X, Y).predict(NEW)
    ).all()
    assert seen == {sparse.csr_array, np.ndarray}
    assert isinstance(model.dual_coef_, np.ndarray)


def test_a_search_and_machines_per_class():
    grid = {"C": [0.1, 10.0], "kernel": [function, "linear"]}
    search = GramSearchCV(KernelSVC(), grid, cv=3).fit(X, Y)
    expected = GramSearchCV(KernelSVC(), grid | {"kernel": [KERNEL, "linear"]}, cv=3)
    expected.fit(X, Y)
    scores = [s.cv_results_["mean_test_score"] for s in (search, expected)]
    np.testing.assert_allclose(*scores)
    words = GramSearchCV(KernelPerceptron(shared_letters), {"epochs": [1, 2]}, cv=2)
    assert words.fit(WORDS, KINDS).best_score_ == 1.0
    machines = MachinesPerClass(KernelSVC(kernel=function), [{"C": 1}, {}, {}])
    assert machines.fit(X, Y).score(X, Y) > 0.9


@pytest.mark.parametrize("model", LEARNERS, ids=str)
def test_what_is_wrong_with_a_function_is_said(model, tmp_path):
    bad = clone(model).set_params(kernel=lambda A, B: np.zeros((2, 3)))
    with pytest.raises(DataError, match=r"shape \(2, 3\) for \d+ and \d+ samples"):
        bad.fit(X, Y).predict(NEW)
    nan = clone(model).set_params(kernel=lambda A, B: np.full((len(A), len(B)), np.nan))
    with pytest.raises(DataError, match="kernel returned holds nan in row 0"):
        nan.fit(X, Y)
    with pytest.raises(ParameterError, match=r"kernel is <class .*Gaussian"):
        clone(model).set_params(kernel=Gaussian).fit(X, Y)
    fitted = clone(model).set_params(kernel=function).fit(X, Y)
    with pytest.raises(ModelFileError, match="function"):
        save(fitted, tmp_path / "m.mercer")
