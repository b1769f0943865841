import gc
import threading
import weakref

import numpy as np
import pytest
from scipy import sparse

from mercer.exceptions import DataError, MemoryBudgetError, ParameterError
from mercer.kernels import (
    Base,
    Constant,
    Exponential,
    Gaussian,
    Gram,
    GramPart,
    KernelSums,
    Linear,
    Polynomial,
    _stream,
    kernel_product,
)

KERNEL = Gaussian(0.05) + 0.1 * Linear() + Constant(1.0)
X = np.random.default_rng(0).normal(size=(120, 6))
FULL = KERNEL(X)
ROW = FULL[0].nbytes


@pytest.fixture(params=["in memory", "on demand"])
def gram(request):
    return Gram(KERNEL, X, budget="1GB" if request.param == "in memory" else 10 * ROW)


def test_serves_blocks(gram):
    close = dict(rtol=1e-12)
    some = np.array([5, 3, 3, 119])
    everything = slice(0, 120)
    np.testing.assert_allclose(gram.block(some, everything), FULL[some], **close)
    np.testing.assert_allclose(gram.block(everything, some), FULL[:, some], **close)
    np.testing.assert_allclose(gram.block(slice(2, 9), everything), FULL[2:9], **close)
    np.testing.assert_allclose(
        gram.block(some, np.array([1, 0])), FULL[some][:, [1, 0]], **close
    )
    np.testing.assert_allclose(
        gram.block(some, slice(4, 50)), FULL[some, 4:50], **close
    )
    np.testing.assert_allclose(gram.diagonal, np.diagonal(FULL), **close)
    out = np.empty((4, 46))
    assert gram.block(some, slice(4, 50), out) is out
    np.testing.assert_allclose(out, FULL[some, 4:50], **close)
    new = X[:9] + 0.5
    np.testing.assert_allclose(gram.cross(new), KERNEL(new, X), **close)
    assert len(gram) == 120


def test_out_of_range_rows_are_refused(gram):
    with pytest.raises(IndexError):
        gram.block(np.array([120]), slice(0, 120))
    with pytest.raises(IndexError):
        gram.block(np.array([0]), np.array([120]))


def test_nobody_can_write_into_it(gram):
    if gram.in_memory:
        with pytest.raises(ValueError, match="read-only"):
            gram.matrix[0, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        gram.diagonal[0] = 5


def test_matrix_in_memory_is_never_copied():
    gram = Gram(KERNEL, X)
    assert gram.in_memory
    assert np.shares_memory(gram.matrix, gram.block(slice(0, 5), slice(1, 4)))
    around = Gram.from_matrix(FULL)
    assert np.shares_memory(around.matrix, FULL)
    assert FULL.flags.writeable


def test_over_budget_says_how_much_and_what_to_do():
    gram = Gram(KERNEL, X, budget=10 * ROW)
    assert not gram.in_memory
    with pytest.raises(MemoryBudgetError) as caught:
        _ = gram.matrix
    assert str(caught.value) == (
        "The Gram of 120 samples needs 112 KB and the budget is 9.38 KB; raise the "
        "budget (the budget argument, or MERCER_MEMORY_BUDGET), use float32, use fewer "
        "samples, or ask for blocks."
    )


def test_threads_share_one_gram():
    gram = Gram(KERNEL, X, budget=7 * ROW)
    wrong = []

    def read(seed):
        for i in np.random.default_rng(seed).integers(0, 120, 50):
            row = gram.block(np.array([i]), slice(0, 120))[0]
            if not np.allclose(row, FULL[i], rtol=1e-12):
                wrong.append(i)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_budget_from_the_environment(monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "50KB")
    assert not Gram(KERNEL, X).in_memory
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "1 GiB")
    assert Gram(KERNEL, X).in_memory
    for nonsense in ("lots", "-5GB", "0"):
        monkeypatch.setenv("MERCER_MEMORY_BUDGET", nonsense)
        with pytest.raises(ParameterError, match="memory"):
            Gram(KERNEL, X)


def test_sparse_samples():
    gram = Gram(KERNEL, sparse.csr_array(X), budget=10 * ROW)
    block = gram.block(slice(0, 20), slice(0, 120))
    np.testing.assert_allclose(block, FULL[:20], rtol=1e-11)


def test_overflow_is_a_sentence():
    far = np.full((3, 2), 1e10, np.float32)
    with pytest.raises(DataError, match=r"overflows float32 at sample 0; scale the"):
        Gram(Polynomial(9), far)


