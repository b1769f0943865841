"""A fit always ends, and says how far it came."""

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from mercer.exceptions import DataError, MemoryBudgetError, ParameterError
from mercer.kernels import Gaussian, Gram, GramPart, Linear
from mercer.solvers.svm import (
    BinaryProblem,
    Certificate,
    LBFGSOptions,
    Limits,
    many,
    smo,
    solve_lbfgs,
    solve_many,
    solve_smo,
)
from mercer.solvers.svm._newton import climb
from solvers.svm import naive_svm

X, Y = load_digits(return_X_y=True)
X = X / 16
SOURCES = {
    "in memory": Gram(Gaussian(0.5), X),
    "on demand": GramPart.prepare(Gaussian(0.5), X),
}


def pairs(C=10.0):
    found = []
    for a in range(10):
        for b in range(a):
            rows = np.flatnonzero((a == Y) | (b == Y))
            found.append(BinaryProblem(rows, np.where(Y[rows] == a, 1.0, -1.0), C))
    return found


def against_rest(digit=3, C=10.0):
    return BinaryProblem(np.arange(len(Y)), np.where(digit == Y, 1.0, -1.0), C)


@pytest.fixture
def endless():
    """A problem that takes minutes: nothing to learn, and a bound that allows it."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((2000, 3))
    z = np.where(rng.random(2000) < 0.5, 1.0, -1.0)
    return Gram(Gaussian(1.0), points), BinaryProblem(np.arange(2000), z, 1e6)


@pytest.mark.parametrize("source", SOURCES)
def test_max_iter(source):
    full = solve_smo(SOURCES[source], against_rest()).certificate
    gaps = []
    for max_iter in (0, 1, 20, full.iterations):
        solution = solve_smo(
            SOURCES[source], against_rest(), limits=Limits(max_iter=max_iter)
        )
        certificate = solution.certificate
        assert certificate.iterations <= max_iter
        if max_iter < full.iterations:
            assert certificate.status == "iterations"
            assert not certificate.converged
        assert certificate.dual <= full.primal
        assert certificate.primal >= full.dual
        gaps.append(certificate.gap)
    assert gaps[0] == 10.0 * len(Y)
    assert gaps[-1] < gaps[1]


def test_deadline(endless):
    begun = time.process_time()  # of this process alone, however busy the machine is
    solution = solve_smo(*endless, limits=Limits(deadline=time.perf_counter() + 0.3))
    assert time.process_time() - begun < 3
    assert solution.certificate.status == "time"
    assert solution.certificate.iterations > 0


def test_a_deadline_is_shared_out_and_used_up(endless):
    source, problem = endless
    easy = BinaryProblem(np.arange(2), np.array([1.0, -1.0]), 1e-9)
    for seconds in (2.0, 8.0, 32.0):  # a busy machine needs more for the same
        begun, cpu = time.perf_counter(), time.process_time()
        limits = Limits(deadline=begun + seconds)
        found = solve_many(source, [problem, easy, problem, easy], limits=limits)
        assert time.perf_counter() - begun > 0.95 * seconds
        assert time.process_time() - cpu < 2.5 * seconds
        statuses = [solution.certificate.status for solution in found]
        if statuses[1] == statuses[3] == "converged":
            break
    assert statuses == ["time", "converged", "time", "converged"]
    assert all(found[k].certificate.iterations > 0 for k in (0, 2))


def test_a_deadline_in_the_past_returns_zeros():
    found = solve_many(SOURCES["on demand"], pairs(), limits=Limits(deadline=0.0))
    assert all(not solution.alpha.any() for solution in found)
    total = Certificate.total(solution.certificate for solution in found)
    assert total.gap == sum(problem.upper.sum() for problem in pairs())
    assert not total.converged


@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
@pytest.mark.parametrize("source", SOURCES)
def test_what_got_no_time_is_not_begun(source, bias):
    told, problems = [], pairs()
    limits = Limits(deadline=0.0, progress=told.append)
    found = solve_many(SOURCES[source], problems, bias=bias, limits=limits)
    assert told == []
    for problem, solution in zip(problems, found):
        alone = solve_smo(SOURCES[source], problem, bias=bias, limits=limits)
        expected = replace(alone.certificate, seconds=0.0)
        assert solution.certificate == expected
        for name in ("alpha", "coef", "bias", "gradient"):
            assert np.array_equal(getattr(solution, name), getattr(alone, name))


def test_little_time_for_many_problems_solves_some():
    # an equal part for each would be too short to solve any
    limits = Limits(deadline=time.perf_counter() + 0.5)
    found = solve_many(SOURCES["in memory"], pairs()[:1] * 5000, limits=limits)
    statuses = [solution.certificate.status for solution in found]
    assert set(statuses) == {"converged", "time"}


def test_what_got_no_time_keeps_its_start():
    problem, source = pairs()[0], SOURCES["in memory"]
    start = solve_smo(source, problem, limits=Limits(max_iter=5))
    limits = Limits(deadline=0.0)
    (found,) = solve_many(source, [problem], starts=[start], limits=limits)
    assert (found.alpha == start.alpha).all()


def test_a_stop_flag_ends_it(endless):
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    solution = solve_smo(*endless, limits=Limits(stop=stop))
    assert solution.certificate.status == "stopped"


def test_ctrl_c_returns_what_there_is(endless):
    source, problem = endless
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.perf_counter()
    found = solve_many(source, [problem] * 3)
    assert time.perf_counter() - begun < 5
    assert {solution.certificate.status for solution in found} == {"stopped"}


@pytest.mark.parametrize("source", SOURCES)
def test_progress_is_told(source):
    seen = []
    solution = solve_smo(
        SOURCES[source], against_rest(), limits=Limits(progress=seen.append, problem=4)
    )
    assert seen[-1].gap == pytest.approx(solution.certificate.gap)
    assert seen[-1].violation <= 1e-3
    assert {step.problem for step in seen} == {4}
    iterations = [step.iterations for step in seen]
    assert iterations == sorted(iterations)


@pytest.mark.parametrize("source", [Gram, GramPart.prepare])
@pytest.mark.parametrize("bias", ["free", "regularized", "none"])
def test_features_of_very_different_sizes(source, bias):
    # SMO alone takes 10⁸ steps
    points, y = load_breast_cancer(return_X_y=True)
    problem = BinaryProblem(np.arange(len(y)), np.where(y == 1, 1.0, -1.0), 100.0)
    # the gap that the last step leaves depends on the last digits of products
    limits = Limits(tol=1e-5)
    solution = solve_smo(source(Linear(), points), problem, bias=bias, limits=limits)
    assert solution.certificate.converged
    assert solution.certificate.gap < 1e-6 * solution.certificate.primal
    K, z = points @ points.T, problem.signs
    xi = 1.0 if bias == "regularized" else 0.0
    primal = naive_svm.primal(
        *(K, z, problem.upper, solution.alpha),
        *(solution.bias if bias == "free" else 0.0, xi),
    )
    dual = naive_svm.dual(K, z, solution.alpha, xi)
    assert primal == pytest.approx(dual, rel=1e-6)


def test_thousands_of_free_samples_far_from_their_bounds(monkeypatch):
    """Newton steps stop at the first bounds there: each call gains little."""
    rng, calls, n = np.random.default_rng(0), [], 3500
    monkeypatch.setattr(smo, "climb", lambda *known: calls.append(1) or climb(*known))
    points = rng.normal(size=(n, 8))
    z = np.where(points[:, 0] + points[:, 1] * points[:, 7] > 0, 1.0, -1.0)
    z[rng.random(n) < 0.3] *= -1
    problem = BinaryProblem(np.arange(n), z, 1000.0)
    source = GramPart.prepare(Gaussian(1 / 8), points)
    solution = solve_smo(source, problem)
    assert solution.certificate.converged
    assert np.count_nonzero((solution.alpha > 0) & (solution.alpha < 1000)) > 1500
    assert len(calls) <= 2
    naive_svm.check(solution, problem, Gaussian(1 / 8)(points), "free")


@pytest.mark.parametrize("source", [Gram, GramPart.prepare])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_more_samples_than_dimensions(source, dtype):
    # most are free on the way, and all but six at a bound in the end
    rng = np.random.default_rng(0)
    points = (rng.standard_normal((400, 5)) * 1e3).astype(dtype)
    z = np.where(rng.random(400) < 0.5, 1.0, -1.0)
    problem = BinaryProblem(np.arange(400), z, 1.0)
    solution = solve_smo(source(Linear(), points), problem)
    assert solution.certificate.converged
    assert solution.certificate.gap < 1e-4 * solution.certificate.primal
    assert abs(solution.coef.sum()) < 1e-9 * solution.alpha.sum()


def test_what_rounding_forbids_ends_as_stalled():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((60, 2)) * 1e11
    z = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    problem = BinaryProblem(np.arange(60), z, 1.0)
    certificate = solve_smo(Gram(Linear(), points), problem).certificate
    assert certificate.status == "stalled"
    assert certificate.violation > 1e-3


def test_newton_steps_count():
    points, y = load_breast_cancer(return_X_y=True)
    problem = BinaryProblem(np.arange(len(y)), np.where(y == 1, 1.0, -1.0), 100.0)
    full = solve_smo(Gram(Linear(), points), problem).certificate
    limit = full.iterations - 1
    part = solve_smo(Gram(Linear(), points), problem, limits=Limits(max_iter=limit))
    assert part.certificate.iterations <= limit
    assert part.certificate.status == "iterations"


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("bias", ["free", "regularized"])
def test_threads_do_not_change_a_bit(source, bias, monkeypatch):
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        problems = [*pairs()[:6], against_rest()]
        solutions = solve_many(SOURCES[source], problems, bias=bias)
        found.append([(s.alpha.tobytes(), s.bias) for s in solutions])
    assert found[0] == found[1] == found[2]


def test_one_wide_problem_on_threads_is_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((5000, 4)).astype(np.float32)
    z = np.where(points[:, 0] + rng.standard_normal(5000) > 0, 1.0, -1.0)
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("MERCER_NUM_THREADS", threads)
        source = GramPart.prepare(Gaussian(0.3), points)
        problem = BinaryProblem(np.arange(5000), z, 0.1)
        (solution,) = solve_many(source, [problem])
        assert solution.certificate.converged
        found.append(solution.alpha)
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("bias", ["free", "none"])
def test_a_path_of_rising_C(source, bias):
    warm, cold_steps, warm_steps = None, 0, 0
    for C in (0.1, 1.0, 10.0, 100.0):
        problem = against_rest(C=C)
        cold = solve_smo(SOURCES[source], problem, bias=bias)
        warm = solve_smo(SOURCES[source], problem, bias=bias, start=warm)
        plain = solve_smo(SOURCES[source], problem, bias=bias, start=warm.alpha)
        for other in (warm, plain):
            expected = cold.certificate.dual
            assert other.certificate.dual == pytest.approx(expected, rel=1e-4)
        assert plain.certificate.iterations < 20
        cold_steps += cold.certificate.iterations
        warm_steps += warm.certificate.iterations
    assert warm_steps < cold_steps


def test_a_start_must_be_feasible():
    problem, source = against_rest(C=1.0), SOURCES["in memory"]
    with pytest.raises(ParameterError, match="between 0 and C"):
        solve_smo(source, problem, start=np.full(len(Y), 2.0))
    with pytest.raises(ParameterError, match="Σαz = 0"):
        solve_smo(source, problem, start=np.full(len(Y), 0.5))
    with pytest.raises(ParameterError, match="one start for each"):
        solve_many(source, [problem], starts=[])


@pytest.mark.parametrize("bias", ["free", "regularized"])
def test_many_as_one_by_one(bias):
    problems = pairs()[:8]
    together = solve_many(SOURCES["on demand"], problems, bias=bias)
    for problem, solution in zip(problems, together):
        alone = solve_smo(SOURCES["on demand"], problem, bias=bias)
        assert alone.alpha.tobytes() == solution.alpha.tobytes()


@pytest.mark.parametrize(
    ("values", "sizes", "shares"),
    [
        (10**9, [1000] * 45, 8),  # an eighth holds all that a problem can need
        (10**9, [1000] * 3, 3),
        (10**9, [1000], 1),
        (10**6, [1000] * 45, 4),
        (10**5, [1000] * 45, 2),
        (10**5, [1000] * 3, 2),
        (10**5, [100_000] * 45, 8),  # divided
        (10**5, [], 1),
    ],
)
def test_a_problem_has_room_for_its_rows(values, sizes, shares):
    assert many._shares(values, np.array(sizes, np.intp)) == shares


def test_no_problems_no_solutions():
    assert list(solve_many(SOURCES["in memory"], [])) == []
    assert Certificate.total([]).converged


def test_wrong_input_is_said():
    source, problem = SOURCES["in memory"], against_rest()
    with pytest.raises(DataError, match="must be \\+1 or -1"):
        BinaryProblem(np.arange(2), np.array([0.0, 1.0]), 1.0)
    with pytest.raises(DataError, match="sign for each"):
        BinaryProblem(np.arange(2), np.array([1.0]), 1.0)
    with pytest.raises(ParameterError, match="C must be finite"):
        BinaryProblem(np.arange(1), np.array([1.0]), np.inf)
    with pytest.raises(ParameterError, match="tol is 0"):
        Limits(tol=0)
    with pytest.raises(ParameterError, match="bias is 'loose'"):
        solve_smo(source, problem, bias="loose")
    with pytest.raises(ParameterError, match="xi is -1"):
        solve_smo(source, problem, bias="regularized", xi=-1)
    with pytest.raises(ParameterError, match="solver is 'magic'"):
        solve_many(source, [problem], solver="magic")
    with pytest.raises(ParameterError, match="no free bias"):
        solve_lbfgs(source, problem, bias="free")


def test_lbfgs_ends(endless):
    source, problem = endless
    for limits, options, status in (
        (Limits(deadline=0.0), LBFGSOptions(), "time"),
        (Limits(max_iter=3), LBFGSOptions(), "iterations"),
        (Limits(), LBFGSOptions(maxfun=5), "iterations"),
        (Limits(), LBFGSOptions(maxiter=2), "iterations"),
        (Limits(), LBFGSOptions(factr=1e13), "stalled"),
    ):
        solution = solve_lbfgs(
            source, problem, bias="none", limits=limits, options=options
        )
        certificate = solution.certificate
        assert certificate.status == status
        assert np.isfinite(certificate.gap)
        assert (solution.alpha <= problem.upper).all()


def test_lbfgs_tells_its_progress():
    seen = []
    problem = BinaryProblem(np.arange(200), np.where(Y[:200] == 3, 1.0, -1.0), 1.0)
    source = SOURCES["on demand"]
    limits = Limits(progress=seen.append)
    kept = solve_lbfgs(source, problem, bias="none", limits=limits)
    assert seen[-1].gap == pytest.approx(kept.certificate.gap, rel=0.1)
    again = solve_lbfgs(source, problem, bias="none", budget=1, start=kept)
    assert again.certificate.dual == pytest.approx(kept.certificate.dual)
    assert again.certificate.rounds <= 2


def test_a_source_on_demand_has_no_matrix():
    part = SOURCES["on demand"]
    with pytest.raises(MemoryBudgetError, match="on demand"):
        _ = part.matrix
