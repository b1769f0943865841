"""Samples of whole numbers: found, multiplied exactly, or left to other products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mercer.kernels import Gaussian, Gram, GramPart, Polynomial, is_probably_whole
from mercer.kernels import _quantized as module
from mercer.kernels._quantized import QuantizedSamples


@pytest.fixture(params=[True, False], ids=["bytes", "pairs"], autouse=True)
def packing(request, monkeypatch):
    """As processors multiply bytes, and as those do that cannot."""
    if request.param and not module.MULTIPLIES_BYTES:
        pytest.skip("this processor multiplies no bytes")
    monkeypatch.setattr(module, "MULTIPLIES_BYTES", request.param)
    return module.FOUR if request.param else module.PAIR


@pytest.fixture
def small_too(monkeypatch):
    """Take few and dense numbers as well."""
    monkeypatch.setattr(module, "_FEWEST_VALUES", 0)
    monkeypatch.setattr(module, "_FEWEST_FEATURES", 1)
    monkeypatch.setattr(module, "_FULLEST", 2.0)


def images(n, p=100, dtype=np.float32, seed=0, background=0):
    """Pixels from 0 to 255, most of them background, in parts of 255."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (n, p))
    pixels[rng.random((n, p)) < 0.7] = background
    return (pixels / 255).astype(dtype)


def exact_distances(X, Y):
    """Of whole numbers, in Python's."""
    return np.array([[int(((x - y) ** 2).sum()) for y in Y] for x in X])


def multiplied(a, b, distances, dtype=np.float64):
    out = np.full((len(a), len(b)), np.nan, dtype)
    a.multiply(b, out, distances)
    return out


