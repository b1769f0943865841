"""Problems that ask for kernel rows together are solved as each would be alone."""

import signal
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from mercer import KernelSVC
from mercer.estimators.learner import TrainingSet
from mercer.kernels import (
    Cosine,
    Exponential,
    Gaussian,
    Gram,
    GramPart,
    Linear,
    Polynomial,
    Sigmoid,
)
from mercer.solvers.svm import (
    BinaryProblem,
    Limits,
    StackedSolutions,
    _stacked_rows,
    many,
    solve_many,
    solve_smo,
)
from solvers.svm import naive_svm

RNG = np.random.default_rng(0)
Y = np.repeat(np.arange(4), [90, 60, 75, 40])
X = RNG.normal(size=(4, 5))[Y] + RNG.normal(size=(len(Y), 5))
KERNELS = [
    Linear(),
    Polynomial(3, offset=1.0, scale=0.2),
    Gaussian(0.2),
    Exponential(0.3),
    Cosine(),
    2.0 * Gaussian(0.1),
]


def pairs(C=0.5):
    training = TrainingSet(np.arange(len(Y)), Y, np.unique(Y))
    return KernelSVC(C).binary_problems(training)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_as_one_by_one(kernel, kind):
    found = solve_many(GramPart.prepare(kernel, kind(X)), pairs())
    assert isinstance(found, StackedSolutions)
    K = kernel(X)
    for problem, solution in zip(pairs(), found):
        alone = solve_smo(Gram.from_matrix(K), problem).certificate
        stated = solution.certificate
        assert stated.converged
        assert 0 < stated.rows_computed <= len(problem)
        assert stated.primal >= alone.dual
        assert stated.dual <= alone.primal
        own = K[np.ix_(problem.rows, problem.rows)]
        gradient = problem.signs - own @ solution.coef
        np.testing.assert_allclose(solution.gradient, gradient, atol=1e-8)


@pytest.mark.uncompiled
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_as_the_naive_solver(bias):
    z = np.where(X[:30, 0] + 0.5 * RNG.normal(size=30) > 0, 1.0, -1.0)
    problem = BinaryProblem(np.arange(30), z, RNG.uniform(0.5, 2.0, 30))
    part, xi = GramPart.prepare(Gaussian(0.2), X[:30]), 0.0
    limits = Limits(tol=1e-6)
    (found,) = solve_many(part, [problem], bias=bias, xi=0.5, limits=limits)
    xi = 0.5 if bias == "regularized" else 0.0
    K = Gaussian(0.2)(X[:30])
    known = naive_svm.solve(K, z, problem.upper, xi, bias == "free")
    dual = naive_svm.dual(K, z, known, xi)
    assert found.certificate.dual == pytest.approx(dual, rel=1e-6)
    np.testing.assert_allclose(found.alpha, known, atol=1e-3)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_beside_scikit_learn(kernel, dtype):
    classes = np.arange(700) % 3
    samples = RNG.normal(size=(3, 4))[classes] * 1.5 + RNG.normal(size=(700, 4))
    known = {"kernel": kernel, "C": 3.0, "gamma": 0.1}
    ours = KernelSVC(**known, tol=1e-5).fit(samples.astype(dtype), classes)
    theirs = SVC(**known, tol=1e-5, decision_function_shape="ovo").fit(samples, classes)
    assert ours.certificate_.total.rows_computed > 0
    assert ours.set_params(decision_function_shape="ovo") is ours
    ours, theirs = (m.decision_function(samples.astype(dtype)) for m in (ours, theirs))
    np.testing.assert_allclose(ours, theirs, atol=5e-3)


@pytest.mark.parametrize("threads", ["1", "2", "3"])
@pytest.mark.parametrize("together", [1, 200, 10_000])
def test_threads_and_spans_give_the_same_bits(threads, together, monkeypatch):
    part = GramPart.prepare(Gaussian(0.2), X.astype(np.float32))
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    monkeypatch.setattr(_stacked_rows, "_LEAST_TOGETHER", 1)
    monkeypatch.setattr(_stacked_rows, "_TOGETHER", 1)
    alone = solve_many(part, pairs())
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    monkeypatch.setattr(_stacked_rows, "_TOGETHER", together)
    found = solve_many(part, pairs())
    assert (found.v == alone.v).all()
    assert (found.gradient == alone.gradient).all()


