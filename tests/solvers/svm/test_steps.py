import numpy as np
import pytest

from mercer.kernels import Gaussian, Gram
from mercer.solvers.svm import _maxima, _steps, _working_set
from mercer.solvers.svm.smo import SHORT_PATIENCE, next_patience, working_set_sizes


@pytest.mark.uncompiled
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 64, 99, 130])
def test_the_largest_value_and_where_it_stands_first(n):
    rng = np.random.default_rng(n)
    for most in (1, 2, 5, 1000):  # few different values: many are equal
        for _ in range(20):
            values = rng.integers(-most, most, n).astype(float)
            assert _maxima.largest(values) == values.max()
            assert _maxima.first_largest(values) == (values.max(), values.argmax())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("runs", [1, 2, 3])
def test_rounds_on_all_samples_find_the_same_optimum(runs, dtype):
    """Where most samples are support vectors, nothing is copied, and rounds are few."""
    rng = np.random.default_rng(runs)
    X = rng.normal(size=(1400, 60)).astype(dtype)  # of which nearly all are needed
    K = Gram(Gaussian(0.01), X).matrix
    stretches = np.split(np.arange(50, 1250), 2 * runs)[::2]
    samples = np.concatenate(stretches)
    z = np.where(X[samples, 0] * X[samples, 1] + rng.normal(size=600) > 0, 1.0, -1.0)
    lengths = np.cumsum([0, *map(len, stretches)])
    places = np.array([part[0] for part in stretches])
    known = np.column_stack([lengths[:-1], lengths[1:], places])
    found = []
    for may_be_whole in (False, True):
        state = np.zeros((4, len(z)))
        state[0], state[2], state[3] = z, np.minimum(z, 0) * 10, np.maximum(z, 0) * 10
        sizes = np.tile(working_set_sizes(len(z), len(z)), (2, 1))
        _, rounds, _, patience, stalled = _steps.rounds_in_memory(
            *(K, samples, known, 0.0, state, True, 1e-5, sizes),
            *(10**7, 10**4, 100.0, may_be_whole),
        )
        assert patience == 100
        assert not stalled
        m, M = _working_set.extreme_gradients(state, True)
        assert m - M <= 1e-5
        own = K[np.ix_(samples, samples)].astype(np.float64)
        np.testing.assert_allclose(state[0], z - own @ state[1], atol=1e-6)
        assert abs(state[1].sum()) < 1e-9
        assert ((state[2] <= state[1]) & (state[1] <= state[3])).all()
        found.append((rounds, z @ state[1] - state[1] @ own @ state[1] / 2))
    (many, expected), (few, dual) = found
    assert dual == pytest.approx(expected, rel=1e-6)
    assert few < many


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_without_room_stay_where_they_are(dtype):
    """And their gradient follows like any other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(dtype)
    K = Gram(Gaussian(0.5), X).matrix
    z = np.where(np.arange(60) % 2, 1.0, -1.0)
    state = np.zeros((4, 60))
    state[0], state[2], state[3] = z, np.minimum(z, 0), np.maximum(z, 0)
    state[2, ::7] = state[3, ::7] = 0.0
    steps, _ = _steps.run_on_all(K, state, 1e-6, 10**5)
    assert 0 < steps < 10**5
    assert not state[1, ::7].any()
    np.testing.assert_allclose(state[0], z - K.astype(float) @ state[1], atol=1e-9)


def test_violations_that_are_too_small_for_their_square_are_seen():
    """In float32 the square of 1e-25 is zero: the largest violation decides then."""
    K, z = np.eye(6, dtype=np.float32), np.array([1.0, -1.0] * 3)
    state = np.zeros((4, 6))
    state[0] = 1e-25 * z * np.arange(1, 7)
    state[2], state[3] = -1.0, 1.0
    steps, _ = _steps.run_on_all(K, state, 1e-30, 100)
    assert 0 < steps < 10
    m, M = _working_set.extreme_gradients(state, True)
    assert m - M <= 0.1 * 11e-25


def test_violations_that_are_too_large_for_their_square_are_seen():
    K = np.eye(4, dtype=np.float32)
    state = np.zeros((4, 4))
    state[0] = [1e30, -1e30, 1.0, -1.0]
    state[2], state[3] = -1e40, 1e40
    steps, curvature = _steps.run_on_all(K, state, 1.0, 100)
    assert steps == 1
    assert curvature == 1.0
    np.testing.assert_allclose(state[1], [1e30, -1e30, 0, 0])


@pytest.mark.uncompiled
def test_a_look_at_the_clock_takes_no_more_patience_than_its_steps():
    """A subproblem of thousands of samples ends early, but is not slow for that."""
    q, left, steps = 3000, _steps.PATIENCE, 0
    assert _steps._most_steps(q, left) < left * q / 2
    while left > 0:
        done, before = _steps._most_steps(q, left), left
        left = _steps._patience_left(done, q, left)
        assert left < before
        steps += done
    assert steps == pytest.approx(_steps.PATIENCE * (q + _steps.STEP), rel=1e-3)
    assert _steps._patience_left(done - 1, q, before) == before  # it was solved


def test_patience_with_the_next_subproblem():
    assert next_patience(40.0, 100.0) == 40.0
    assert next_patience(40.0, 40.0) == _steps.PATIENCE
    assert next_patience(0.0, 40.0) == SHORT_PATIENCE
    assert next_patience(SHORT_PATIENCE, SHORT_PATIENCE) == _steps.PATIENCE
