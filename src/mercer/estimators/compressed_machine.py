"""A kernel machine with fewer support vectors, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._storable import is_count, is_floats, need, storable
from mercer._validation import is_sparse
from mercer.estimators.checks import check_count
from mercer.estimators.kernel_machine import KernelMachine
from mercer.exceptions import ParameterError
from mercer.kernels import Gaussian, GramPart, Kernel, kernel_product
from mercer.solvers.reduced_set import choose_points, move_points, solve_weights

_ROWS = 4096  # of samples whose kernel values are kept at a time
_BATCH = 1000
_PACE = 0.02  # of the range of the features, by which points move at first
_RIDGE = 0.01
_ELSEWHERE = 0.1  # the weight of a pair at samples that are of neither of its classes
_MOST_CLASSES = 20  # for which normal equations are kept class by class


@storable
@dataclass(frozen=True, eq=False)
class Compression:
    """What a compressed machine has lost.

    Attributes
    ----------
    n_before, n_after : int
        Support vectors.
    norms, errors : arrays of shape (n_problems,)
        ‖f‖ and ‖f − f'‖ in the kernel's norm, of each binary score. No score differs by
        more than ``errors * sqrt(k(x, x))``, at any x.
    largest_difference : array of shape (n_problems,)
        Of the scores on the samples that were given.
    agreement : float
        On which share of these samples both machines decide the same.
    """

    n_before: int
    n_after: int
    norms: NDArray[np.float64]
    errors: NDArray[np.float64]
    largest_difference: NDArray[np.float64]
    agreement: float

    def __mercer_check__(self) -> None:
        counts = is_count(self.n_before) and is_count(self.n_after)
        arrays = self.norms, self.errors, self.largest_difference
        shaped = all(is_floats(array, len(self.norms)) for array in arrays)
        need(counts and shaped and type(self.agreement) is float, "it lost nothing")


@storable
class CompressedMachine(KernelMachine):
    """What `mercer.compress` returns: a kernel machine that is not fitted itself.

    Attributes
    ----------
    support_vectors_ : array of shape (n_vectors, n_features)
        The points that scores are sums over.
    support_ : array of shape (n_vectors,)
        The training samples that these began as.
    dual_coef_ : array of shape (n_problems, n_vectors)
        Their coefficients.
    compression_ : Compression
        What was lost.
    """

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        multiclass: str = "ovr",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
    ) -> None:
        self.kernel = kernel
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        need(type(self.compression_) is Compression, "it does not say what it lost")

    def fit(self, X: Any, y: Any) -> NoReturn:
        """Not offered: compress a fitted machine."""
        raise ParameterError(
            "A CompressedMachine is not fitted; fit a machine, and compress that with "
            "mercer.compress(model, n_vectors, X)."
        )


def compress(
    model: KernelMachine,
    n_vectors: int,
    X: Any,
    *,
    passes: int = 4,
    random_state: Any = 0,
) -> CompressedMachine:
    """Replace the support vectors of a machine by fewer.

    All binary scores share the new points. They are chosen among the support vectors so
    that the projection on them is near in the kernel's norm, and those of a Gaussian
    kernel are then moved; their coefficients are those that come nearest to the scores
    on X, with the kernel's norm of the difference as regularisation.

    Parameters
    ----------
    model : KernelSVC, KernelPerceptron, KernelPegasos or another kernel machine
        Fitted.
    n_vectors : int
        How many support vectors to keep at most.
    X : array of shape (n_samples, n_features)
        Samples to agree on; the training samples are good ones. Several times
        `n_vectors` should be given.
    passes : int
        How often to go through X to move the points of a Gaussian kernel; 0 keeps them.
    random_state : int, RandomState or None
        The order of X in these passes.

    Returns
    -------
    CompressedMachine
        Its ``compression_`` says what was lost.

    Examples
    --------
    >>> from mercer import KernelSVC, compress, load_dataset
    >>> digits = load_dataset("digits")
    >>> X, y = digits.X[:1200], digits.y[:1200]
    >>> model = KernelSVC(C=10).fit(X, y)
    >>> small = compress(model, 100, X)
    >>> len(model.support_), len(small.support_)
    (520, 100)
    >>> bool(small.compression_.agreement > 0.98)
    True
    """
    _check(model, n_vectors)
    assert model.kernel_ is not None
    samples, vectors = _dense(model.validate_new(X)), _dense(model.support_vectors_)
    target = _Target(model, model.kernel_, vectors, samples)
    chosen = _choose(target, check_count("n_vectors", n_vectors))
    points = vectors[chosen]
    weights = target.fit_weights(points)
    if type(model.kernel_) is Gaussian:
        random = check_random_state(random_state)
        for part in range(passes):
            moved = target.move(points, weights, random, part, passes)
            points, weights = moved, target.fit_weights(moved)
    return _finish(model, target, points, weights, model.support_[chosen])


def _check(model: Any, n_vectors: int) -> None:
    if not isinstance(model, KernelMachine):
        raise ParameterError(
            f"A {type(model).__name__} has no support vectors to compress; give a "
            "kernel machine, or the one inside a pipeline or a CalibratedClassifier."
        )
    check_is_fitted(model)
    if not model.has_kernel:
        raise ParameterError(
            "With kernel='precomputed', or a function, the support vectors are not "
            "known; compress a machine that has a kernel of mercer.kernels."
        )
    assert model.kernel_ is not None
    if not model.kernel_.is_semidefinite:
        raise ParameterError(
            f"{model.kernel_} is not positive semidefinite, so that there is no norm "
            "in which to measure what is lost."
        )
    if check_count("n_vectors", n_vectors) >= len(model.support_):
        raise ParameterError(
            f"n_vectors is {n_vectors}, but the machine has only "
            f"{len(model.support_)} support vectors; there is nothing to compress."
        )


class _Target:
    """The binary scores without their intercepts, and where they shall be met."""

    def __init__(
        self, model: KernelMachine, kernel: Kernel, vectors: NDArray, samples: NDArray
    ) -> None:
        self.kernel, self.vectors, self.samples = kernel, vectors, samples
        self.coefficients, reduction = model.binary_coefficients(), model.reduction_
        scores = kernel_product(kernel, samples, vectors, self.coefficients)
        self.scores = scores.astype(samples.dtype)
        self.values = kernel_product(kernel, vectors, vectors, self.coefficients)
        decided = reduction.decide(scores + model.intercept_)
        # a pair matters where one of its classes is decided for
        pairs = reduction.kind == "ovo" and reduction.codes.shape[1] <= _MOST_CLASSES
        self.group = decided if pairs else np.zeros(len(samples), np.intp)
        codes = reduction.codes if pairs else np.ones((reduction.n_problems, 1))
        self.counts = np.where(codes != 0, 1.0, _ELSEWHERE).astype(samples.dtype)

    def fit_weights(self, points: NDArray) -> NDArray[np.float64]:
        """The best coefficients of these points."""
        n_points, n_problems = len(points), self.scores.shape[1]
        normals = np.zeros((self.counts.shape[1], n_points, n_points))
        right = np.zeros((n_points, n_problems))
        for start in range(0, len(self.samples), _ROWS):
            rows = slice(start, start + _ROWS)
            K, group = self.kernel(self.samples[rows], points), self.group[rows]
            right += K.T @ (self.counts.T[group] * self.scores[rows])
            for c in np.unique(group):
                normals[c] += K[group == c].T @ K[group == c]
        gram = self.kernel(points).astype(np.float64)
        values = kernel_product(self.kernel, points, self.vectors, self.coefficients)
        weights = np.empty((n_points, n_problems))
        patterns, kind = np.unique(self.counts, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            own = kind.ravel() == number
            normal = np.tensordot(pattern.astype(np.float64), normals, 1)
            solved = solve_weights(normal, right[:, own], gram, values[:, own], _RIDGE)
            weights[:, own] = solved
        return weights

    def move(
        self, points: NDArray, weights: NDArray, random: Any, part: int, passes: int
    ) -> NDArray:
        """Go through the samples once; later passes move points less."""
        order = random.permutation(len(self.samples))
        reach = float(np.ptp(self.samples, axis=0).max()) or 1.0
        pace = _PACE * reach * (1 - part / passes)
        assert isinstance(self.kernel, Gaussian)
        n_batches = -(-len(order) // _BATCH)
        return move_points(
            *(points, weights, float(self.kernel.gamma)),
            *(self._batches(order), pace, n_batches),
        )

    def _batches(
        self, order: NDArray[np.intp]
    ) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            counts = self.counts.T[self.group[rows]]
            yield self.samples[rows], self.scores[rows], counts


def _choose(target: _Target, n_vectors: int) -> NDArray[np.intp]:
    part = GramPart.prepare(target.kernel, target.vectors)
    everything = slice(0, len(target.vectors))

    def column(number: int) -> NDArray:
        return part.block(np.array([number]), everything)[0]

    diagonal = target.kernel.diag(target.vectors)
    return choose_points(column, diagonal, target.values, n_vectors)


def _finish(
    model: KernelMachine,
    target: _Target,
    points: NDArray,
    weights: NDArray[np.float64],
    support: NDArray[np.integer],
) -> CompressedMachine:
    made = CompressedMachine(
        model.kernel_,  # type: ignore[arg-type]
        model.multiclass,
        model.decision_function_shape,
        model.break_ties,
    )
    made.kernel_, made.classes_ = model.kernel_, model.classes_
    made.reduction_, made.n_features_in_ = model.reduction_, model.n_features_in_
    made.support_, made.support_vectors_ = support, points
    made._coefficients, made.intercept_ = weights, model.intercept_
    made.dual_coef_ = np.ascontiguousarray(weights.T)
    scores = kernel_product(target.kernel, target.samples, points, weights)
    decide, difference = model.reduction_.decide, np.abs(scores - target.scores)
    before, after = (
        decide(one + model.intercept_, model.break_ties)
        for one in (target.scores, scores)
    )
    norms, errors = _norms(target, points, weights)
    made.compression_ = Compression(
        n_before=len(model.support_),
        n_after=len(support),
        norms=norms,
        errors=errors,
        largest_difference=difference.max(axis=0),
        agreement=float((before == after).mean()),
    )
    return made


def _norms(
    target: _Target, points: NDArray, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """‖f‖ and ‖f − f'‖ of each binary score: the latter is one expansion over both."""
    both = np.vstack([target.vectors, points]).astype(np.float64)
    signed = np.vstack([target.coefficients, -weights])
    difference = kernel_product(target.kernel, both, both, signed)
    of_f = target.vectors.astype(np.float64)
    values = kernel_product(target.kernel, of_f, of_f, target.coefficients)
    squares = (values * target.coefficients).sum(axis=0)
    errors = (difference * signed).sum(axis=0)
    return np.sqrt(np.maximum(squares, 0)), np.sqrt(np.maximum(errors, 0))


def _dense(X: Any) -> NDArray:
    return np.asarray(X.toarray() if is_sparse(X) else X)