@pytest.mark.parametrize("limit", ["_PATIENCE", "_ROUNDS"])
def test_what_takes_long_is_left_to_the_solver_for_large_problems(limit, monkeypatch):
    part = GramPart.prepare(Gaussian(0.2), X)
    whole = solve_many(part, pairs())
    monkeypatch.setattr(_stacked_rows, limit, 1 if limit == "_ROUNDS" else 0.0)
    rest = solve_many(part, pairs())
    assert not isinstance(rest, StackedSolutions)
    assert all(certificate.converged for certificate in rest.certificates())
    duals = [[c.dual for c in found.certificates()] for found in (whole, rest)]
    np.testing.assert_allclose(*duals, rtol=1e-2)


@pytest.mark.parametrize("make", [Gram, GramPart.prepare], ids=["matrix", "rows"])
@pytest.mark.parametrize("warm", [False, True])
def test_very_many_problems_take_turns(make, warm, monkeypatch):
    """Some of them at a time, with the same results."""
    source, problems = make(Gaussian(0.2), X), pairs()
    starts = list(solve_many(source, pairs(0.1))) if warm else None
    expected = solve_many(source, problems, starts=starts)
    assert isinstance(expected, StackedSolutions)
    solved = []
    in_turn = many.solve_stacked
    monkeypatch.setattr(many, "MOST", 530)

    def record(source, own, *others):
        solved.append(len(own))
        return in_turn(source, own, *others)

    monkeypatch.setattr(many, "solve_stacked", record)
    found = solve_many(source, problems, starts=starts)
    assert len(solved) == 3
    assert sum(solved) == len(problems) == len(found)
    for one, other in zip(found, expected):
        assert one.certificate.converged
        np.testing.assert_array_equal(one.coef, other.coef)
        assert one.bias == other.bias


def test_a_path_of_warm_starts():
    part = GramPart.prepare(Gaussian(0.2), X)
    first = solve_many(part, pairs(0.2))
    second, cold = (
        solve_many(part, pairs(), starts=list(first)),
        solve_many(part, pairs()),
    )
    assert isinstance(second, StackedSolutions)
    assert second.quality.iterations.sum() < cold.quality.iterations.sum()
    np.testing.assert_allclose(second.quality.dual, cold.quality.dual, rtol=1e-2)


def test_ctrl_c_ends_it(monkeypatch):
    stop, part = threading.Event(), GramPart.prepare(Gaussian(0.2), X)

    def interrupt(*given):
        signal.raise_signal(signal.SIGINT)
        return advance(*given)

    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    monkeypatch.setattr(_stacked_rows, "_LEAST_TOGETHER", 1)
    monkeypatch.setattr(_stacked_rows, "_TOGETHER", 1)

    advance = _stacked_rows._stacked_steps.advance_stacked
    monkeypatch.setattr(_stacked_rows._stacked_steps, "advance_stacked", interrupt)
    found = solve_many(part, pairs(), limits=Limits(stop=stop))
    assert stop.is_set()
    assert all(c.status == "stopped" for c in found.certificates())
    assert found[0].certificate.rounds == 0


@pytest.mark.parametrize(
    "limits",
    [Limits(max_iter=5), Limits(progress=lambda snapshot: None)],
    ids=["steps", "progress"],
)
def test_who_counts_or_watches_has_each_problem_solved_alone(limits):
    found = solve_many(GramPart.prepare(Gaussian(0.2), X), pairs(), limits=limits)
    assert not isinstance(found, StackedSolutions)


