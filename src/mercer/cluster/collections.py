"""Dask collections as partitions: samples, labels and weights side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from dask.base import is_dask_collection
from dask.delayed import delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array, column_or_1d

from mercer._validation import Matrix, is_sparse
from mercer.exceptions import DataError


class PartitionSamples(NamedTuple):
    """One partition, checked."""

    X: Matrix
    y: NDArray
    weights: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Blocks:
    """The partitions of a training set, not loaded yet."""

    parts: list[tuple[Any, Any, Any]]
    feature_names: NDArray | None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> Blocks:
        """Line the partitions up; where they differ, as those of X."""
        columns = [("X", X), ("y", y), ("sample_weight", sample_weight)]
        for name, value in columns:
            if value is not None and not is_dask_collection(value):
                raise DataError(
                    f"{name} is a {type(value).__name__}, not a Dask collection; make "
                    "it one with dask.array.from_array or dask.dataframe.from_pandas, "
                    "or use the learner without Dask in its name."
                )
        parts = [_parts(name, value, X) for name, value in columns]
        for (name, _), own in zip(columns[1:], parts[1:]):
            if own and len(own) != len(parts[0]):
                raise DataError(
                    f"X has {len(parts[0])} partitions and {name} has {len(own)}; "
                    "they must be cut at the same rows."
                )
        nothing: list[Any] = [None] * len(parts[0])
        rows = list(zip(parts[0], parts[1], parts[2] or nothing))
        return cls(rows, feature_names(X))

    def load(self, client: Any, name: str, numbers: Sequence[int]) -> list[Any]:
        """Futures of the `PartitionSamples` of some partitions."""
        load = delayed(load_samples, pure=False)
        tasks = [
            load(k, *self.parts[k], dask_key_name=f"mercer_load-{name}-{k}")
            for k in numbers
        ]
        return list(client.compute(tasks))


def feature_names(X: Any) -> NDArray | None:
    """The names of a dataframe's columns, if they are words."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(names, dtype=object)


def whole_rows(X: Any) -> Any:
    """The collection with every sample in one piece."""
    if getattr(X, "ndim", 0) == 2 and hasattr(X, "chunks") and X.numblocks[1] > 1:
        return X.rechunk({1: -1})
    return X


def _parts(name: str, value: Any, X: Any) -> list[Any]:
    if value is None:
        return []
    if name == "X":
        value = whole_rows(value)
    elif hasattr(value, "chunks") and hasattr(X, "chunks"):
        rows, own = X.chunks[0], value.chunks[0]
        if rows != own and not np.isnan([*rows, *own]).any():
            if sum(rows) != sum(own):
                raise DataError(f"X has {sum(rows)} rows and {name} has {sum(own)}.")
            value = value.rechunk({0: rows})
    return list(np.ravel(value.to_delayed()))


def load_samples(number: int, X: Any, y: Any, weights: Any) -> PartitionSamples:
    """Check one partition; sentences say which it is."""
    try:
        y = column_or_1d(np.asarray(y))
        if X.shape[0] == 0:
            return PartitionSamples(
                _as_floats(X), y, None if weights is None else np.empty(0)
            )
        X = check_array(
            _as_csr(X),
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
        )
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise DataError("y holds NaN or infinity")
        if weights is not None:
            weights = np.asarray(weights, np.float64).ravel()
            if not (np.isfinite(weights) & (weights >= 0)).all():
                raise DataError("sample weights must be finite and at least 0")
    except ValueError as error:
        raise DataError(f"Partition {number}: {str(error).rstrip('.')}.") from None
    for name, own in (("y", y), ("sample_weight", weights)):
        if own is not None and len(own) != X.shape[0]:
            raise DataError(
                f"Partition {number}: X has {X.shape[0]} rows and {name} has "
                f"{len(own)}; they must be cut at the same rows."
            )
    return PartitionSamples(X, y, weights)


def _as_csr(X: Any) -> Any:
    return sparse.csr_array(X) if is_sparse(X) else X


def _as_floats(X: Any) -> Matrix:
    X = _as_csr(X) if is_sparse(X) else np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


class Summary(NamedTuple):
    """What the driver must know about a partition before anything is learnt."""

    shape: tuple[int, int]
    dtype: np.dtype
    sparse: bool
    labels: NDArray
    counts: NDArray[np.int64]
    weights: NDArray[np.float64]  # of each label, summed
    mean: float  # of all values of X, and their variance
    variance: float


def summarise(samples: PartitionSamples) -> Summary:
    """Count and measure."""
    X, y, weights = samples
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    sums = np.bincount(codes, weights, len(labels)).astype(np.float64)
    mean = variance = 0.0
    if X.shape[0]:
        mean = float(X.mean(dtype=np.float64))
        if is_sparse(X):
            squares = X.astype(np.float64).power(2)
            variance = float(squares.mean() - mean * mean)
        else:
            variance = float(X.var(dtype=np.float64))
    of = X.shape, X.dtype, is_sparse(X), labels, counts, sums
    return Summary(*of, mean, variance)
