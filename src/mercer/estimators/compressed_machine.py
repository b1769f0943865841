"""A kernel machine with fewer support vectors, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._storable import is_count, is_floats, need, storable
from mercer._validation import is_sparse
from mercer.estimators.checks import check_count
from mercer.estimators.compression_target import CompressionTarget
from mercer.estimators.kernel_machine import KernelMachine
from mercer.exceptions import ParameterError
from mercer.kernels import Gaussian, Kernel, kernel_product


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
    passes: int = 12,
    random_state: Any = 0,
) -> CompressedMachine:
    """Replace the support vectors of a machine by fewer.

    All binary scores share the new points. They are chosen among the support vectors so
    that the projection on them is near in the kernel's norm; their coefficients are
    those that come nearest to the scores on X, with the kernel's norm of the difference
    as regularisation. Points of a Gaussian kernel are then moved, so that scores agree
    on X and between support vectors that are near each other.

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
    target = CompressionTarget(model, model.kernel_, vectors, samples)
    chosen = target.choose(check_count("n_vectors", n_vectors))
    points = vectors[chosen]
    weights = target.fit_weights(points)
    if type(model.kernel_) is Gaussian and passes:
        random = check_random_state(random_state)
        points, weights = target.learn(points, weights, random, passes)
    support = model.support_[chosen]
    return _finish(model, target, points, weights, support, len(samples))


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


def _finish(
    model: KernelMachine,
    target: CompressionTarget,
    points: NDArray,
    weights: NDArray[np.float64],
    support: NDArray[np.integer],
    n_samples: int,
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
    given, wanted = target.samples[:n_samples], target.scores[:n_samples]
    scores = kernel_product(target.kernel, given, points, weights)
    decide, difference = model.reduction_.decide, np.abs(scores - wanted)
    before, after = (
        decide(one + model.intercept_, model.break_ties) for one in (wanted, scores)
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
    target: CompressionTarget, points: NDArray, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """‖f‖ and ‖f − f'‖ of each binary score, where ‖f − f'‖² is three products."""
    z, kernel = points.astype(np.float64), target.kernel
    vectors, coefficients = target.vectors.astype(np.float64), target.coefficients
    squares = (target.values * coefficients).sum(axis=0)
    mixed = (kernel_product(kernel, z, vectors, coefficients) * weights).sum(axis=0)
    own = (kernel_product(kernel, z, z, weights) * weights).sum(axis=0)
    errors = squares - 2 * mixed + own
    return np.sqrt(np.maximum(squares, 0)), np.sqrt(np.maximum(errors, 0))


def _dense(X: Any) -> NDArray:
    return np.asarray(X.toarray() if is_sparse(X) else X)
