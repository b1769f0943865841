"""The perceptron's epochs, each looked at with three ways to end."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.kernels import Gram
from mercer.solvers.online import PerceptronRule, Updates, walk
from mercer.studies.one_vs_rest import OneVsRest
from mercer.studies.published.perceptron_variants.ends import Ends

RULE = PerceptronRule()  # a mistake is y·s ≤ 0


def run_epochs(
    gram: Gram, problems: OneVsRest, epochs: int
) -> tuple[dict[str, Any], dict[str, NDArray], dict[str, float]]:
    """Errors after every epoch, the scores there, and seconds.

    Parameters
    ----------
    gram : Gram
        Of training and test samples.
    problems : OneVsRest
        One split, its training samples in the order in which they come.
    epochs : int
        How often to go through them.

    Returns
    -------
    values, scores, seconds
        Test and training errors and mistakes by epoch; the averaged scores by epoch;
        seconds.
    """
    order = problems.splits[0][0].astype(np.int64)[None]
    scores = np.zeros(problems.signs.shape)
    steps = np.zeros(len(scores), np.int64)
    ends = [Ends(signs) for signs in problems.signs]
    values: dict[str, Any] = {"mistakes": []}
    averaged: dict[str, NDArray] = {}
    seconds = {"epochs": 0.0, "three ways to end": 0.0}
    for epoch in range(1, epochs + 1):
        begin = time.perf_counter()
        rules = [RULE] * len(scores)
        found = walk(gram, rules, problems.signs, order, scores, steps)
        steps = np.array([updates.n_steps for updates in found])
        walked = time.perf_counter()
        _take(gram, ends, found)
        values["mistakes"].append(sum(len(updates.samples) for updates in found))
        values |= _errors(problems, ends, epoch)
        averaged[str(epoch)] = np.stack([end.averaged for end in ends])
        seconds["epochs"] += walked - begin
        seconds["three ways to end"] += time.perf_counter() - walked
    return values, averaged, seconds


def _take(gram: Gram, ends: list[Ends], found: list[Updates]) -> None:
    parallel_map(lambda p: ends[p].take(gram, found[p]), range(len(ends)))


def _errors(problems: OneVsRest, ends: list[Ends], epoch: int) -> dict[str, float]:
    ways = {
        "vanilla": [end.last for end in ends],
        "erm": [end.best for end in ends],
        "averaged": [end.averaged for end in ends],
    }
    values = {}
    for name, rows in ways.items():
        scores = np.stack(rows)
        values[f"{name} test after {epoch}"] = problems.test_errors(scores)[0]
        values[f"{name} train after {epoch}"] = problems.train_errors(scores)[0]
    return values
