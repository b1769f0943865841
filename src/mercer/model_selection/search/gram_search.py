"""Grid search with cross-validation on one Gram."""

from __future__ import annotations

import time
from contextlib import suppress
from importlib import import_module
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from mercer._compat import with_callbacks
from mercer._extras import import_extra
from mercer._interrupts import Interrupts, remember_interrupts
from mercer._threads import threads_at_most
from mercer.estimators import MachinesPerClass
from mercer.exceptions import MercerError, ParameterError
from mercer.model_selection.search.candidates import Candidate, Grid
from mercer.model_selection.search.compat import (
    MultimetricScorer,
    insert_error_scores,
    warn_or_raise_about_fit_failures,
)
from mercer.model_selection.search.cost import SearchCost, estimate
from mercer.model_selection.search.evaluation import (
    GridEvaluation,
    Results,
    SearchProgress,
)
from mercer.model_selection.search.per_class import BinaryTrials
from mercer.model_selection.search.task import SearchTask


class GramSearchCV(GridSearchCV):
    """Grid search with cross-validation, on one Gram.

    Interface and results are those of scikit-learn's ``GridSearchCV``; the work is
    shared. One base matrix serves all kernels of a family, one elementwise pass each.
    Folds and classes are index views on it. C is a path of warm starts, epochs and
    steps are one run that is read at several points, k is one neighbour search.

    Scores equal those of ``GridSearchCV`` with the same splits: exactly for perceptron,
    Pegasos and nearest neighbours, within the solver's tolerance for `KernelSVC`. In a
    ``Pipeline`` that ends in one of these, the transformers are fitted once per fold.
    Estimators of scikit-learn that take a precomputed kernel are fitted on slices of
    the Gram, and a scorer of one's own then sees kernel values for samples. Everything
    else is fitted as ``GridSearchCV`` does.

    Parameters
    ----------
    estimator : estimator
        A classifier of Mercer's, or any estimator of scikit-learn's.
    param_grid : dict or list of dicts
        Names of parameters and lists of values.
    scoring, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As in ``GridSearchCV``. When verbose, the log tells beforehand what the search
        costs, and then how far it is.
    n_jobs : int or None
        Threads at most (and processes for what is fitted alone); None and -1: as many
        threads as the process may use.
    per_class : bool
        Whether to choose the parameters of each binary problem by its own validation
        error. `best_estimator_` is then a `MachinesPerClass`.
    client : distributed.Client or None
        A Dask cluster to search on, with the same results; only the best candidate is
        fitted here. Each worker computes the Grams it needs, with one thread per task.

    Attributes
    ----------
    cv_results_, best_estimator_, best_score_, best_params_, best_index_, scorer_, \
n_splits_, refit_time_, multimetric_, classes_, n_features_in_
        As in ``GridSearchCV``. `mean_fit_time` is an equal part of the shared work.
    relative_gaps_ : array of shape (n_candidates, n_splits)
        How far the objective of an SVM that was solved on the Gram can be from its
        optimum, in parts of itself; NaN where nothing is certified.
    sharing_ : str
        How many of the fits shared a Gram or other work, in a sentence.
    per_class_ : PerClassReport
        With `per_class`: what was chosen for each binary problem, and what it gained.
    interrupted_ : bool
        Whether Ctrl-C ended the search. `fit` then raises KeyboardInterrupt, but not
        before the candidates that were complete made the results.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> from mercer.model_selection import GramSearchCV
    >>> digits = load_dataset("digits")
    >>> grid = {"C": [1, 10], "gamma": [0.0005, 0.001, 0.002]}
    >>> search = GramSearchCV(KernelSVC(), grid, cv=5).fit(digits.X, digits.y)
    >>> search.best_params_, round(float(search.best_score_), 4)
    ({'C': 10, 'gamma': 0.0005}, 0.975)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Grid,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        per_class: bool = False,
        client: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.per_class = per_class
        self.client = client

    def __sklearn_clone__(self) -> Self:
        params = self.get_params(deep=False)
        client = params.pop("client")  # of which there is no copy
        copies = {name: clone(value, safe=False) for name, value in params.items()}
        return type(self)(client=client, **copies)

    @with_callbacks
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Learn and score in every cell, and fit the best candidate on all samples.

        Parameters
        ----------
        X, y : arrays
            Samples and their classes (or targets); with a precomputed kernel, X is the
            square matrix of kernel values.
        **params
            For the estimator's fit and for the splitter, as in ``GridSearchCV``.
        """
        self._validate_params()
        if self.client is not None and self.per_class:
            raise ParameterError(
                "per_class=True searches on this machine only; leave client out."
            )
        with threads_at_most(self.n_jobs):
            return self._search(SearchTask.prepare(self, X, y, params))

    def estimate_cost(self, X: Any, y: Any = None) -> SearchCost:
        """What `fit` will take in memory and, roughly, in time.

        The time comes from the same search on a few hundred samples, and the assumption
        that everything grows with the square of their number.

        >>> from mercer import KernelSVC, load_dataset
        >>> iris = load_dataset("iris")
        >>> model = KernelSVC(kernel="linear")
        >>> search = GramSearchCV(model, {"C": [1, 10, 100]}, cv=5)
        >>> cost = search.estimate_cost(iris.X, iris.y)
        >>> cost.n_cells, cost.n_kernels, cost.memory_bytes
        (15, 1, 180000)
        """
        with threads_at_most(self.n_jobs):
            return estimate(SearchTask.prepare(self, X, y, {}))

    def _search(self, task: SearchTask) -> Self:
        trials = BinaryTrials(task) if self.per_class else None
        results = self._evaluate(task, trials)
        complete = [
            candidate
            for candidate in task.candidates
            if all((candidate.number, k) in results for k in range(task.n_splits))
        ]
        self.n_splits_ = task.n_splits
        self._conclude(task, complete, results)
        if trials is not None:
            self.per_class_ = trials.choose(complete, self.best_index_)
        if self.refit:
            self._refit(task)
        if self.interrupted_:  # whoever called this goes on only if it wants to
            raise KeyboardInterrupt(
                f"The search was interrupted; {len(complete)} of "
                f"{len(task.candidates)} candidates are complete and make the results."
            )
        return self

    def _evaluate(self, task: SearchTask, trials: BinaryTrials | None) -> Results:
        n_cells, interrupts = len(task.candidates) * task.n_splits, Interrupts()
        progress = SearchProgress(self, n_cells, interrupts)
        if self.verbose:
            self._say_cost(task, progress)
        watch = trials.watch if trials is not None else None
        evaluation = GridEvaluation(task, progress, watch)
        if self.client is not None:
            import_extra("distributed", "cluster", "A search on a cluster")
            on_workers = import_module("mercer.model_selection.search.on_workers")
            evaluation = on_workers.ClusterEvaluation(task, progress, self.client)
        self.interrupted_ = False
        try:
            with remember_interrupts(interrupts):
                evaluation.run()
        except KeyboardInterrupt:
            self.interrupted_ = True
            if not evaluation.n_complete():
                raise
        finally:
            progress.end()
        return evaluation.results

    def _conclude(
        self, task: SearchTask, complete: list[Candidate], results: Results
    ) -> None:
        """Make `cv_results_` and choose the best, by scikit-learn's own rules."""
        out = [results[c.number, k] for c in complete for k in range(task.n_splits)]
        warn_or_raise_about_fit_failures(out, self.error_score)
        if callable(self.scoring):
            insert_error_scores(out, self.error_score)
        params = [candidate.params for candidate in complete]
        gaps = np.array([result.pop("relative_gap", np.nan) for result in out])
        self._say_sharing(len(out), sum(result.pop("alone", False) for result in out))
        self.cv_results_ = self._format_results(params, task.n_splits, out)
        self.relative_gaps_ = gaps.reshape(len(complete), task.n_splits)
        first, metric = out[0]["test_scores"], task.refit_metric
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            metric = self.refit
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(
                self.refit, metric, self.cv_results_
            )
            if not callable(self.refit):
                means = self.cv_results_[f"mean_test_{metric}"]
                self.best_score_ = means[self.best_index_]
            self.best_params_ = params[self.best_index_]
        several = isinstance(task.scorer, MultimetricScorer)
        self.scorer_ = task.scorer._scorers if several else task.scorer

    def _refit(self, task: SearchTask) -> None:
        model = clone(self.estimator)
        if self.per_class:
            chosen = [choice.params for choice in self.per_class_.choices]
            model = MachinesPerClass(model, chosen)
        else:
            model.set_params(**clone(self.best_params_, safe=False))
        self.best_estimator_ = model
        start = time.perf_counter()
        if task.y is None:
            model.fit(task.X, **task.fit_params)
        else:
            model.fit(task.X, task.y, **task.fit_params)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    def _say_sharing(self, n_fits: int, n_alone: int) -> None:
        self.sharing_ = f"{n_fits - n_alone} of {n_fits} fits shared work with others."
        if n_alone == n_fits:
            self.sharing_ = (
                f"None of the {n_fits} fits shared anything with another: each was "
                "done alone, as GridSearchCV does it."
            )

    def _say_cost(self, task: SearchTask, progress: SearchProgress) -> None:
        with suppress(MercerError, ValueError):  # the search says what is wrong
            progress.say(str(estimate(task)))