def test_from_matrix_wants_a_square_one():
    with pytest.raises(DataError, match=r"dense square matrix, got \(2, 3\)"):
        Gram.from_matrix(np.ones((2, 3)))
    with pytest.raises(DataError, match="knows no kernel"):
        Gram.from_matrix(np.eye(3)).cross([[1.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_product_sums_over_tiles(dtype):
    new = np.random.default_rng(1).normal(size=(301, 6))
    many = np.random.default_rng(3).normal(size=(2500, 6)).astype(dtype)
    coefficients = np.random.default_rng(2).normal(size=(2500, 3))
    result = kernel_product(KERNEL, new.astype(dtype), many, coefficients)
    assert result.dtype == np.float64
    expected = KERNEL(new, many) @ coefficients
    tolerance = 1e-10 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


def a_few_ways(n):
    """Rows and columns to ask for, as numbers and as what is asked."""
    scattered = np.random.default_rng(0).permutation(n)[: n // 2]
    return [
        (slice(0, n), slice(0, n)),
        (scattered, slice(3, n - 2)),
        (scattered, scattered),
        (np.r_[scattered, 5, 5], np.r_[5, scattered[::-1], 5]),
        (slice(4, 9), scattered),
        (np.arange(3), np.arange(7, 9)),
        (scattered, np.empty(0, np.intp)),
    ]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "kernel",
    [Gaussian(50.0), Exponential(3.0), Polynomial(2), Gaussian(9.0) + Linear()],
    ids=str,
)
def test_the_diagonal_is_exact_in_every_block(kernel, kind):
    """Far from zero, where float32 leaves little of ‖x‖² + ‖x‖² − 2x·x."""
    rng = np.random.default_rng(1)
    dense = (rng.normal(size=(40, 30)) * 30).astype(np.float32)
    dense[:20] += 100
    X = kind(dense)
    gram = Gram(kernel, X, budget=100)
    diagonal = kernel.diag(X)
    if not kernel.bases - {Base.SQUARED_DISTANCE}:
        assert (diagonal == 1).all()
    numbers, reversed_ = np.arange(40), np.arange(40)[::-1]
    for source, at in (
        (gram, numbers),
        (GramPart.prepare(kernel, X), numbers),
        (GramPart.prepare(kernel, X, reversed_), reversed_),
        (gram.take(reversed_), reversed_),
        (gram.take(reversed_).take(slice(0, 40)), reversed_),
    ):
        for rows, columns in a_few_ways(40):
            same = at[rows][:, None] == at[columns]
            block = source.block(rows, columns)
            expected = np.broadcast_to(diagonal[at[rows]][:, None], block.shape)
            np.testing.assert_array_equal(block[same], expected[same])


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(2, 1.0)], ids=str)
@pytest.mark.parametrize("offset", [0.0, 30.0])
def test_values_depend_on_no_budget(kernel, offset):
    X = (np.random.default_rng(2).normal(size=(60, 20)) + offset).astype(np.float32)
    whole, little = Gram(kernel, X), Gram(kernel, X, budget=100)
    for source in (little, little.take(slice(0, 60))):
        off = np.abs(source.block(slice(0, 60), slice(0, 60)) - whole.matrix)
        bounds = source.bound_rounding().error + whole.bound_rounding().error
        assert (off.max(axis=1) <= bounds).all()


@pytest.mark.parametrize("n", [257, 300, 1285])
def test_both_halves_are_the_same(n):
    X = np.random.default_rng(n).normal(size=(n, 3))
    K = Gram(KERNEL, X).matrix
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, KERNEL(X, X.copy()), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 45, 200, 333])
def test_rows_that_are_visited_are_those_of_a_block(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(5000, 4)).astype(np.float32)
    part, rows = GramPart.prepare(KERNEL, X), rng.permutation(5000)[:n]
    seen, times = np.zeros((n, 5000), np.float32), np.zeros((n, 5000), int)

    def note(at, start, values):
        seen[at, start : start + values.shape[1]] = values
        times[at, start : start + values.shape[1]] += 1

    part.visit(rows, note)
    assert (times == 1).all()
    np.testing.assert_allclose(seen, part.block(rows, slice(0, 5000)), rtol=1e-6)
    np.testing.assert_array_equal(seen[np.arange(n), rows], part.diagonal[rows])


@pytest.mark.parametrize("width", [40, 2048])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [0, 1, 31, 130])
def test_sums_over_some_samples_for_themselves_and_others(n, kind, width, monkeypatch):
    monkeypatch.setattr(_stream, "_WIDTH", width)
    rng = np.random.default_rng(n)
    samples = rng.normal(size=(200, 5))
    support, others = np.split(rng.permutation(200)[: n + 40], [n])
    v, K = rng.normal(size=n), KERNEL(samples)
    own, far = KernelSums(KERNEL, kind(samples))(support, others, v)
    np.testing.assert_allclose(own, K[np.ix_(support, support)] @ v, atol=1e-12)
    np.testing.assert_allclose(far, K[np.ix_(others, support)] @ v, atol=1e-12)
    assert len(KernelSums(KERNEL, kind(samples))(support, others[:0], v)[1]) == 0


def test_a_gram_goes_with_its_last_name():
    """Not when garbage is collected: meanwhile the next would need fresh memory."""
    gc.disable()
    try:
        gram = Gram(Gaussian(0.1), np.random.default_rng(0).normal(size=(600, 4)))
        gone = weakref.ref(gram), weakref.ref(gram.matrix.base)
        gram.bound_rounding()
        del gram
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_matrix_that_is_given_is_looked_at_row_by_row(dtype, bad):
    K = np.random.default_rng(0).normal(size=(300, 300)).astype(dtype)
    found = Gram.from_matrix(K).magnitudes
    np.testing.assert_array_equal(found, np.abs(K).max(axis=1).astype(np.float64))
    K[270, 5] = bad
    with pytest.raises(DataError, match=r"K holds -?(nan|inf) in row 270, column 5"):
        Gram.from_matrix(K)
    assert Gram.from_matrix(np.zeros((2, 2), dtype)).magnitudes.tolist() == [0, 0]
