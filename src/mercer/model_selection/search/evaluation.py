"""Learn and score every candidate in every fold, shared where it can be."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any

from joblib import Parallel, delayed
from sklearn.base import clone

from mercer._interrupts import Interrupts
from mercer._settings import with_current_settings
from mercer._threads import parallel_map, single_threaded_blas
from mercer.estimators.progress import FitProgress, logger
from mercer.exceptions import DataError
from mercer.kernels import Gram, Kernel
from mercer.model_selection.paths import path_of
from mercer.model_selection.paths.answers import Answers
from mercer.model_selection.paths.neighbours import KernelOnSamples
from mercer.model_selection.paths.polynomial_rows import PolynomialRows
from mercer.model_selection.search.candidates import FoldFit, group_by_path
from mercer.model_selection.search.grams import key_of, make_grams, plan_families
from mercer.model_selection.search.pipelines import pipeline_shares
from mercer.model_selection.search.sharing import PRECOMPUTED, GramFits
from mercer.model_selection.search.task import SearchTask

_SECONDS_BETWEEN_LINES = 1.0
_FEW_FOLDS = 10
Results = dict[tuple[int, int], dict[str, Any]]


class SearchProgress:
    """Counts fits; tells callbacks, and the log when verbose, how far a search is."""

    def __init__(self, search: Any, n_cells: int, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self._progress = FitProgress(search, n_cells)
        self._search, self._n_cells, self._done = search, n_cells, 0
        self._start = self._spoken = time.perf_counter()

    def say(self, text: str) -> None:
        """A line of log, when verbose."""
        if self._search.verbose:
            logger.info("%s: %s", type(self._search).__name__, text)

    def advance(self, n_cells: int) -> None:
        """So many more cells are done."""
        self._interrupts.check()
        self._done += n_cells
        for _ in range(n_cells):
            self._progress.tick("cell")
        now = time.perf_counter()
        often = self._search.verbose > 1
        if not often and now - self._spoken < _SECONDS_BETWEEN_LINES:
            return
        self._spoken, passed = now, now - self._start
        left = passed / self._done * (self._n_cells - self._done)
        self.say(
            f"{self._done} of {self._n_cells} cells, {passed:.1f} s, "
            f"about {left:.1f} s left"
        )

    def end(self) -> None:
        """The search is over."""
        self._progress.end()


class GridEvaluation:
    """Carries out a search; `results` has an entry for every fit that is complete."""

    def __init__(
        self,
        task: SearchTask,
        progress: SearchProgress | None,
        watch: Callable[[FoldFit, Answers], None] | None = None,
    ) -> None:
        self.results: Results = {}
        self._task, self._sharing, self._scoring = task, task.sharing, task.scoring()
        self._progress, self._watch = progress, watch

    def run(self) -> None:
        """All fits, those on shared Grams first."""
        shares = {
            key_of(share.kernel): share
            for share in self._sharing.shares
            if share.needs_gram
        }
        if PRECOMPUTED in shares:
            order = self._sharing.order
            K = self._task.samples[order][:, order]
            self._on_gram(Gram.from_matrix(K), shares[PRECOMPUTED])
        for share in self._sharing.shares:
            if not share.needs_gram:
                assert isinstance(share.kernel, Kernel)
                X = self._task.samples[self._sharing.order]
                self._learn(KernelOnSamples(share.kernel, X), share)
        if self._sharing.kernels:
            self._on_families(shares)
        if alone := self._sharing.alone:
            self._in_pipelines(alone)
            self._alone([fit for fit in alone if fit.key not in self.results])

    def _advance(self, n_fits: int) -> None:
        if self._progress is not None:
            self._progress.advance(n_fits)

    def n_complete(self) -> int:
        """How many candidates have been scored in every fold."""
        counts: dict[int, int] = {}
        for candidate, _ in self.results:
            counts[candidate] = counts.get(candidate, 0) + 1
        return sum(count == self._task.n_splits for count in counts.values())

    def _on_families(self, shares: dict[Hashable, GramFits]) -> None:
        X, budget = self._task.samples[self._sharing.order], self._task.budget
        kernels = self._sharing.kernels

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
                    self._alone(
                        [fit for fit in share.fits if fit.key not in self.results]
                    )

    def _in_pipelines(self, fits: list[FoldFit]) -> None:
        """Searches over the last step of pipelines, one for each fold."""
        for share in pipeline_shares(self._task, fits):
            start = time.perf_counter()
            task = share.task(self._task)
            if task is None:
                continue
            each = (time.perf_counter() - start) / len(share.fits)
            inner = GridEvaluation(task, self._progress)
            inner.run()
            for (number, _), result in inner.results.items():
                result["fit_time"] += each
                self.results[share.fits[number].key] = result

    def _reads_few_rows(self, share: GramFits) -> bool:
        """Whether just rows are read, and seldom enough to be made each time."""
        paths = [path_of(fit.candidate.estimator) for fit in share.on_views]
        single_rows = bool(paths) and all(path and path.single_rows for path in paths)
        few_folds = len({fit.fold.number for fit in share.on_views}) <= _FEW_FOLDS
        return single_rows and few_folds and not share.on_slices

    def _on_gram(self, gram: Gram | PolynomialRows, share: GramFits) -> None:
        self._learn(gram, share)
        if not share.on_slices:
            return
        if isinstance(gram, PolynomialRows) or not gram.in_memory:
            self._alone(share.on_slices)
            return

        def fit_on_slice(fit: FoldFit) -> None:
            twin = clone(fit.candidate.estimator).set_params(kernel=PRECOMPUTED)
            self._keep(fit, self._scoring.fit_and_score(fit, twin, gram.matrix))

        parallel_map(fit_on_slice, share.on_slices)
        self._advance(len(share.on_slices))

    def _learn(
        self, source: Gram | PolynomialRows | KernelOnSamples, share: GramFits
    ) -> None:
        """Let learners take their paths on a Gram, and score what they say."""
        start, scoring = time.perf_counter(), 0.0
        # products of a few columns: threads of BLAS cost more than they save
        with single_threaded_blas():
            for candidates, folds in group_by_path(share.on_views):
                models = [candidate.estimator for candidate in candidates]
                path, with_train = path_of(models[0]), self._scoring.with_train
                assert path is not None
                for learned in path.learn(
                    source, models, folds, with_train, self._advance
                ):
                    before = time.perf_counter()
                    number, fold, test, train, gap = learned
                    fit = FoldFit(candidates[number], fold)
                    if self._watch is not None:
                        self._watch(fit, test)
                    result = self._scoring.score(fit, test, train)
                    self._keep(fit, result | {"relative_gap": gap})
                    scoring += time.perf_counter() - before
        each = time.perf_counter() - start - scoring
        for fit in share.on_views:
            self.results[fit.key]["fit_time"] = each / len(share.on_views)

    def _alone(self, fits: list[FoldFit]) -> None:
        """Fit one by one, in processes if that was asked for."""
        if not fits:
            return
        n_jobs = self._task.n_jobs
        fit_and_score = with_current_settings(self._scoring.fit_and_score)
        work = (
            delayed(fit_and_score)(fit, clone(fit.candidate.estimator), self._task.X)
            for fit in fits
        )
        results = Parallel(n_jobs=n_jobs, return_as="generator")(work)
        for fit, result in zip(fits, results):
            self._keep(fit, result | {"alone": True})
            self._advance(1)

    def _keep(self, fit: FoldFit, result: dict[str, Any]) -> None:
        self.results[fit.key] = {"fit_time": 0.0} | result
