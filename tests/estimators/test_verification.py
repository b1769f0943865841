"""What a search asks of certificates: all folds at once, and the same as one by one."""

import numpy as np
import pytest

from mercer import KernelSVC
from mercer.estimators import verification as verification_module
from mercer.estimators.float64_scores import scores_together
from mercer.estimators.learner import TrainingSet
from mercer.estimators.rounding import rounding_of
from mercer.estimators.verification import Verification
from mercer.kernels import (
    Gaussian,
    Gram,
    GramPart,
    KernelSums,
    Linear,
    Polynomial,
)
from mercer.solvers.svm import (
    BinaryProblem,
    StackedSolutions,
    solve_many,
    solve_smo,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 5)).astype(np.float32)
Z = np.where(X[:, 0] + RANDOM.normal(size=200) > 0, 1.0, -1.0)
GRAM = Gram(Gaussian(0.2), X)


def asked(rows):
    problem = BinaryProblem(rows, Z[rows], 10.0)
    coef = solve_smo(GRAM, problem).coef
    known = (coef != 0) | (RANDOM.random(len(rows)) < 0.3)
    return problem, coef, known


@pytest.fixture
def verification():
    order = RANDOM.permutation(200)
    place = np.argsort(order)  # so that the Gram has samples in the order of X
    known = {"free_bias": True, "xi": 0.0, "tol": 1e-3}
    return Verification.of(GRAM, Gaussian(0.2), X[order], place, **known)


@pytest.mark.parametrize("shared", [True, False])
def test_scores_together_are_those_of_each(verification, monkeypatch, shared):
    numbers = np.arange(200)
    folds = [np.delete(numbers, np.s_[k::5]) for k in range(5)]
    parts = folds if shared else [numbers[k::5] for k in range(5)]
    questions, calls, call = [asked(rows) for rows in parts], [], KernelSums.__call__

    def counting(self, support, others, v):
        calls.append(v.shape)
        return call(self, support, others, v)

    monkeypatch.setattr(KernelSums, "__call__", counting)
    known = verification.kernel, verification.X, verification.order
    together = scores_together(*known, questions)
    for problem, coef, known in questions:
        K = Gaussian(0.2)(X[problem.rows].astype(np.float64))
        found = together(problem, coef, known)
        np.testing.assert_allclose(found, (K @ coef)[known], rtol=1e-11, atol=1e-11)
    # a column for each fold in one call, or a call for each
    assert len(calls) == (1 if shared else 5)
    assert len(calls[0]) == (2 if shared else 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [Gram, GramPart.prepare])
def test_scores_in_float64_are_bounded_as_products(kind, dtype):
    """Few features: a solver may have had differences, which round less."""
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(dtype)
    source = kind(Gaussian(2.0), X)
    known = source, Gaussian(2.0), X, np.arange(len(X))
    own = Verification.of(*known, free_bias=True, xi=0.0, tol=1e-3)
    products = Gram(Gaussian(2.0), X).bound_rounding(np.float64)
    np.testing.assert_allclose(own.fine.error, products.error, rtol=1e-3)


