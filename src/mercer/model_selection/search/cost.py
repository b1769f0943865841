"""What a search will cost, told beforehand."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np

from mercer._memory import format_bytes
from mercer.model_selection.search.evaluation import GridEvaluation
from mercer.model_selection.search.grams import WAYS, plan_families
from mercer.model_selection.search.sharing import PRECOMPUTED
from mercer.model_selection.search.task import SearchTask

_TRIALS = (150, 300)  # samples


@dataclass(frozen=True)
class SearchCost:
    """What a search will take.

    Attributes
    ----------
    n_cells : int
        Candidates times folds.
    n_kernels : int
        Grams that have to be computed.
    n_base_matrices : int
        Matrix products under them.
    n_alone : int
        Cells that share nothing and are fitted one by one.
    how : str
        How the Grams come to be: "family" (one base matrix, an elementwise pass each),
        "one by one", or "rows on demand" when they do not fit the memory budget.
    memory_bytes : int
        Kernel values that are in memory at a time.
    seconds : float
        Roughly how long it will take; the refit is not in it.
    """

    n_cells: int
    n_kernels: int
    n_base_matrices: int
    n_alone: int
    how: str
    memory_bytes: int
    seconds: float

    def __str__(self) -> str:
        alone = f", {self.n_alone} of them one by one" if self.n_alone else ""
        return (
            f"{self.n_cells} cells{alone}; {self.n_kernels} Gram(s) over "
            f"{self.n_base_matrices} base matrix(es), {self.how}: "
            f"{format_bytes(self.memory_bytes)} of kernel values; "
            f"about {self.seconds:.2g} s"
        )


def estimate(task: SearchTask) -> SearchCost:
    """Memory from the sizes, time from the same search on a few hundred samples."""
    sharing = task.sharing
    n = len(task.labels)
    itemsize = getattr(task.samples, "dtype", np.dtype(float)).itemsize
    families = plan_families(sharing.kernels, n, itemsize, task.budget)
    ways = [family.how for family in families]
    given = any(share.kernel == PRECOMPUTED for share in sharing.shares)
    return SearchCost(
        n_cells=len(task.candidates) * task.n_splits,
        n_kernels=len(sharing.kernels),
        n_base_matrices=sum(family.n_products for family in families),
        n_alone=len(sharing.alone),
        how=max(ways, key=WAYS.index) if ways else "given" if given else "none",
        memory_bytes=max([family.nbytes for family in families], default=0),
        seconds=_seconds(task, given),
    )


def _seconds(task: SearchTask, precomputed: bool) -> float:
    n = len(task.labels)
    if task.samples is None or task.fit_params or task.y is None:
        return float("nan")
    sizes = [size for size in _TRIALS if size < n] or [n]
    _trial(task, sizes[0], precomputed)  # compiles what is not compiled yet
    times = [_trial(task, size, precomputed) for size in sizes]
    if len(sizes) == 1:
        return times[0] * (n / sizes[0]) ** 2
    slope = (times[1] - times[0]) / (sizes[1] ** 2 - sizes[0] ** 2)
    if slope <= 0:
        return times[1]
    return times[0] + slope * (n**2 - sizes[0] ** 2)


def _trial(task: SearchTask, size: int, precomputed: bool) -> float:
    rows = np.random.default_rng(0).permutation(len(task.labels))[:size]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluation = GridEvaluation(task.on(np.sort(rows), precomputed), None)
        start = time.perf_counter()
        evaluation.run()
    return time.perf_counter() - start