def test_spans_are_of_even_sizes_and_within_the_budget(monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    monkeypatch.setattr(_stacked_rows, "_LEAST_TOGETHER", 1)
    sizes = np.array([100, 90, 110, 1000, 900, 60, 50, 3000])
    spans = _stacked_rows._spans(sizes, 10**9)
    assert spans == [(0, 3), (3, 5), (5, 7), (7, 8)]
    assert len(_stacked_rows._spans(np.full(100, 1000), 4_000_000)) == 25
    assert len(_stacked_rows._spans(np.full(100, 1000), 0)) == 100


def test_a_small_budget_is_kept():
    found = solve_many(GramPart.prepare(Gaussian(0.2), X), pairs(), budget=50_000)
    assert not isinstance(found, StackedSolutions)
    assert all(certificate.converged for certificate in found.certificates())


@pytest.mark.uncompiled
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_rows_are_those_of_blocks(kernel):
    part, problems = GramPart.prepare(kernel, X), pairs().stacked()
    fill = part.filler(problems.rows, problems.bounds)
    wanted = [
        (p, problems.bounds[p] + k) for p in (0, 2, 5) for k in (0, 39, 95)[: p + 1]
    ]
    out = np.full((len(wanted), 170), np.nan)
    fill(np.array(wanted), out)
    K = kernel(X)
    for row, (p, at) in zip(out, wanted):
        own = problems.rows[problems.bounds[p] : problems.bounds[p + 1]]
        np.testing.assert_allclose(
            row[: len(own)], K[problems.rows[at], own], atol=1e-12
        )
        assert np.isfinite(row).all()


def test_others_are_asked_for_one_by_one():
    problems = pairs().stacked()
    scattered = RNG.permutation(len(Y))[problems.rows]
    part = GramPart.prepare(Gaussian(0.2), X)
    assert part.fills_rows
    assert part.filler(scattered, problems.bounds) is None
    wide = GramPart.prepare(Gaussian(0.2), RNG.normal(size=(len(Y), 200)))
    indefinite = GramPart.prepare(Sigmoid(0.2), X)
    for other in (wide, indefinite, Gram(Gaussian(0.2), X)):
        assert not other.fills_rows


def test_few_samples_are_one_span(monkeypatch):
    """Threads of a few hundred samples each only waited for each other."""
    monkeypatch.setenv("MERCER_NUM_THREADS", "2")
    assert _stacked_rows._spans(np.full(3, 400), 10**9) == [(0, 3)]
    assert _stacked_rows._spans(np.array([3000]), 10**9) == [(0, 1)]
    assert len(_stacked_rows._spans(np.full(100, 600), 10**9)) > 4


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(("n", "dtype"), [(320, "f8"), (1100, "f4"), (3000, "f4")])
def test_one_alone_goes_by_rows_too(kernel, n, dtype):
    """Once it took two calls for each thing that a round does."""
    rng = np.random.default_rng(n)
    samples = rng.normal(size=(n, 6)).astype(dtype)
    z = np.where(samples[:, 0] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    order = np.argsort(z, kind="stable")
    problem = BinaryProblem(np.arange(n), z[order], np.full(n, 0.1))
    found = solve_many(GramPart.prepare(kernel, samples, order), [problem])
    assert isinstance(found, StackedSolutions) or kernel == Polynomial(3, 1.0, 0.2)
    (solution,) = found
    K = kernel(samples.astype(np.float64))[np.ix_(order, order)]
    gradient = problem.signs - K @ solution.coef
    np.testing.assert_allclose(solution.gradient, gradient, atol=2e-3)
    alone = solve_smo(Gram.from_matrix(K), problem).certificate
    assert solution.certificate.rows_computed < n
    assert solution.certificate.dual == pytest.approx(alone.dual, rel=1e-3)


@pytest.mark.parametrize("threads", ["1", "2", "3"])
@pytest.mark.parametrize("n", [320, 900, 2500])
def test_models_of_one_alone_do_not_depend_on_threads(monkeypatch, threads, n):
    rng = np.random.default_rng(n)
    samples = rng.normal(size=(n, 40)).astype(np.float32)
    y = samples[:, 0] + 0.3 * rng.normal(size=n) > 0
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    expected = KernelSVC().fit(samples, y)
    monkeypatch.setenv("MERCER_NUM_THREADS", threads)
    found = KernelSVC().fit(samples, y)
    assert (found.dual_coef_ == expected.dual_coef_).all()
    assert found.certificate_.gap == expected.certificate_.gap


def test_a_single_problem_that_is_work_for_all_threads_asks_by_itself():
    X = np.random.default_rng(0).normal(size=(1600, 100)).astype(np.float32)
    part, rows = GramPart.prepare(Gaussian(0.01), X), np.arange(1600)
    assert part.filler(rows, np.array([0, 1600])) is None
    assert part.filler(rows[:1500], np.array([0, 1500])) is not None
    assert part.filler(rows, np.array([0, 800, 1600])) is not None