def test_the_least_that_is_known_of_stacked_problems_is_enough():
    """The bound that takes no time is never below the one that takes some."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, classes = int(rng.integers(20, 200)), int(rng.integers(2, 5))
        X = rng.normal(size=(n, 4)) * 10.0 ** rng.integers(-2, 3)
        y = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
        model = KernelSVC(C=10.0 ** rng.integers(-2, 4), gamma=0.1)
        known = model.fit(X, y).certificate_
        problems = model.binary_problems(
            TrainingSet(np.arange(n), np.sort(y), np.arange(classes))
        )
        gram = Gram(model.kernel_, X[np.argsort(y, kind="stable")])
        found = solve_many(gram, problems)
        if not isinstance(found, StackedSolutions):
            continue
        seen = gram, model.kernel_, gram.X, np.arange(n)
        own = Verification.of(*seen, free_bias=True, xi=0.0, tol=1e-3)
        exact = own._rounding_of_stacked(found)
        naive = [
            rounding_of(p.upper, s.alpha, own._slack(p, s), own._maintained(p, s))
            for p, s in ((problems[k], found[k]) for k in range(len(problems)))
        ]
        np.testing.assert_allclose(exact, naive, rtol=1e-9)
        assert (own._most_rounding_of_stacked(found) >= exact).all()
        assert known.gap >= known.total.rounding


def test_many_problems_are_certified_at_once(monkeypatch):
    """That is what a fit does where most problems are in doubt."""
    rng, made = np.random.default_rng(4), []
    X, y = rng.normal(size=(700, 8)).astype(np.float32), rng.integers(0, 12, 700)

    def counting(self, *given):
        made.append(scored_by(self, *given))
        return made[-1]

    scored_by = StackedSolutions.scored_by
    monkeypatch.setattr(StackedSolutions, "scored_by", counting)
    known = KernelSVC(C=10.0).fit(X, y).certificate_
    assert len(made) == 1
    for threads in "13":
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        again = KernelSVC(C=10.0).fit(X, y).certificate_
        assert (again.dual, again.gap) == (known.dual, known.gap)
    made.clear()
    monkeypatch.setattr(verification_module, "_MOST_TOGETHER", 0)
    apart = KernelSVC(C=10.0).fit(X, y).certificate_
    assert not made
    assert known.dual == pytest.approx(apart.dual, rel=1e-6)
    assert known.gap <= 1.1 * apart.gap


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize(
    ("kernel", "C"),
    [
        (Gaussian(0.2), 10.0),
        (Polynomial(2, scale=0.1, offset=1.0), 1.0),
        (Linear(), 0.1),
    ],
)
def test_many_problems_are_certified_by_one_matrix(bias, kernel, C):
    """As float64 has it: labels at random, so that all samples are support vectors."""
    rng = np.random.default_rng(2)
    n, classes = 300, 10
    X, y = rng.normal(size=(n, 8)).astype(np.float32), rng.integers(0, classes, n)
    order = np.argsort(y, kind="stable")
    training = TrainingSet(np.arange(n), y[order], np.arange(classes))
    problems = KernelSVC(C=C, gamma=0.1).binary_problems(training)
    gram, xi = Gram(kernel, X, order=order), float(bias == "regularized")
    found = solve_many(gram, problems, bias=bias, xi=xi)
    assert isinstance(found, StackedSolutions)
    seen, how = (gram, kernel, X, order), {"free_bias": bias == "free", "xi": xi}
    own = Verification.of(*seen, **how, tol=1e-3)
    together = own._scored_together(found, np.array([10**9]))
    K = kernel(X[order].astype(np.float64)) + xi
    for problem, one, before in zip(problems, together, found):
        stated = one.certificate
        scores = K[np.ix_(problem.rows, problem.rows)] @ one.coef
        np.testing.assert_allclose(one.gradient, problem.signs - scores, atol=1e-9)
        free = one.bias if bias == "free" else 0.0
        loss = np.maximum(0.0, 1 - problem.signs * (scores + free))
        primal = one.coef @ scores / 2 + problem.upper @ loss
        dual = one.alpha.sum() - one.coef @ scores / 2
        assert stated.primal == pytest.approx(primal, rel=1e-9)
        assert stated.dual == pytest.approx(dual, rel=1e-9)
        assert primal - dual <= stated.gap
        assert 0 < stated.rounding <= 1e-9 * primal
        assert stated.converged
        assert stated.iterations == before.certificate.iterations


def test_what_float64_finds_lost_is_not_certified_together():
    """As if kernel values had been far too coarse: these were of other samples."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 8)).astype(np.float32), np.arange(300) // 30
    training = TrainingSet(np.arange(300), y, np.arange(10))
    problems = KernelSVC(C=10.0, gamma=0.1).binary_problems(training)
    gram = Gram(Gaussian(0.2), X)
    found = solve_many(gram, problems)
    others = X + 0.01 * rng.normal(size=X.shape).astype(np.float32)
    known = gram, gram.kernel, others, np.arange(300)
    own = Verification.of(*known, free_bias=True, xi=0.0, tol=1e-3)
    verified = own.verify_all(problems, found)
    assert not isinstance(verified, StackedSolutions)
    assert "precision" in {one.certificate.status for one in verified}


def test_of_a_kernel_of_which_nothing_is_known_no_step_is_in_doubt():
    class Unknown(Gaussian):
        """Its bounds of rounding are infinite."""

    X = np.random.default_rng(0).normal(size=(30, 2))
    model = KernelSVC(kernel=Unknown(1.0), tol=5.0).fit(X, X[:, 0] > 0)
    assert model.certificate_.total.iterations == 0
    assert model.certificate_.total.rounding == 0


@pytest.mark.parametrize(("offset", "dtype"), [(0.0, "f"), (3e3, "d")])
def test_some_support_vectors_show_what_float32_carries(monkeypatch, offset, dtype):
    monkeypatch.setattr(verification_module, "_CLEARLY", 0.0)  # always look
    calls, real = [], verification_module.kernel_product

    def counting(*known):
        calls.append(known)
        return real(*known)

    monkeypatch.setattr(verification_module, "kernel_product", counting)
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(600, 700)) + offset).astype(np.float32)
    y, found = rng.integers(2, size=600), []
    for many in (2**22, 20_000):
        calls.clear()
        monkeypatch.setattr(verification_module, "_MANY_FEATURES", many)
        model = KernelSVC(C=1e-3, kernel="linear").fit(X, y)
        found.append((len(calls), model.support_vectors_.dtype))
    # all of them are asked only where some were in doubt
    assert found == [(1, dtype), (dtype == "d", dtype)]
