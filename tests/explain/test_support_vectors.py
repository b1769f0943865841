"""Shares of support vectors add up to the scores; votes are told."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import naive
from mercer import KernelPerceptron, KernelSVC, Winnow
from mercer.exceptions import ParameterError
from mercer.explain import support_vectors
from mercer.kernels import Cosine, Gaussian

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.2])]
MODELS = {
    "ovo": KernelSVC(gamma=0.4),
    "ovr": KernelSVC(kernel=Cosine(), multiclass="ovr"),
    "online": KernelPerceptron(gamma=0.4, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), KernelSVC()),
}


@pytest.mark.parametrize("name", MODELS)
def test_shares_add_up_to_the_scores(name):
    model = MODELS[name].fit(X, Y)
    why = support_vectors(model, X[:5])
    assert (why.predicted == model.predict(X[:5])).all()
    for i in range(5):
        total = why.shares(i).sum(axis=0) + why.intercept
        np.testing.assert_allclose(total, why.scores[i], rtol=0, atol=1e-12)
        for label, score in zip("abc", why.class_scores()[i]):
            column = why.class_weights[:, "abc".index(label)]
            whole = why.for_class(i, label).sum() + why.intercept @ column
            assert whole == pytest.approx(score, abs=1e-12)


def test_votes_of_one_vs_one():
    model = KernelSVC().fit(X, Y)
    why = support_vectors(model, X)
    assert why.outputs == ["a against b", "a against c", "b against c"]
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert (why.votes == naive.ovo_votes(why.scores, pairs, 3)).all()
    assert (why.classes[why.votes.argmax(axis=1)] == why.predicted).all()
    single = KernelSVC(multiclass="ovr").fit(X, Y)
    assert support_vectors(single, X).votes is None


def test_the_strongest_are_found_and_named():
    model = KernelSVC(gamma=0.4, multiclass="ovr").fit(X, Y)
    why = support_vectors(model, X[:1])
    pulls, against = why.strongest(0, "a", 3)
    shares = {
        int(model.support_[v]): naive.gaussian(X[0], x, 0.4) * c
        for v, (x, c) in enumerate(zip(model.support_vectors_, model.dual_coef_[0]))
    }
    ranked = sorted(shares, key=shares.get)
    assert [pull.sample for pull in pulls] == ranked[:-4:-1]
    assert [pull.sample for pull in against] == ranked[:3]
    for pull in (*pulls, *against):
        assert pull.share == pytest.approx(shares[pull.sample])
        np.testing.assert_array_equal(why.vectors[pull.vector], X[pull.sample])
    everything = why.strongest(0, "a", 1000)
    assert sum(map(len, everything)) <= len(model.support_)
    assert all(pull.share > 0 for pull in everything[0])
    assert all(pull.share < 0 for pull in everything[1])


def test_precomputed_kernels():
    kernel = Gaussian(0.4)
    model = KernelSVC(kernel="precomputed").fit(kernel(X), Y)
    given = support_vectors(model, kernel(X[:2], X))
    wanted = support_vectors(KernelSVC(kernel=kernel).fit(X, Y), X[:2])
    np.testing.assert_allclose(given.shares(1), wanted.shares(1), atol=1e-3)
    assert given.vectors is None


def test_what_has_no_support_vectors_is_refused():
    bits = np.sign(X)
    with pytest.raises(ParameterError, match="A Winnow cannot be explained so"):
        support_vectors(Winnow().fit(bits, Y), bits)