@pytest.mark.usefixtures("small_too")
class TestProducts:
    @pytest.mark.parametrize("n", [2, 31, 32, 33, 65])
    @pytest.mark.parametrize("p", [1, 2, 7, 64])
    def test_are_those_of_whole_numbers(self, n, p):
        X = np.random.default_rng(n + p).integers(-9, 10, (n, p))
        X[0] = 0
        X[1, 0] = 1  # with 0 and 1 among them, 1 is the step
        samples = QuantizedSamples.of(X.astype(float), shifted=False)
        np.testing.assert_array_equal(multiplied(samples, samples, False), X @ X.T)
        moved = QuantizedSamples.of(X + 5.0, shifted=True)
        np.testing.assert_array_equal(
            multiplied(moved, moved, True), exact_distances(X, X)
        )

    @given(
        arrays(np.int64, st.tuples(st.integers(2, 40), st.integers(1, 9))).map(
            lambda X: X % 100 - 50
        ),
        st.sampled_from([1.0, 0.25, 1 / 255, 1e-3, 1e6]),
        st.integers(-300, 300),
    )
    @settings(deadline=None)
    def test_hold_for_any_step_and_origin(self, X, step, origin):
        X[0, 0], X[1, 0] = 49, 48
        samples = QuantizedSamples.of((X + origin) * step, shifted=True)
        np.testing.assert_allclose(
            multiplied(samples, samples, True),
            step**2 * exact_distances(X, X),
            rtol=1e-14,
        )
        np.testing.assert_allclose(
            samples.norms(np.dtype(float)),
            ((X + origin - round(samples.origin / step)) ** 2).sum(axis=1) * step**2,
            rtol=1e-14,
        )

    @pytest.mark.parametrize("p", [1, 3, 4, 5, 61])
    @pytest.mark.parametrize("highest", [1, 127, 128, 255])
    def test_of_bytes(self, packing, p, highest):
        X = np.random.default_rng(p).integers(0, highest + 1, (70, p))
        X[0], X[1] = 0, highest
        X[2], X[2, 0] = 0, 1
        samples = QuantizedSamples.of(X.astype(float), shifted=False)
        assert samples._lists.size == packing
        np.testing.assert_array_equal(multiplied(samples, samples, False), X @ X.T)
        np.testing.assert_array_equal(
            multiplied(samples, samples, True), exact_distances(X, X)
        )
        some, others = samples.take(np.array([5, 2, 69])), samples.take(slice(1, 40))
        np.testing.assert_array_equal(
            multiplied(some, others, False), X[[5, 2, 69]] @ X[1:40].T
        )

    @pytest.mark.parametrize("value", [-1, 256])
    def test_what_is_no_byte_is_one_of_a_pair(self, value):
        X = np.random.default_rng(0).integers(0, 256, (40, 9))
        X[3, 3] = value
        samples = QuantizedSamples.of(X.astype(float), shifted=False)
        assert samples._lists.size == module.PAIR
        np.testing.assert_array_equal(multiplied(samples, samples, False), X @ X.T)
        bytes_only = QuantizedSamples.of(np.delete(X, 3, 0) * 1.0, shifted=False)
        if bytes_only._lists.size == module.FOUR:
            assert bytes_only.on_same_grid(X.astype(float)) is None
        else:
            assert bytes_only.on_same_grid(X.astype(float)) is not None

    def test_hold_for_the_largest_numbers(self):
        X = np.array([[32767.0], [-32767.0], [0.0], [1.0]])
        samples = QuantizedSamples.of(X, shifted=False)
        np.testing.assert_array_equal(multiplied(samples, samples, False), X @ X.T)
        np.testing.assert_array_equal(
            multiplied(samples, samples, True), (X - X.T) ** 2
        )

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_are_rounded_once(self, dtype):
        X = images(50, dtype=dtype)
        samples = QuantizedSamples.of(X, shifted=True)
        pixels = np.rint(X * 255).astype(int)
        exact = exact_distances(pixels, pixels) / 255**2
        error = np.abs(multiplied(samples, samples, True, dtype) - exact).max()
        assert error <= 2 * np.finfo(dtype).eps * exact.max()

    @pytest.mark.parametrize(
        "columns",
        [
            slice(0, 300),
            slice(37, 291),
            np.r_[5:130, 200:290],
            np.array([299, 3, 3, 128]),
            np.arange(300)[::-1],
        ],
        ids=["all", "unaligned", "two stretches", "scattered", "backwards"],
    )
    def test_of_some_are_those_of_all(self, columns):
        samples = QuantizedSamples.of(images(300), shifted=True)
        rows = np.array([7, 299, 0, 7])
        everything = multiplied(samples, samples, True)
        some = samples.take(columns)
        for others in (some, some.laid_out()):
            part = multiplied(samples.take(rows), others, True)
            np.testing.assert_array_equal(part, everything[rows][:, columns])
            span = np.empty((len(rows), len(some) - 2))
            samples.take(rows).multiply(others, span, True, 1, len(some) - 1)
            np.testing.assert_array_equal(span, part[:, 1:-1])

    @pytest.mark.parametrize(
        "rows",
        [slice(0, 200), slice(37, 180), np.r_[:90, 100:200], np.arange(150)[::-1]],
        ids=["all", "unaligned", "two stretches", "backwards"],
    )
    def test_with_themselves_are_symmetric(self, rows):
        samples = QuantizedSamples.of(images(200), shifted=True)
        some = samples.take(rows)
        square = multiplied(some, some, True)
        np.testing.assert_array_equal(
            square, multiplied(some, samples.take(rows), True)
        )
        np.testing.assert_array_equal(square, square.T)
        np.testing.assert_array_equal(np.diagonal(square), 0)

    def test_with_other_samples(self):
        X, Y = images(40), images(30, seed=1)
        samples = QuantizedSamples.of(X, shifted=True)
        np.testing.assert_allclose(
            multiplied(samples.on_same_grid(Y), samples, True),
            exact_distances(np.rint(Y * 255), np.rint(X * 255)) / 255**2,
            rtol=1e-12,
        )

    def test_keep_an_order(self):
        X, order = images(60), np.random.default_rng(0).permutation(60)
        ordered = QuantizedSamples.of(X, shifted=True, order=order)
        moved = QuantizedSamples.of(X[order], shifted=True)
        np.testing.assert_array_equal(
            multiplied(ordered, ordered, True), multiplied(moved, moved, True)
        )


