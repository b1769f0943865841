"""Generated samples like those that people bring, the same in every run.

Each function returns training and test samples in float32: census answers as flags,
measures of letters, noisy tables, engine signals, word counts, images.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from mercer._validation import Matrix, is_sparse
from mercer.bench._data import both_parts

Parts = tuple[tuple[Matrix, NDArray], tuple[Matrix, NDArray]]

SHARE = 1.0  # of the samples that are generated
_QUESTIONS = (5, 8, 5, 5, 16, 7, 14, 6, 5, 2, 2, 2, 5, 41)  # answers to each: 123 flags


def onehot(n: int = 32561, new: int = 16281) -> Parts:
    """Answers to fourteen questions as 123 flags in CSR; a quarter of labels noise."""
    n, new = _count(n), _count(new)
    rng = np.random.default_rng(0)
    m, starts = n + new, np.cumsum([0, *_QUESTIONS[:-1]])
    answers = np.empty((m, len(_QUESTIONS)), np.int32)
    wealth = np.zeros(m)
    for q, options in enumerate(_QUESTIONS):
        share = rng.dirichlet(np.full(options, 0.7))
        answers[:, q] = rng.choice(options, m, p=share)
        wealth += rng.normal(size=options)[answers[:, q]]
    y = wealth + 3.0 * rng.normal(size=m) > 0.5
    shape, per_row = (m, sum(_QUESTIONS)), len(_QUESTIONS)
    flags = np.ones(m * per_row, np.float32)
    bounds = np.arange(0, m * per_row + 1, per_row)
    return _split(
        sparse.csr_array((flags, (answers + starts).ravel(), bounds), shape), y, n
    )


def letters(n: int = 16000, new: int = 4000, whole: bool = False) -> Parts:
    """Sixteen measures, from 0 to 15, of 26 letters in six typefaces each."""
    n, new = _count(n), _count(new)
    rng = np.random.default_rng(1)
    centres = rng.normal(7.5, 2.4, (26, 1, 16)) + rng.normal(0, 1.3, (26, 6, 16))
    y, face = rng.integers(26, size=n + new), rng.integers(6, size=n + new)
    X = centres[y, face] + rng.normal(0, 1.5, (n + new, 16))
    X = np.clip(np.rint(X), 0, 15).astype(np.float32)
    return _split(X if whole else _standardised(X, n), y, n)


def noisy(n: int = 50000, new: int = 10000) -> Parts:
    """A table of forty floats, and labels of which many are wrong."""
    n, new = _count(n), _count(new)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n + new, 40)).astype(np.float32)
    score = X[:, :10].sum(1) + 0.7 * (X[:, 10:20] * X[:, 20:30]).sum(1)
    return _split(X, score + 2.5 * rng.normal(size=n + new) > 0, n)


def signals(n: int = 40000, new: int = 10000) -> Parts:
    """Windows of 22 values of a waving signal; a tenth precedes a misfire."""
    n, new = _count(n), _count(new)
    rng = np.random.default_rng(3)
    m, lags = n + new, np.arange(12)
    speed, phase = rng.uniform(0.5, 2.0, (m, 1)), rng.uniform(0, 2 * np.pi, (m, 1))
    wave = np.sin(0.5 * speed * lags + phase) + 0.1 * rng.normal(size=(m, 12))
    state = rng.uniform(-1, 1, (m, 10))
    risk = wave[:, 0] * state[:, 0] + wave[:, 5] * state[:, 1] + 0.5 * state[:, 2]
    risk += 0.05 * rng.normal(size=m)
    X = np.hstack([wave, state]).astype(np.float32)
    return _split(X, risk > np.quantile(risk, 0.9), n)


def smooth(n: int = 1_000_000) -> tuple[NDArray, NDArray]:
    """Twenty floats, and two classes that a smooth boundary separates."""
    n = _count(n)
    X = np.random.default_rng(6).standard_normal((n, 20), np.float32)
    score = X[:, :5].sum(1) + 0.5 * X[:, 5] * X[:, 6] + np.sin(X[:, 7])
    return X, score > 0


def text(n: int = 6000, new: int = 2000, words: int = 60000) -> Parts:
    """Word counts of four kinds of text, tf-idf, normalised, in CSR."""
    n, new = _count(n), _count(new)
    rng = np.random.default_rng(4)
    m = n + new
    y, lengths = rng.integers(4, size=m), rng.integers(60, 260, m)
    common = 1 / np.arange(3, words + 3) ** 1.05
    rows, columns = [], []
    for kind in range(4):
        share = common * np.exp(0.35 * rng.normal(size=words))
        own = np.flatnonzero(y == kind)
        total = lengths[own].sum()
        rows.append(np.repeat(own, lengths[own]))
        columns.append(
            np.searchsorted(np.cumsum(share / share.sum()), rng.random(total))
        )
    at = np.concatenate(rows), np.minimum(np.concatenate(columns), words - 1)
    counts = sparse.csr_array((np.ones(len(at[0])), at), (m, words))
    counts.sum_duplicates()
    used = np.bincount(counts.indices, minlength=words)
    counts.data *= 1 + np.log((1 + m) / (1 + used))[counts.indices]
    lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    X = sparse.csr_array(sparse.diags_array(1 / lengths) @ counts).astype(np.float32)
    return _split(X, y, n)


def standardised_digits(n: int = 10000) -> Parts:
    """MNIST, each pixel to mean 0 and variance 1."""
    (X, y), (new, truth) = both_parts("mnist")
    n = _count(n)
    scaler = StandardScaler().fit(X[:n])
    return (scaler.transform(X[:n]), y[:n]), (scaler.transform(new), truth)


def projected_digits(n: int = 20000, features: int = 100) -> Parts:
    """MNIST, projected at random to fewer features."""
    (X, y), (new, truth) = both_parts("mnist")
    n = _count(n)
    rng = np.random.default_rng(5)
    onto = rng.normal(size=(X.shape[1], features)) / np.sqrt(features)
    onto = onto.astype(np.float32)
    return (X[:n] @ onto, y[:n]), (new @ onto, truth)


def clothes() -> Parts:
    """Images of clothes."""
    return both_parts("fashion-mnist")


def _count(n: int) -> int:
    return max(1, int(n * SHARE))


def _standardised(X: NDArray, n: int) -> NDArray:
    return StandardScaler().fit(X[:n]).transform(X)


def with_short_indices(X: Matrix) -> Matrix:
    """CSR with indices of 32 bits, the only ones that scikit-learn takes."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _split(X: Matrix, y: NDArray, n: int) -> Parts:
    X = with_short_indices(X) if is_sparse(X) else X
    return (X[:n], y[:n]), (X[n:], y[n:])
