"""Random samples of many kinds: KernelKNN against exact arithmetic.

Whole numbers, times any power of two, must give exactly the neighbours of rational
arithmetic, ties included; other floats must give neighbours that are as near as those,
but for rounding.
"""

from fractions import Fraction

import numpy as np
from scipy import sparse

from mercer import KernelKNN
from mercer.kernels import Cosine, Exponential, Gaussian, Linear, Polynomial

KERNELS = (Cosine(), Linear(), Gaussian(0.5), Exponential(0.5), Polynomial(2))
ROUNDING = {np.float32: 1e-5, np.float64: 1e-10}


def run(seed: int, n: int) -> None:
    """Try n random cases; the first that fails is raised with its seed."""
    for number in range(n):
        try:
            _try(np.random.default_rng([seed, number]))
        except Exception as error:
            raise AssertionError(f"seed {seed}, number {number}: {error}") from error


def _try(rng):
    whole = rng.random() < 0.7
    kernel = KERNELS[rng.integers(len(KERNELS) if whole else 4)]
    # squares of dot products of whole numbers are exact in float64 only, and up to 2⁵²
    exact = isinstance(kernel, Polynomial)
    dtype = np.float64 if exact else rng.choice([np.float32, np.float64])
    n, d = int(rng.integers(2, 30)), int(rng.integers(1, 4 if exact else 7))
    if rng.random() < 0.02:  # more than a tile
        n, d = 1100, 3
    rows = _samples(rng, n + 5, d, whole, dtype)
    exponent = 0
    if type(kernel) is not Polynomial and rng.random() < 0.3:
        most = 30 if dtype is np.float32 else 450
        exponent = int(rng.integers(-most, most))
    rows = np.ldexp(rows, exponent)
    if isinstance(kernel, Gaussian | Exponential):
        kernel = type(kernel)(float(np.ldexp(1.0, -2 * exponent)))
    Y, X = rows[:n], rows[n:]
    labels = rng.integers(0, 3, n)
    labels[:2] = 0, 1
    k = int(rng.integers(1, n + 1)) if n < 100 else 3
    layout = sparse.csr_array if rng.random() < 0.4 else np.asarray
    model = KernelKNN(k, kernel).fit(layout(Y), labels)
    squares, found = model.kneighbors(layout(X))[0] ** 2, model.kneighbors(layout(X))[1]
    for i in range(len(X)):
        keys = _keys(kernel, X[i], Y)
        order = sorted(range(n), key=lambda j: (keys[j], j))[:k]
        if whole:
            assert found[i].tolist() == order, (found[i], order, kernel, k)
            votes = np.bincount(labels[order], minlength=len(model.classes_))
            assert model.predict(layout(X[i : i + 1]))[0] == votes.argmax()
        else:
            _check_as_near(keys, found[i], order, X[i], Y, ROUNDING[dtype])
    assert (np.diff(squares, axis=1) >= 0).all()


def _samples(rng, n, d, whole, dtype):
    if whole:
        rows = rng.integers(-9, 10, (n, d)).astype(float)
    else:
        rows = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-3, 3, d)
    if rng.random() < 0.3:
        rows[:, rng.integers(d)] = 7.0  # a constant feature
    for i in range(n):
        kind, other = rng.random(), rows[rng.integers(n)]
        if kind < 0.15:
            rows[i] = other
        elif kind < 0.4:  # parallel, which floats are only at powers of two
            rows[i] = other * (rng.integers(1, 12) if whole else 2.0 ** rng.integers(9))
        elif kind < 0.45:
            rows[i] = -other
        elif kind < 0.5:
            rows[i] = 0.0
        elif kind < 0.6 and whole:  # nearly parallel
            rows[i] = np.clip(other * 1000, -(2.0**12), 2.0**12).round()
            rows[i, rng.integers(d)] += 1
        rows[i] = np.clip(rows[i], -(2.0**12), 2.0**12) if whole else rows[i]
    return rows.astype(dtype)


def _keys(kernel, x, Y):
    """Numbers that rank like the squared distance in feature space, exactly."""
    x, Y = (
        [Fraction(a) for a in x.tolist()],
        [list(map(Fraction, y)) for y in Y.tolist()],
    )

    def dot(a, b):
        return sum(p * q for p, q in zip(a, b))

    if isinstance(kernel, Polynomial):
        return [dot(y, y) ** 2 - 2 * dot(x, y) ** 2 for y in Y]
    if not isinstance(kernel, Cosine):
        return [sum((p - q) ** 2 for p, q in zip(x, y)) for y in Y]
    keys = []
    for y in Y:
        product, length = dot(x, y), dot(y, y)
        if not any(x):
            keys.append(Fraction(int(length > 0)))
        elif not length:  # ‖φ(x) − φ(y)‖² = 1, as at 60 degrees
            keys.append(-Fraction(1, 4))
        else:
            keys.append(-product * abs(product) / (length * dot(x, x)))
    return keys


def _check_as_near(keys, found, order, x, Y, rounding):
    size = max(1.0, *(float(abs(key)) for key in keys)) if min(keys) < 0 else 0.0
    norms = float(
        np.square(x.astype(float)).sum() + np.square(Y.astype(float)).sum(1).max()
    )
    for ours, best in zip(found, order):
        off = float(keys[ours] - keys[best])
        assert abs(off) <= rounding * max(size, norms, float(keys[best])), (ours, best)
    # duplicates, rows times powers of two and any of one feature are equally near
    for ours, best in zip(found, order):
        assert keys[ours] != keys[best] or ours == best
