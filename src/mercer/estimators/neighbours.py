"""k nearest neighbours in a kernel's feature space."""

from __future__ import annotations

import hashlib
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._storable import is_floats, is_indices, is_samples, need, storable
from mercer._validation import is_sparse
from mercer.estimators._objects import kernel_diagonal, kernel_values
from mercer.estimators.checks import check_count
from mercer.estimators.equal_rows import EqualRows
from mercer.estimators.kernel_machine import KernelEstimator
from mercer.estimators.learner import TrainingSet
from mercer.estimators.neighbour_search import find_neighbours, ranks_by_distance
from mercer.exceptions import ParameterError
from mercer.kernels import Kernel
from mercer.solvers.neighbours import add_neighbours, count_votes, empty_neighbours


@storable
class KernelKNN(KernelEstimator):
    r"""k nearest neighbours, by the distance in the kernel's feature space.

    .. math:: \|\varphi(x) - \varphi(y)\|^2 = k(x, x) + k(y, y) - 2 k(x, y)

    With the cosine kernel that ranks by the cosine similarity, as the study
    ``digit-classifiers`` does, with the Gaussian by the Euclidean distance. Of equally
    near samples the one that comes first in the training set is the nearer; of classes
    with equally many votes the one that comes first in `classes_` wins, as in
    scikit-learn. With these kernels, and the linear one, most pairs of dense samples
    are ruled out by a few coordinates, and the others are measured in float64; parallel
    whole-number rows are equally near by angle.

    The neighbours of the last samples asked about are remembered, so that asking again
    with another k costs no new search (a larger k than ever searched for does).

    Parameters
    ----------
    n_neighbors : int
        k; it may be changed on a fitted model.
    kernel, gamma, degree, coef0, memory_budget
        As in `KernelPerceptron`.

    Attributes
    ----------
    classes_ : array
        The classes.
    X_fit_ : array
        The training samples.

    Examples
    --------
    >>> from mercer import KernelKNN, load_dataset
    >>> digits = load_dataset("digits")
    >>> model = KernelKNN(n_neighbors=3).fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.965
    """

    path_parameters = frozenset({"n_neighbors"})

    def __init__(
        self,
        n_neighbors: int = 1,
        kernel: str | Kernel = "cosine",
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        memory_budget: int | str | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.memory_budget = memory_budget

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        n, features = len(self.labels_), self.n_features_in_
        if self.is_precomputed:
            good = is_floats(self._diagonal, n) and features == n
        else:
            good = is_samples(self.X_fit_, n, features)
        labelled = n > 0 and is_indices(self.labels_, n, len(self.classes_))
        need(labelled, "the classes of its samples are out of bounds")
        need(good and type(self._memory) is _Memory, "its samples are not of its shape")

    def fit(self, X: Any, y: Any) -> Self:
        """Take in the training samples X of classes y."""
        check_count("n_neighbors", self.n_neighbors)
        X, y = self._validate(X, y)
        self.labels_ = self._encode(y)
        self.X_fit_ = X
        if self.has_kernel:
            self.kernel_ = self.make_kernel(X)
        elif self.is_precomputed:
            self._make_gram(X)  # checks the shape
            self.X_fit_, self._diagonal = X[:0], np.diagonal(X).copy()
        else:
            self.kernel_ = None
            self._diagonal = kernel_diagonal(self.kernel, X)
        self._memory = _Memory()
        return self

    def check_parameters(self, training: TrainingSet) -> None:
        """Complain as `fit` would on this training set."""
        check_count("n_neighbors", self.n_neighbors)

    def can_share(self, training: TrainingSet) -> bool:
        """Whether there are so many samples; if not, `predict` says so."""
        return self.n_neighbors <= len(training)

    def needs_gram(self, kernel: Kernel, X: Any) -> bool:
        """Whether kernel values are needed: neighbours are often found without."""
        return not ranks_by_distance(kernel)

    @staticmethod
    def votes(
        indices: NDArray[np.int64], y_encoded: NDArray[np.integer], n_classes: int
    ) -> NDArray[np.int64]:
        """Votes for each class of the training samples with these indices."""
        votes = np.zeros((len(indices), n_classes), np.int64)
        count_votes(indices, y_encoded, votes)
        return votes

    def predict(self, X: Any) -> NDArray:
        """The class that most of the neighbours of each sample in X have."""
        votes = self._votes(X)
        return self.classes_[votes.argmax(axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class among the neighbours of each sample in X."""
        return self._votes(X) / self.n_neighbors

    @property
    def diagonal(self) -> NDArray:
        """k(x, x) of each training sample."""
        return self._diagonal

    def kneighbors(
        self, X: Any, n_neighbors: int | None = None
    ) -> tuple[NDArray, NDArray[np.int64]]:
        """Distances in feature space, and indices of the nearest training samples."""
        X = self.validate_new(X)
        if self.is_precomputed:
            raise ParameterError(
                "With kernel='precomputed' the distance to a neighbour is not known, "
                "as k(x, x) of the new samples is missing; predict works."
            )
        squares, indices = self._search(X, n_neighbors)
        if self.is_function:
            own = kernel_diagonal(self.kernel, X)
            squares = np.maximum(squares + own[:, None], 0)
        return np.sqrt(squares).astype(getattr(X, "dtype", float), copy=False), indices

    def _votes(self, X: Any) -> NDArray[np.int64]:
        _, indices = self._search(self.validate_new(X), self.n_neighbors)
        return self.votes(indices, self.labels_, len(self.classes_))

    def _search(
        self, X: Any, n_neighbors: int | None
    ) -> tuple[NDArray, NDArray[np.int64]]:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k, n = check_count("n_neighbors", k), len(self.labels_)
        if k > n:
            raise ParameterError(
                f"n_neighbors is {k}, but there are only {n} training samples."
            )
        if self.is_function:  # its samples have no fingerprint
            return self._find(X, k)
        name, (known, keys, indices) = _fingerprint(X), self._memory.kept
        if known != name or keys.shape[1] < k:
            keys, indices = self._find(X, k)
            # replaced as a whole: another thread may be reading the one before
            self._memory.kept = name, keys, indices
        return keys[:, :k], indices[:, :k]

    def _find(self, X: Any, k: int) -> tuple[NDArray, NDArray[np.int64]]:
        if self.kernel_ is not None:
            equal = None
            if not ranks_by_distance(self.kernel_):
                equal = self._memory.equal_rows(self.X_fit_)
            return find_neighbours(self.kernel_, X, self.X_fit_, k, equal)
        K = kernel_values(self.kernel, X, self.X_fit_) if self.is_function else X
        keys, indices = empty_neighbours(len(K), k, K.dtype)
        add_neighbours(K, self._diagonal.astype(K.dtype), 0, keys, indices)
        return keys, indices


@storable
class _Memory:
    """The neighbours of the samples that were asked about last, and equal rows."""

    def __init__(self) -> None:
        self._equal: EqualRows | None = None
        nothing = np.empty((0, 0)), np.empty((0, 0), np.int64)
        self.kept: tuple[bytes, NDArray, NDArray[np.int64]] = (b"", *nothing)

    def equal_rows(self, X: Any) -> EqualRows:
        """Of the training samples, found once."""
        if self._equal is None:
            self._equal = EqualRows(X)
        return self._equal

    def __getstate__(self) -> dict[str, Any]:
        return {}  # not worth a place in a file

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]


def _fingerprint(X: Any) -> bytes:
    digest = hashlib.blake2b(str((X.shape, X.dtype)).encode(), digest_size=16)
    arrays = (X.data, X.indices, X.indptr) if is_sparse(X) else (X,)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()
