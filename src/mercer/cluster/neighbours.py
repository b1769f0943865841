"""k nearest neighbours among samples that lie on many workers."""

from __future__ import annotations

from typing import Any, NamedTuple, Self
from uuid import uuid4

import dask.array as da
import numpy as np
from dask.delayed import delayed
from distributed import Client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._dask import reachable, results
from mercer._threads import threads_at_most
from mercer.cluster.collections import PartitionSamples, whole_rows
from mercer.cluster.learner import OnCluster, mean_accuracy
from mercer.cluster.loading import TrainingData
from mercer.cluster.samples import stack
from mercer.estimators import KernelKNN
from mercer.estimators.checks import check_count
from mercer.estimators.equal_rows import row_digests
from mercer.estimators.neighbour_search import find_neighbours, ranks_by_distance
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import Kernel


class _Nearest(NamedTuple):
    """The nearest of some samples: squared distances, numbers, classes, digests.

    Equal samples have equal digests; where distances rank, they are as near anyway.
    """

    squares: NDArray
    numbers: NDArray[np.int64]
    classes: NDArray[np.intp]
    digests: NDArray[np.bytes_]


class DaskKernelKNN(OnCluster, KernelKNN):
    """`KernelKNN` on Dask collections: the nearest of each partition, put together.

    The training samples stay on the workers as long as the model is there.

    Parameters
    ----------
    client : distributed.Client or None
        The cluster; default: Dask's current client.
    n_neighbors, kernel, gamma, degree, coef0, memory_budget
        As in `KernelKNN`, without kernel="precomputed".

    Attributes
    ----------
    client_ : distributed.Client
        The cluster in use.
    classes_ : array
        The classes.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from mercer import load_dataset
    >>> from mercer.cluster import DaskKernelKNN
    >>> digits = load_dataset("digits")
    >>> X = da.from_array(digits.X, chunks=(500, -1))
    >>> y = da.from_array(digits.y, chunks=500)
    >>> client = Client()  # doctest: +SKIP
    >>> model = DaskKernelKNN(client, 3).fit(X[:1200], y[:1200])  # doctest: +SKIP
    >>> round(model.score(X[1200:], y[1200:]), 3)  # doctest: +SKIP
    0.965
    """

    local_class = KernelKNN

    def __init__(
        self,
        client: Client | None = None,
        n_neighbors: int = 1,
        kernel: str | Kernel = "cosine",
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        memory_budget: int | str | None = None,
    ) -> None:
        self.client = client
        super().__init__(n_neighbors, kernel, gamma, degree, coef0, memory_budget)

    def fit(self, X: Any, y: Any) -> Self:
        """Take in the training samples X of classes y, where they are."""
        check_count("n_neighbors", self.n_neighbors)
        if self.is_precomputed:
            raise ParameterError(
                "DaskKernelKNN does not offer kernel='precomputed'; KernelKNN does."
            )
        client = self.client_
        with reachable(client):
            data = TrainingData(client, X, y, None)
            self.describe(data)
            self._parts, self._n_samples = data.loaded(), data.n_samples
        return self

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[Any, Any]:
        """Distances in feature space and numbers of the nearest, as Dask arrays."""
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        blocks = self._nearest(X, k)
        return (
            _array(blocks, _distances, (k,), np.float64),
            _array(blocks, _numbers, (k,), np.int64),
        )

    def predict(self, X: Any) -> Any:
        """The class that most of the neighbours of each sample in X have."""
        blocks = self._nearest(X, self.n_neighbors)
        dtype = self.classes_.dtype
        return _array(blocks, _most_votes, (), dtype, self.classes_)

    def predict_proba(self, X: Any) -> Any:
        """The share of each class among the neighbours of each sample in X."""
        blocks = self._nearest(X, self.n_neighbors)
        n = len(self.classes_)
        return _array(blocks, _shares, (n,), np.float64, self.classes_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of samples in X whose class is predicted as in y, computed now."""
        return mean_accuracy(self.client_, self.predict(X), y, sample_weight)

    def to_local(self) -> KernelKNN:
        """The same model here, with all training samples."""
        check_is_fitted(self)
        parts = results(self.client_, [part for _, part in self._parts])
        names = KernelKNN._get_param_names()
        local = KernelKNN(**{name: getattr(self, name) for name in names})
        y = np.concatenate([part.y for part in parts])
        local.fit(stack([part.X for part in parts]), y)
        local.kernel_ = self.kernel_
        if hasattr(self, "feature_names_in_"):
            local.feature_names_in_ = self.feature_names_in_
        return local

    def _nearest(self, X: Any, k: int) -> list[tuple[int | float, Any]]:
        """Of each block of X its length and, delayed, its nearest neighbours."""
        check_is_fitted(self)
        if check_count("n_neighbors", k) > self._n_samples:
            raise ParameterError(
                f"n_neighbors is {k}, but there are only {self._n_samples} training "
                "samples."
            )
        if not hasattr(X, "to_delayed"):
            raise DataError(
                f"X is a {type(X).__name__}, not a Dask collection; ask to_local()."
            )
        X = whole_rows(X)
        near, merge = delayed(_nearest_in, pure=False), delayed(_merge, pure=False)
        parts, token = [delayed(part) for _, part in self._parts], uuid4().hex
        known, blocks = (self.kernel_, self.classes_, k), []
        for b, block in enumerate(np.ravel(X.to_delayed())):
            found = [
                near(
                    *(block, samples, first, *known),
                    dask_key_name=f"mercer_nearest-{token}-{b}-{p}",
                )
                for p, (samples, (first, _)) in enumerate(zip(parts, self._parts))
            ]
            blocks.append(merge(found, k, dask_key_name=f"mercer_merge-{token}-{b}"))
        chunks = getattr(X, "chunks", None)
        lengths = chunks[0] if chunks is not None else [np.nan] * len(blocks)
        return list(zip(lengths, blocks))


def _array(
    blocks: list, read: Any, shape: tuple[int, ...], dtype: Any, *known: Any
) -> Any:
    name, read = f"mercer{read.__name__}-{uuid4().hex}", delayed(read, pure=False)
    parts = [
        da.from_delayed(
            read(nearest, *known, dask_key_name=f"{name}-{k}"), (length, *shape), dtype
        )
        for k, (length, nearest) in enumerate(blocks)
    ]
    return da.concatenate(parts)


def _nearest_in(
    X: Any,
    samples: PartitionSamples,
    first: int,
    kernel: Kernel,
    classes: NDArray,
    k: int,
) -> _Nearest:
    """The nearest in one partition; fewer if it has fewer."""
    X = np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    k = min(k, samples.X.shape[0])
    with threads_at_most(1):
        squares, numbers = find_neighbours(
            kernel, X.astype(samples.X.dtype), samples.X, k
        )
    labels = np.searchsorted(classes, samples.y)
    digests = np.zeros(numbers.shape, "S16")
    if not ranks_by_distance(kernel):
        found, places = np.unique(numbers, return_inverse=True)
        digests = np.array(row_digests(samples.X[found]), "S16")[places]
        digests = digests.reshape(numbers.shape)
    return _Nearest(squares, first + numbers, labels[numbers], digests)


def _merge(parts: list[_Nearest], k: int) -> _Nearest:
    """The nearest of all; of equally near ones the first is ahead."""
    found = _Nearest(*(np.concatenate(own, axis=1) for own in zip(*parts)))
    if found.digests.any():
        found = found._replace(squares=_same_for_equals(found.squares, found.digests))
    # stable: partitions are in order
    order = np.argsort(found.squares, axis=1, kind="stable")[:, :k]
    return _Nearest(*(np.take_along_axis(column, order, 1) for column in found))


def _same_for_equals(squares: NDArray, digests: NDArray[np.bytes_]) -> NDArray:
    """Equal samples are as near as the first of them: partitions round differently."""
    order = np.argsort(digests, axis=1, kind="stable")
    ordered = np.take_along_axis(digests, order, 1)
    begins = np.ones(ordered.shape, bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    places = np.where(begins, np.arange(ordered.shape[1]), 0)
    first = np.take_along_axis(order, np.maximum.accumulate(places, axis=1), 1)
    same = np.empty_like(squares)
    np.put_along_axis(same, order, np.take_along_axis(squares, first, 1), 1)
    return same


def _distances(nearest: _Nearest) -> NDArray[np.float64]:
    return np.sqrt(nearest.squares)


def _numbers(nearest: _Nearest) -> NDArray[np.int64]:
    return nearest.numbers


def _votes(nearest: _Nearest, classes: NDArray) -> NDArray[np.int64]:
    every = np.arange(len(classes))
    return (nearest.classes[:, :, None] == every).sum(axis=1)


def _most_votes(nearest: _Nearest, classes: NDArray) -> NDArray:
    return classes[_votes(nearest, classes).argmax(axis=1)]


def _shares(nearest: _Nearest, classes: NDArray) -> NDArray[np.float64]:
    return _votes(nearest, classes) / nearest.classes.shape[1]
