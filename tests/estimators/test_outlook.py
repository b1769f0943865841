"""A few samples tell whether most rows of kernel values will be asked for."""

import numpy as np
import pytest
from scipy import sparse

from mercer import KernelSVC
from mercer.estimators import kernel_source, outlook
from mercer.estimators.outlook import expected_values
from mercer.exceptions import DataError
from mercer.kernels import Gaussian, Gram, GramPart, Polynomial, Sigmoid
from mercer.solvers.svm import BinaryProblem, BinaryProblems

D = 150


def noise(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, D)).astype(np.float32), rng.integers(0, 2, n)


def apart(n, seed=0):
    X, y = noise(n, seed)
    X[:, 0] += np.where(y, 4.0, -4.0)
    return X * np.float32(0.5), y


def one_problem(y, C=1.0):
    signs = np.where(np.sort(y) > 0, 1.0, -1.0)
    return BinaryProblems.of([BinaryProblem(np.arange(len(y)), signs, C)])


def source(X, y, kernel, budget=None):
    known = kernel, X, np.argsort(y, kind="stable"), one_problem(y)
    return kernel_source.kernel_source(*known, one_vs_rest=False, budget=budget)


@pytest.mark.parametrize("n", [1100, 3000, 5000])
@pytest.mark.parametrize("make", [noise, apart])
def test_it_is_about_what_is_asked_for(make, n):
    X, y = make(n)
    kernel, order = Gaussian(1 / D), np.argsort(y, kind="stable")
    known = kernel, X, order, one_problem(y), "free", 0.0
    found = expected_values(n // 8, *known) / n**2
    share = len(KernelSVC(gamma=1 / D).fit(X, y).support_) / n
    assert found == pytest.approx(share, abs=0.1)


def test_it_is_about_all_pairs_of_classes(monkeypatch):
    X, y = noise(4000)[0], np.random.default_rng(2).integers(0, 5, 4000)
    model, found = KernelSVC(gamma=1 / D), []
    monkeypatch.setattr(
        outlook,
        "expected_values",
        lambda *known: found.append(expected_values(*known)) or found[-1],
    )
    model.fit(X, y)
    # ten pairs of 1600 samples, all of which are support vectors
    assert found == [pytest.approx(10 * 1600**2, rel=0.1)] * 2


@pytest.mark.parametrize(("make", "looks"), [(noise, [192, 375]), (apart, [192])])
def test_more_samples_are_looked_at_where_few_cannot_tell(make, looks, monkeypatch):
    X, y = make(6000)
    counts = []
    monkeypatch.setattr(
        outlook,
        "expected_values",
        lambda *known: counts.append(known[0]) or expected_values(*known),
    )
    assert isinstance(source(X, y, Gaussian(1 / D)), Gram) == (make is noise)
    assert counts == looks


def test_most_rows_are_a_matrix_and_few_are_not():
    kernel = Gaussian(1 / D)
    assert isinstance(source(*noise(1500), kernel), Gram)
    assert isinstance(source(*apart(1500), kernel), GramPart)
    X, y = noise(1500)
    assert source(X, y, kernel).dtype == np.float64
    assert isinstance(source(sparse.csr_array(X[:, :40]), y, kernel), Gram)
    # few features, no room, or a solver that ends where the way leads to
    assert isinstance(source(X[:, :40], y, kernel), GramPart)
    assert isinstance(source(X, y, kernel, budget=2**20), GramPart)
    assert isinstance(source(X, y, Sigmoid(1 / D)), GramPart)


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("kernel", [Gaussian(1 / D), Polynomial(2, 1.0, 1 / D)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_optimum_is_the_same(kernel, bias, dtype, monkeypatch):
    X, y = noise(1300)
    known = {"kernel": kernel, "bias": bias, "tol": 1e-5}
    model = KernelSVC(**known).fit(X.astype(dtype), y)
    assert model.certificate_.converged
    monkeypatch.setattr(kernel_source, "_MOST_ROWS", np.inf)
    by_rows = KernelSVC(**known).fit(X.astype(dtype), y)
    assert len(model.support_) > 1000
    assert model.certificate_.dual == pytest.approx(by_rows.certificate_.dual, 1e-6)
    np.testing.assert_array_equal(model.predict(X), by_rows.predict(X))


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e10])
def test_hard_and_rare_ones_come_to_an_end(C):
    X, y = noise(1200)
    for labels in (y, np.arange(1200) < 3, np.arange(1200) % 400):
        order = np.argsort(labels, kind="stable")
        problems = one_problem(labels, C)
        known = Gaussian(1 / D), X, order, problems, "free", 0.0
        found = expected_values(192, *known)
        assert 0 <= found <= 1200**2


def test_a_class_of_few_that_may_do_little_still_moves_all_others():
    """Each α of the many is a hundredth of C, which a rough solution left at zero."""
    X = 3 * noise(2000)[0]  # so far apart that no sample tells of another
    y = np.arange(2000) % 10 == 0
    order, problems = np.argsort(y, kind="stable"), one_problem(y, 0.1)
    known = Gaussian(1 / D), X, order, problems, "free", 0.0
    model = KernelSVC(gamma=1 / D, C=0.1).fit(X, y)
    assert len(model.support_) == 2000
    assert expected_values(192, *known) == 2000**2


def test_few_samples_share_a_matrix_from_fewer_features_on():
    """It takes as long as a look, and where most rows are asked for far less."""
    X, y = noise(1024)
    for d, kind in ((63, GramPart), (64, Gram)):
        for some, labels in ((X[:, -d:], y), apart(1024)):
            found = source(some[:, :d], labels, Gaussian(1 / d))
            assert isinstance(found, kind)
            assert found.dtype == np.float64
    X, y = noise(1025)
    assert isinstance(source(X[:, :63], y, Gaussian(1 / 63)), GramPart)
    assert isinstance(source(X[:, :64], y, Gaussian(1 / 64)), Gram)


def test_weights_of_zero_ask_for_nothing():
    X, y = noise(1500)
    weights = np.zeros(1500)
    weights[:60] = 1.0
    model = KernelSVC(gamma=1 / D).fit(X, y, sample_weight=weights)
    assert (model.support_ < 60).all()
    order = np.argsort(y, kind="stable")
    problems = one_problem(y, np.zeros(1500))
    known = Gaussian(1 / D), X, order, problems, "free", 0.0
    assert expected_values(192, *known) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [250, 700, 1500])
def test_which_sample_is_too_large(n, dtype):
    """Where all share a matrix, it was counted by the order of their classes."""
    X, y = noise(n)
    X = X.astype(dtype)
    X[200] = 1e20 if dtype == np.float32 else 1e150
    with pytest.raises(DataError, match="at sample 200;"):
        KernelSVC(kernel="poly", degree=5, gamma=1.0).fit(X, y)


def test_who_is_in_a_hurry_waits_for_no_matrix():
    X, y = noise(1500)
    known = Gaussian(1 / D), X, np.argsort(y, kind="stable"), one_problem(y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_source, "asks_for", None)
        model = KernelSVC(gamma=1 / D, max_seconds=100).fit(X, y)
        found = kernel_source.kernel_source(
            *known, one_vs_rest=False, budget=None, in_a_hurry=True
        )
    assert isinstance(found, GramPart)
    assert model.certificate_.converged


@pytest.mark.parametrize("threads", ["2", "3"])
def test_threads_see_the_same(threads, monkeypatch):
    X, y = noise(1400)
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    alone = KernelSVC(gamma=1 / D).fit(X, y)
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    model = KernelSVC(gamma=1 / D).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, alone.dual_coef_)
    assert model.certificate_.gap == alone.certificate_.gap
