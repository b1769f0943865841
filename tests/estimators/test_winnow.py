import numpy as np
import pytest

from mercer import Winnow
from mercer.exceptions import DataError, ParameterError


def little_bit(n, m, seed=0):
    X = np.random.default_rng(seed).choice([-1.0, 1.0], (m, n))
    return X, X[:, 0]


def naive_winnow(X, y, balanced, threshold, factor=2.0):
    n = X.shape[1]
    positive, negative = [1.0] * n, [1.0 if balanced else 0.0] * n
    for x, label in zip(X, y):
        score = sum((p - q) * v for p, q, v in zip(positive, negative, x))
        if (1 if score >= threshold else -1) != label:
            for j in range(n):
                positive[j] *= factor ** (label * x[j])
                if balanced:
                    negative[j] /= factor ** (label * x[j])
    return np.subtract(positive, negative)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_is_the_naive_one(balanced, seed):
    X, y = little_bit(12, 40, seed)
    model = Winnow(balanced, shuffle=False).fit(X, y)
    features = X if balanced else (X > 0).astype(float)
    expected = naive_winnow(features, y, balanced, 0.0 if balanced else 12.0)
    np.testing.assert_allclose(model.coef_[0], expected)
    bits = (X > 0).astype(float)
    if not balanced:
        same = Winnow(shuffle=False).fit(bits, y)
        np.testing.assert_array_equal(same.coef_, model.coef_)


def test_few_mistakes_among_many_irrelevant_features():
    X, y = little_bit(1000, 500)
    model = Winnow(shuffle=False, epochs=3).fit(X, y)
    assert model.mistakes_.sum() <= 3 * np.log2(1000) + 4
    assert model.score(*little_bit(1000, 2000, 1)) == 1.0


def test_balanced_learns_a_feature_that_counts_against():
    X, y = little_bit(50, 400)
    assert (
        Winnow(balanced=True, epochs=5, random_state=0).fit(X, -y).score(X, -y) > 0.99
    )
    assert Winnow(epochs=5, random_state=0).fit(X, -y).score(X, -y) < 0.9


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
def test_several_classes(multiclass):
    X, _ = little_bit(20, 800)
    y = np.array(["none", "one", "two"])[
        (X[:, 0] > 0).astype(int) * (1 + (X[:, 1] > 0))
    ]
    settings = dict(balanced=True, threshold=0.5, factor=1.1, epochs=20)
    model = Winnow(multiclass=multiclass, random_state=0, **settings).fit(X, y)
    assert model.score(X, y) > 0.9


def test_partial_fit_is_fit_in_pieces():
    X, y = little_bit(30, 100)
    whole = Winnow(shuffle=False).fit(X, y)
    pieces = Winnow()
    for part in np.split(np.arange(100), [1, 40]):
        pieces.partial_fit(X[part], y[part], classes=[-1, 1])
    assert (pieces.coef_ == whole.coef_).all()
    with pytest.raises(DataError, match="has not been told of"):
        pieces.partial_fit(X, y * 2)


def test_never_overflows():
    X = np.ones((20000, 1))
    y = np.tile([1, -1], 10000)
    X[::2] = 0
    model = Winnow(factor=1e10, shuffle=False).fit(X, y)
    assert np.isfinite(model.coef_).all()


def test_bad_input_gets_a_sentence():
    with pytest.raises(DataError, match=r"X holds 0\.5 in row 1, column 0 \(counted"):
        Winnow().fit([[0.0], [0.5]], [0, 1])
    with pytest.raises(DataError, match="one class only"):
        Winnow().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ParameterError, match="factor is 1; it must be above 1"):
        Winnow(factor=1).fit([[0.0], [1.0]], [0, 1])
