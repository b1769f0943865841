"""A training set on a cluster: what is known of all of it, and its partitions."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import numpy as np
import psutil
from distributed import Client, Future, get_worker
from numpy.typing import NDArray
from scipy import sparse

from mercer._dask import results
from mercer._memory import memory_budget, parse_bytes
from mercer._validation import Matrix
from mercer.cluster.collections import Blocks, PartitionSamples, Summary, summarise
from mercer.cluster.messages import Task
from mercer.cluster.partition import Partition
from mercer.exceptions import DataError

_OF_LIMIT = 0.5  # of a worker's memory: from 0.6 on Dask writes to disk


class TrainingData:
    """Partitions that are loaded on workers, counted and measured."""

    def __init__(self, client: Client, X: Any, y: Any, sample_weight: Any) -> None:
        self.client, self.token = client, uuid4().hex
        self._blocks = Blocks.of(X, y, sample_weight)
        numbers = range(len(self._blocks.parts))
        loaded = self._blocks.load(client, self.token, numbers)
        self._loaded = dict(enumerate(loaded))
        tasks = [
            client.submit(summarise, own, key=f"mercer_summary-{self.token}-{k}")
            for k, own in enumerate(loaded)
        ]
        self._summaries: list[Summary] = results(client, tasks)
        rows = np.array([summary.shape[0] for summary in self._summaries])
        self.filled = np.flatnonzero(rows)
        self.firsts = np.cumsum(rows) - rows
        self.n_samples = int(rows.sum())
        if not self.n_samples:
            raise DataError("X has no samples in any of its partitions.")
        own = [self._summaries[k] for k in self.filled]
        self.n_features = own[0].shape[1]
        for k, summary in zip(self.filled, own):
            if summary.shape[1] != self.n_features:
                raise DataError(
                    f"Partition {k} has {summary.shape[1]} features and others have "
                    f"{self.n_features}."
                )
        self.feature_names = self._blocks.feature_names
        self.dtype = np.result_type(*(summary.dtype for summary in own))
        self.sparse = all(summary.sparse for summary in own)
        self._count(own)

    def _count(self, own: list[Summary]) -> None:
        self.classes = np.unique(np.concatenate([summary.labels for summary in own]))
        self.counts = np.zeros(len(self.classes), np.int64)
        self.weights = np.zeros(len(self.classes))
        for summary in own:
            at = np.searchsorted(self.classes, summary.labels)
            self.counts[at] += summary.counts
            self.weights[at] += summary.weights

    def variance(self) -> float:
        """Of all values of X."""
        own = [self._summaries[k] for k in self.filled]
        parts = np.array([[s.shape[0], s.mean, s.variance] for s in own])
        shares = parts[:, 0] / self.n_samples
        mean = shares @ parts[:, 1]
        return float(shares @ (parts[:, 2] + (parts[:, 1] - mean) ** 2))

    def loaded(self) -> list[tuple[int, Future]]:
        """The first sample's number and the `PartitionSamples` of each partition."""
        return [(int(self.firsts[k]), self._loaded[k]) for k in self.filled.tolist()]

    def no_samples(self) -> Matrix:
        """X without any rows."""
        shape = 0, self.n_features
        return sparse.csr_array(shape) if self.sparse else np.empty(shape, self.dtype)

    def make_partition(
        self,
        task: Task,
        classes: NDArray,
        C: NDArray[np.float64],
        budget: int | str | None,
        number: int,
    ) -> Future:
        """The future of the `Partition` with this number among those with samples."""
        k, name = int(self.filled[number]), uuid4().hex
        samples = self._loaded.pop(k, None)
        if samples is None:
            (samples,) = self._blocks.load(self.client, name, [k])
        workers = self.client.nthreads()
        share = -(-len(self.filled) // max(1, len(workers)))
        hosts = [worker.rpartition(":")[0] for worker in workers]
        beside = max(map(hosts.count, hosts), default=1)
        return self.client.submit(
            *(_partition, samples, task, int(self.firsts[k]), classes, C),
            *(self.sparse, budget, share, beside),
            key=f"mercer_partition-{name}-{k}",
        )


def _partition(
    samples: PartitionSamples,
    task: Task,
    first: int,
    classes: NDArray,
    C: NDArray[np.float64],
    is_sparse: bool,
    budget: int | str | None,
    share: int,
    beside: int,
) -> Partition:
    y_encoded = np.searchsorted(classes, samples.y)
    upper = C[y_encoded]
    if samples.weights is not None:
        upper = upper * samples.weights
    X = (
        samples.X
        if is_sparse or not sparse.issparse(samples.X)
        else samples.X.toarray()
    )
    own = _worker_budget(budget, beside) // share
    return Partition(task, first, X, y_encoded, upper, own)


def _worker_budget(budget: int | str | None, beside: int) -> int:
    """Bytes for kernel values on this worker, with others beside it on its machine."""
    if budget is not None:
        return parse_bytes(budget)
    limit = get_worker().memory_manager.memory_limit
    if limit:
        return max(2**20, int(_OF_LIMIT * limit) - psutil.Process().memory_info().rss)
    return memory_budget() // beside