class TestFound:
    @pytest.mark.parametrize(
        ("X", "step", "origin"),
        [
            (images(2000), 1 / 255, 0.0),
            (images(2000, background=255), 1 / 255, 1.0),
            (images(2000, dtype=np.float64) * 255, 1.0, 0.0),
            (np.round(2 * images(2000) - 1, 3), 1e-3, -1.0),
            (images(2000, 101) > 0, 1.0, 0.0),
            (2.0 * (images(2000) > 0) - 1, 1.0, -1.0),
            (images(2000, dtype=np.float64) * 255 + 1e9, 1.0, 1e9),
        ],
        ids=["pixels", "on white", "bytes", "decimals", "flags", "signs", "far away"],
    )
    def test_pixels_counts_flags_and_decimals(self, X, step, origin):
        X = X.astype(np.float32) if X.dtype == bool else X
        samples = QuantizedSamples.of(X, shifted=True)
        assert samples._lists.grid.step == pytest.approx(step, rel=1e-6)
        assert samples.origin == pytest.approx(origin, rel=1e-6)

    @pytest.mark.parametrize(
        "X",
        [
            np.random.default_rng(0).normal(size=(2000, 100)),
            images(2000) + np.float32(1e-4) * (np.arange(2000) == 1999)[:, None],
            images(2000, dtype=np.float64) * 255 * 1000 + images(2000, seed=1),
            np.zeros((2000, 100)),
            images(2000, 20),
            images(50),
            np.random.default_rng(0).integers(1, 9, (2000, 100)).astype(np.float32),
            images(2000) * np.float32(1e22),
            images(2000) * np.float32(1e-22),
            images(2000, dtype=np.float64) * 1e155,
            np.where(images(2000) > 0, 1e308, -1e308),
            np.where(images(2000) > 0, images(2000), np.float32(1e-9)),
        ],
        ids=[
            "noise",
            "one sample off",
            "large",
            "constant",
            "few features",
            "few values",
            "nothing common",
            "squares overflow",
            "squares vanish",
            "squares overflow float64",
            "the range overflows",
            "small but not zero",
        ],
    )
    def test_nothing_else(self, X):
        assert QuantizedSamples.of(X, shifted=False) is None

    @pytest.mark.parametrize(
        ("centre", "spread"), [(1e6, 0.25), (1e5, 0.06), (80000, 1.0), (1013.25, 0.01)]
    )
    def test_no_grid_as_fine_as_rounding(self, centre, spread):
        """What float32 rounds far from zero looks like a grid."""
        noise = np.random.default_rng(0).normal(size=(2000, 100)) * spread
        X = (centre + noise * (images(2000) > 0)).astype(np.float32)
        assert QuantizedSamples.of(X, shifted=True) is None

    @pytest.mark.usefixtures("small_too")
    def test_no_squares_beyond_32_bits(self):
        X = np.array([[32767.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        assert QuantizedSamples.of(X, shifted=False) is not None
        X[0, 1] = 32767.0
        assert QuantizedSamples.of(X, shifted=False) is None


class TestKernels:
    @pytest.mark.parametrize("kernel", [Gaussian(0.02), Polynomial(3, offset=1.0)])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("background", [0, 200])
    def test_agree_with_float64(self, kernel, dtype, background):
        X = images(1500, dtype=dtype, background=background)
        Y = images(40, dtype=dtype, seed=1, background=background)
        pixels = [np.rint(Z.astype(float) * 255) / 255 for Z in (X[:300], Y)]
        base = pixels[0] @ pixels[1].T
        if isinstance(kernel, Gaussian):
            norms = [(Z**2).sum(axis=1) for Z in pixels]
            expected = np.exp(-0.02 * (norms[0][:, None] + norms[1] - 2 * base))
        else:
            expected = (base + 1.0) ** 3
        rtol = 30 * np.finfo(dtype).eps
        np.testing.assert_allclose(kernel(Y, X)[:, :300].T, expected, rtol=rtol)
        np.testing.assert_allclose(kernel(X, Y)[:300], expected, rtol=rtol)

    def test_of_samples_that_are_not_like_the_others(self):
        X, Y = images(1500), images(40, seed=1) + np.float32(0.001)
        distances = ((Y[:, None].astype(float) - X[None, :200]) ** 2).sum(axis=2)
        for K in (Gaussian(0.02)(Y, X), Gram(Gaussian(0.02), X).cross(Y)):
            np.testing.assert_allclose(K[:, :200], np.exp(-0.02 * distances), rtol=1e-5)

    @pytest.mark.parametrize("odd", [0.5, 40000.0], ids=["not whole", "too large"])
    def test_do_not_suffer_from_one_sample_that_is_not_like_the_others(self, odd):
        """Far from zero, where ‖x‖² + ‖y‖² − 2x·y cancels unless it is centred."""
        rng = np.random.default_rng(0)
        X = (images(2000) > 0).astype(np.float32)
        X[:, :24] = 6500 + rng.integers(-3, 4, (2000, 24))
        Y = X[:50].copy()
        Y[0, 0] += odd
        for K in (Gaussian(0.01)(Y, X), Gram(Gaussian(0.01), X).cross(Y)):
            distances = ((Y[1:, None].astype(float) - X[None, :200]) ** 2).sum(axis=2)
            np.testing.assert_allclose(
                K[1:, :200], np.exp(-0.01 * distances), rtol=1e-4
            )

    def test_of_no_samples(self):
        X, kernel = images(1500), Gaussian(0.02)
        part, none = GramPart.prepare(kernel, X), np.empty(0, np.intp)
        assert kernel(X[:0], X).shape == (0, 1500)
        assert Gram(kernel, X).cross(X[:0]).shape == (0, 1500)
        assert part.block(none, none).shape == (0, 0)
        assert part.block(np.arange(3), none).shape == (3, 0)

    def test_of_some_of_the_samples_in_an_order(self):
        X, kernel = images(1500), Gaussian(0.02)
        order = np.random.default_rng(0).permutation(1500)[:700]
        part = GramPart.prepare(kernel, X, order)
        assert part.n_samples == 700
        np.testing.assert_array_equal(
            part.block(np.arange(5), slice(0, 700)), kernel(X)[order[:5]][:, order]
        )

    def test_go_to_any_array_of_their_shape(self):
        part, rows = GramPart.prepare(Gaussian(0.02), images(1500)), np.arange(40)
        everything = slice(0, 1500)
        expected = part.block(rows, everything)
        wide = np.zeros((40, 3000), np.float32)
        for out in (
            np.empty((40, 1500), np.float32, order="F"),
            wide[:, ::2],
            np.empty((40, 1500)),
        ):
            np.testing.assert_array_equal(part.block(rows, everything, out), expected)
        assert (wide[:, 1::2] == 0).all()
        with pytest.raises(ValueError, match="shape"):
            part.block(rows, everything, np.empty((40, 1499), np.float32))

    @pytest.mark.parametrize("n_rows", [40, 1100], ids=["few rows", "many rows"])
    @pytest.mark.parametrize("whole", [True, False], ids=["whole", "floats"])
    def test_of_wide_blocks_come_in_shares(self, whole, n_rows):
        X = images(5000, 64)
        X = X if whole else X + np.random.default_rng(0).random(64, np.float32)
        part, rows = GramPart.prepare(Gaussian(0.02), X), np.arange(n_rows)[::-1]
        for _ in range(2):  # the second time in memory that was used before
            block = part.block(rows, slice(0, 5000))
            np.testing.assert_allclose(block, Gaussian(0.02)(X[rows], X), rtol=1e-5)

    def test_are_the_same_everywhere(self, monkeypatch):
        X, kernel = images(1500), Gaussian(0.02)
        K = kernel(X)
        rows, everything = np.array([3, 1400, 77]), slice(0, 1500)
        gram = Gram(kernel, X, budget=10_000)
        part = GramPart.prepare(kernel, X)
        np.testing.assert_array_equal(gram.block(rows, everything), K[rows])
        np.testing.assert_array_equal(part.block(rows, everything), K[rows])
        np.testing.assert_array_equal(part.block(rows, rows), K[np.ix_(rows, rows)])
        scattered = np.random.default_rng(0).permutation(1500)[:600]
        for some in (part.take(scattered), gram.take(scattered)):
            np.testing.assert_array_equal(
                some.block(rows[:1], slice(0, 600)), K[scattered[3:4]][:, scattered]
            )
        monkeypatch.setenv("MERCER_NUM_THREADS", "1")
        np.testing.assert_array_equal(kernel(X), K)

    @pytest.mark.parametrize("kernel", [Gaussian(0.02), Polynomial(2, 1.0)], ids=str)
    def test_do_not_depend_on_another_sample(self, kernel):
        """A large one must not make others whole that are not."""
        X = images(1500)
        X[1:9] *= 1 + np.float32(2e-5)  # where the step is not guessed from
        expected = kernel(X[1:9].astype(np.float64))
        np.testing.assert_allclose(
            Gram(kernel, X).matrix[1:9, 1:9], expected, rtol=3e-6
        )
        X[0, 0] = 100
        np.testing.assert_allclose(
            Gram(kernel, X).matrix[1:9, 1:9], expected, rtol=3e-6
        )

    @pytest.mark.parametrize("kernel", [Gaussian(0.02), Polynomial(2, 1.0)], ids=str)
    def test_are_off_by_what_their_samples_are(self, kernel):
        """The kernel is that of pixels as they were rounded."""
        X = images(1500)
        gram = Gram(kernel, X)
        assert gram._samples[next(iter(kernel.bases))].quantized is not None
        exact = kernel(X[:300].astype(np.float64) * 1.0)
        off = np.abs(gram.matrix[:300, :300] - exact).max(axis=1)
        assert (off <= gram.bound_rounding().error[:300]).all()
        assert off.max() > 1e-3 * gram.bound_rounding().error.max()


@pytest.mark.parametrize("shape", [(500, 784), (200, 784), (3000, 100)])
def test_a_look_at_some_values_tells_of_floats_only(shape):
    """Whole numbers are found where some values are all zeros, or all different."""
    rng = np.random.default_rng(0)
    whole = {
        "many": rng.integers(0, 30000, shape),
        "few": rng.integers(0, 2, shape),
        "rare": rng.integers(0, 256, shape) * (rng.random(shape) < 0.01),
        "as floats": rng.integers(0, 256, shape) / 255,
        "a few columns": np.where(np.arange(shape[1]) % 16 == 5, 7, 0) * np.ones(shape),
    }
    for name, X in whole.items():
        assert is_probably_whole(X), name
    for X in (rng.random(shape), rng.standard_normal(shape).astype(np.float32)):
        assert not is_probably_whole(X)
