"""A search on a cluster: the candidates of one Gram go to one worker.

What all of them need is sent once; Grams are computed where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from distributed import Client

from mercer._dask import as_they_end, reachable, result_of, share
from mercer._threads import threads_at_most
from mercer.model_selection.search.candidates import Candidate
from mercer.model_selection.search.evaluation import (
    GridEvaluation,
    Results,
    SearchProgress,
)
from mercer.model_selection.search.task import SearchTask


class ClusterEvaluation(GridEvaluation):
    """Carries out a search on the workers of a client."""

    def __init__(
        self, task: SearchTask, progress: SearchProgress, client: Client
    ) -> None:
        super().__init__(task, progress)
        self._client = client

    def run(self) -> None:
        """All fits, as workers have time for them."""
        groups, token = _by_gram(self._task), uuid4().hex
        with reachable(self._client):
            common = replace(self._task, candidates=[], n_jobs=1)
            shared, _ = share(self._client, "search", common)
            futures = {
                self._client.submit(
                    _evaluate, shared, group, key=f"mercer_search-{token}-{k}"
                ): group
                for k, group in enumerate(groups)
            }
            for future in as_they_end(self._client, list(futures)):
                self.results.update(result_of(future))
                self._advance(len(futures[future]) * self._task.n_splits)


def _by_gram(task: SearchTask) -> list[list[Candidate]]:
    """Candidates that share a Gram are together, the others alone."""
    gram_of: dict[int, int] = {}
    for number, shared in enumerate(task.sharing.shares):
        for fit in shared.fits:
            gram_of.setdefault(fit.candidate.number, number)
    groups: dict[Any, list[Candidate]] = {}
    for candidate in task.candidates:
        own = gram_of.get(candidate.number, f"alone {candidate.number}")
        groups.setdefault(own, []).append(candidate)
    return list(groups.values())


def _evaluate(task: SearchTask, candidates: Sequence[Candidate]) -> Results:
    with threads_at_most(1):
        evaluation = GridEvaluation(replace(task, candidates=list(candidates)), None)
        evaluation.run()
        return evaluation.results
