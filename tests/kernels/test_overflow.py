"""Values beyond the floats are a sentence, never a kernel value."""

import numpy as np
import pytest
from scipy import sparse

from mercer import KernelKNN, KernelPegasos, KernelSVC
from mercer.exceptions import DataError
from mercer.kernels import (
    Base,
    Cosine,
    Exponential,
    Gaussian,
    Gram,
    GramFamily,
    GramPart,
    Linear,
    Polynomial,
    kernel_product,
    make_kernel,
)

KERNELS = (Linear(), Polynomial(2), Gaussian(1e-9), Exponential(1e-9))
KERNELS += (Gaussian(1e-9) + Linear(), 2.0 * Gaussian(1e-9))
FAR = {np.float32: 1e25, np.float64: 1e160}


def wide(X):
    """So sparse that it is not multiplied as an array."""
    return sparse.csr_array(np.pad(X, ((0, 0), (0, 497))))


LAYOUTS = {"dense": np.asarray, "csr": wide}


def samples(dtype, layout, far=True):
    X = np.random.default_rng(0).standard_normal((40, 3)).astype(dtype)
    if far:
        X[7:] *= dtype(FAR[dtype])
    return LAYOUTS[layout](X)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("dtype", FAR)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_way(kernel, dtype, layout):
    near, far = samples(dtype, layout, far=False), samples(dtype, layout)
    order = np.arange(40)[::-1]
    ways = (
        lambda: Gram(kernel, far),
        lambda: Gram(kernel, far, budget=1),
        lambda: Gram(kernel, near).cross(far),
        lambda: GramPart.prepare(kernel, far),
        lambda: GramFamily(kernel, far),
        lambda: GramFamily(kernel, near, far),
        lambda: kernel(far),
        lambda: kernel(far, near),
        lambda: kernel(near, far),
        lambda: kernel.diag(far),
        lambda: kernel_product(kernel, far, near, np.ones((40, 1))),
        lambda: kernel_product(kernel, near, far, np.ones((40, 1))),
    )
    # amid far samples, near ones are far as well
    centred = layout == "dense" and Base.SQUARED_DISTANCE in kernel.bases
    first, last = (0, 39) if centred else (7, 39)
    for way in ways:
        with pytest.raises(DataError, match=rf"{dtype.__name__} at sample [{first}7];"):
            way()
    with pytest.raises(DataError, match=f"at sample {last}; scale the features"):
        GramPart.prepare(kernel, far, order)


@pytest.mark.parametrize("dtype", FAR)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_fits_is_computed(dtype, layout):
    X = samples(dtype, layout, far=False)
    far = X * dtype(FAR[dtype] ** 0.7)
    for kernel in (Gaussian(1e-30), Exponential(1e-9), Linear()):
        assert np.isfinite(kernel(far)).all()
        assert np.isfinite(
            GramPart.prepare(kernel, far).block(slice(3), slice(9))
        ).all()
    far = samples(dtype, layout)
    np.testing.assert_allclose(Cosine()(far), Cosine()(X), atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FAR)
@pytest.mark.parametrize(
    "model", [KernelSVC(), KernelSVC(gamma=1e-9), KernelPegasos(gamma=1.0)], ids=str
)
def test_estimators(model, dtype, layout):
    near, far = samples(dtype, layout, far=False), samples(dtype, layout)
    y = np.arange(40) % 2
    with pytest.raises(DataError, match="overflows"):
        model.fit(far, y)
    model.fit(near, y)
    with pytest.raises(DataError, match="overflows"):
        model.predict(far)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", ["linear", Gaussian(1e-9), Exponential(1e-9)])
def test_neighbours(kernel, layout):
    near, far = (samples(np.float64, layout, far=f) for f in (False, True))
    y = np.arange(40) % 2
    for train, new in ((far, near), (near, far), (far, far)):
        with pytest.raises(DataError, match="overflows float64 at sample 7"):
            KernelKNN(1, kernel).fit(train, y).predict(new)


def test_gamma_of_small_sparse_numbers_in_float32():
    X = sparse.random_array((30, 200), density=0.05, format="csr", rng=0)
    expected = make_kernel("rbf", "scale", 3, 0.0, X.toarray()).gamma
    small = (1e-25 * X).astype(np.float32)
    assert make_kernel("rbf", "scale", 3, 0.0, small).gamma == pytest.approx(
        1e50 * expected, rel=1e-6
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_gamma_of_a_variance_that_underflows(kind):
    X = kind([[1e-170, 0.0], [0.0, 2e-170]])
    with pytest.raises(DataError, match="gamma='scale' overflows"):
        make_kernel("rbf", "scale", 3, 0.0, X)
    assert make_kernel("rbf", "scale", 3, 0.0, kind(np.ones((2, 2)))).gamma == 1.0


def test_gamma_of_values_in_parts():
    parts = [1.0, 2.0, 5.0, 1.0], [0, 0, 1, 0], [0, 3, 4]
    X = sparse.csr_array(parts, shape=(2, 3))
    kernel = make_kernel("rbf", "scale", 3, 0.0, X)
    assert kernel == make_kernel("rbf", "scale", 3, 0.0, X.toarray())
