"""How a fit of KernelSVC ends: by limits, on odd input, without an optimum."""

import numpy as np
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
)
from sklearn.exceptions import ConvergenceWarning

from mercer import KernelSVC
from mercer.kernels import Polynomial

DIGITS, LABELS = load_digits(return_X_y=True)
X, Y = DIGITS[:400] / 16.0, LABELS[:400]


def test_raw_features_converge_without_a_limit():
    raw, y = load_breast_cancer(return_X_y=True)
    model = KernelSVC(C=100, kernel="linear").fit(raw, y)
    assert model.certificate_.converged
    assert model.certificate_.gap < 1e-3 * model.certificate_.primal


def test_what_cannot_converge_names_the_cure():
    rng = np.random.default_rng(0)
    raw, y = rng.standard_normal((60, 2)) * 1e11, rng.integers(0, 2, 60)
    with pytest.warns(ConvergenceWarning, match=r"\(stalled\).*StandardScaler"):
        KernelSVC(kernel="linear").fit(raw, y)


def test_limits_return_the_best_so_far_and_say_how_far_it_is():
    with pytest.warns(
        ConvergenceWarning, match=r"\(iterations\): the gap is .*best so"
    ):
        model = KernelSVC(1e3, max_iter=5).fit(X, Y)
    assert not model.certificate_.converged
    assert np.isfinite(model.decision_function(X)).all()
    with pytest.warns(ConvergenceWarning, match=r"\(time\): the gap is"):
        KernelSVC(1e3, max_seconds=1e-9).fit(X, Y)


def test_what_gets_no_time_is_not_even_built():
    class Watched(KernelSVC):
        def binary_problems(self, *given):
            self.problems = super().binary_problems(*given)
            return self.problems

    n_classes = 120
    points, labels = np.random.default_rng(0).normal(size=(4, 3)), np.arange(n_classes)
    samples, y = np.tile(points, (n_classes // 2, 1)), labels.repeat(2)
    model = Watched(3.0, max_seconds=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"\(time\)"):
        model.fit(samples, y)
    pairs = n_classes * (n_classes - 1) // 2
    assert (len(model.problems), len(model.problems.built)) == (pairs, 0)
    # α = 0 loses C for each of four samples, and the certificate says so
    assert model.certificate_.gap == model.certificate_.primal == pairs * 4 * 3.0
    assert len(model.certificate_.problems) == pairs == len(model.n_iter_)
    assert model.dual_coef_.shape == (n_classes - 1, 0)
    assert (model.decision_function(samples) == labels).all()  # all votes for later


def test_a_model_of_some_of_its_problems():
    """As a limit of time leaves it: the others have score 0 and state their loss."""
    whole, labels = KernelSVC(2.0).fit(X, Y), np.unique(Y)

    class Interrupted(KernelSVC):
        def _keep(self, X, order, problems, solutions, rows_in_order):
            some = {p: s for p, s in solutions.begun.items() if p % 3 == 0}
            super()._keep(X, order, problems, some, rows_in_order)

    half = Interrupted(2.0, decision_function_shape="ovo").fit(X, Y)
    scores = whole.set_params(decision_function_shape="ovo").decision_function(X)
    scores[:, np.arange(45) % 3 != 0] = 0
    np.testing.assert_allclose(half.decision_function(X), scores, atol=1e-12)
    assert half.dual_coef_.shape == (len(labels) - 1, len(half.support_))


DEGENERATE = {
    "two samples": ([[0.0], [1.0]], [0, 1]),
    "all rows equal": (np.ones((10, 3)), [0, 1] * 5),
    "contradictory labels": (np.repeat([[0.0], [1.0]], 10, axis=0), [0, 1] * 10),
    "constant features": (np.c_[X[:60, :5], np.ones((60, 3))], Y[:60]),
    "huge": (X[:60] * 1e20, Y[:60]),
    "tiny": (X[:60] * 1e-20, Y[:60]),
}


@pytest.mark.usefixtures("either_way")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e9])
def test_degenerate_input_ends_without_nan(name, bias, C):
    samples, labels = map(np.asarray, DEGENERATE[name])
    model = KernelSVC(C, bias=bias, max_seconds=20).fit(samples, labels)
    assert np.isfinite(model.decision_function(samples)).all()
    assert np.isfinite([model.certificate_.primal, model.certificate_.dual]).all()
    assert len(model.predict(samples)) == len(samples)


@pytest.mark.usefixtures("either_way")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_degree_nine_at_huge_C_ends(dtype):
    samples = (DIGITS[:200] / 16).astype(dtype)
    model = KernelSVC(1e9, Polynomial(9, offset=1.0), max_seconds=30)
    model.fit(samples, LABELS[:200])
    assert np.isfinite(model.decision_function(samples)).all()
    assert model.certificate_.seconds < 40


def test_indefinite_kernel_is_handled_and_said():
    random = np.random.default_rng(0)
    K = random.normal(size=(60, 60))
    K = K + K.T
    with pytest.warns(ConvergenceWarning, match="not positive semidefinite"):
        model = KernelSVC(1.0, "precomputed").fit(K, random.integers(0, 2, 60))
    assert np.isfinite(model.dual_coef_).all()


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_an_infinite_C_is_the_hard_margin(bias):
    two = Y < 2
    settings = {"kernel": "linear", "bias": bias, "tol": 1e-6}
    model = KernelSVC(C=np.inf, **settings).fit(X[two], Y[two])
    w, b = model.coef_[0], model.intercept_[0]
    margins = np.where(Y[two] == 1, 1, -1) * (X[two] @ w + b)
    assert margins.min() == pytest.approx(1, abs=1e-4)
    xi = b * b if bias == "regularized" else 0.0  # the weight of the constant feature
    assert model.certificate_.primal == pytest.approx((w @ w + xi) / 2, rel=1e-3)
    assert model.certificate_.gap < 1e-3 * model.certificate_.primal
    large = KernelSVC(C=1e6, **settings).fit(X[two], Y[two])
    np.testing.assert_allclose(large.coef_[0], w, atol=1e-5)


def test_an_infinite_C_where_no_margin_is():
    random = np.random.default_rng(0)
    points, labels = random.normal(size=(40, 2)), random.integers(0, 2, 40)
    model = KernelSVC(C=float("inf"), kernel="linear", max_iter=10**5)
    with pytest.warns(ConvergenceWarning) as told:
        model.fit(points, labels)
    assert "cannot be told apart without a mistake" in str(told[0].message)
    assert np.isfinite(model.certificate_.primal)


def test_no_step_at_all():
    with pytest.warns(ConvergenceWarning, match="iterations"):
        model = KernelSVC(max_iter=0).fit(X, Y)
    assert len(model.support_) == 0
    assert model.dual_coef_.shape == (9, 0)
    assert (model.n_iter_ == 0).all()
    assert model.predict(X).shape == Y.shape
