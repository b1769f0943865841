"""Learn and score in every cell of a search, shared where it can be."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Protocol

from joblib import Parallel, delayed
from sklearn.base import clone

from mercer._settings import with_current_settings
from mercer._threads import parallel_map, single_threaded_blas
from mercer.estimators import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.exceptions import DataError
from mercer.kernels import Gram, Kernel
from mercer.model_selection.paths.neighbours import KernelOnSamples, list_neighbours
from mercer.model_selection.paths.online import learn_online
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.paths.svm import learn_svms
from mercer.model_selection.search.cells import Cell, Outcome
from mercer.model_selection.search.grams import key_of, make_grams, plan_families
from mercer.model_selection.search.pipelines import pipeline_shares
from mercer.model_selection.search.plan import Share
from mercer.model_selection.search.sharing import PRECOMPUTED
from mercer.model_selection.search.task import Task

LEARNERS: Mapping[type, Callable[..., Iterator[Outcome]]] = {
    KernelPerceptron: learn_online,
    KernelPegasos: learn_online,
    KernelKNN: list_neighbours,
    KernelSVC: learn_svms,
}
_FEW_FOLDS = 10
Results = dict[tuple[int, int], dict[str, Any]]


class Advance(Protocol):
    """Hears of cells that are done."""

    def advance(self, n_cells: int) -> None:
        """So many more."""


class Evaluation:
    """Carries out a search; `results` has an entry for every cell that is complete."""

    def __init__(
        self,
        task: Task,
        progress: Advance,
        watch: Callable[[Outcome], None] | None = None,
    ) -> None:
        self.results: Results = {}
        self._task, self._plan, self._scoring = task, task.plan, task.scoring()
        self._progress, self._watch = progress, watch

    def run(self) -> None:
        """All cells, those on shared Grams first."""
        shares = {key_of(share.kernel): share for share in self._plan.shares}
        if PRECOMPUTED in shares:
            order = self._plan.order
            K = self._task.samples[order][:, order]
            self._on_gram(Gram.from_matrix(K), shares[PRECOMPUTED])
        for share in self._plan.shares:
            if not share.needs_gram:
                assert isinstance(share.kernel, Kernel)
                X = self._task.samples[self._plan.order]
                self._learn(KernelOnSamples(share.kernel, X), share)
        if self._plan.kernels:
            self._on_families(shares)
        self._in_pipelines(self._plan.alone)
        self._alone([c for c in self._plan.alone if c.key not in self.results])

    def n_complete(self) -> int:
        """How many candidates have been scored in every fold."""
        counts: dict[int, int] = {}
        for candidate, _ in self.results:
            counts[candidate] = counts.get(candidate, 0) + 1
        return sum(count == self._task.n_splits for count in counts.values())

    def _on_families(self, shares: dict[Hashable, Share]) -> None:
        X, budget = self._task.samples[self._plan.order], self._task.budget
        kernels = self._plan.kernels

        def few_rows(kernel: Kernel) -> bool:
            return self._reads_few_rows(shares[key_of(kernel)])

        for family in plan_families(kernels, X.shape[0], X.dtype.itemsize, budget):
            try:
                for kernel, gram in make_grams(family, X, budget, few_rows):
                    self._on_gram(gram, shares[key_of(kernel)])
            except DataError:
                # a kernel that overflows: fit says so, and error_score is minded
                for kernel in family.kernels:
                    share = shares[key_of(kernel)]
                    self._alone([c for c in share.cells if c.key not in self.results])

    def _in_pipelines(self, cells: list[Cell]) -> None:
        """Searches over the last step of pipelines, one for each fold."""
        for share in pipeline_shares(self._task, cells, LEARNERS):
            start = time.perf_counter()
            task = share.task(self._task)
            if task is None:
                continue
            each = (time.perf_counter() - start) / len(share.cells)
            inner = Evaluation(task, self._progress)
            inner.run()
            for (number, _), result in inner.results.items():
                result["fit_time"] += each
                self.results[share.cells[number].key] = result

    def _reads_few_rows(self, share: Share) -> bool:
        """Whether just rows are read, and seldom enough to be made each time."""
        learners = {LEARNERS[type(c.candidate.estimator)] for c in share.fast}
        few_folds = len({cell.fold.number for cell in share.fast}) <= _FEW_FOLDS
        return learners == {learn_online} and not share.fitted and few_folds

    def _on_gram(self, gram: Gram | PolynomialRows, share: Share) -> None:
        self._learn(gram, share)
        if not share.fitted:
            return
        if isinstance(gram, PolynomialRows) or not gram.in_memory:
            self._alone(share.fitted)
            return

        def fit(cell: Cell) -> None:
            twin = clone(cell.candidate.estimator).set_params(kernel=PRECOMPUTED)
            self._keep(cell, self._scoring.fit_and_score(cell, twin, gram.matrix))

        parallel_map(fit, share.fitted)
        self._progress.advance(len(share.fitted))

    def _learn(
        self, source: Gram | PolynomialRows | KernelOnSamples, share: Share
    ) -> None:
        if not share.fast:
            return
        start, scoring = time.perf_counter(), 0.0
        learn = LEARNERS[type(share.fast[0].candidate.estimator)]
        outcomes = learn(
            source, share.fast, self._scoring.with_train, self._progress.advance
        )
        # products of a few columns: threads of BLAS cost more than they save
        with single_threaded_blas():
            for outcome in outcomes:
                before = time.perf_counter()
                if self._watch is not None:
                    self._watch(outcome)
                self._keep(outcome.cell, self._scoring.score(outcome))
                scoring += time.perf_counter() - before
        each = (time.perf_counter() - start - scoring) / len(share.fast)
        for cell in share.fast:
            self.results[cell.key]["fit_time"] = each

    def _alone(self, cells: list[Cell]) -> None:
        """Fit cell by cell, in processes if that was asked for."""
        if not cells:
            return
        n_jobs = self._task.n_jobs
        fit_and_score = with_current_settings(self._scoring.fit_and_score)
        work = (
            delayed(fit_and_score)(cell, clone(cell.candidate.estimator), self._task.X)
            for cell in cells
        )
        results = Parallel(n_jobs=n_jobs, return_as="generator")(work)
        for cell, result in zip(cells, results):
            self._keep(cell, result)
            self._progress.advance(1)

    def _keep(self, cell: Cell, result: dict[str, Any]) -> None:
        self.results[cell.key] = {"fit_time": 0.0} | result
