"""One kernel and one λ, all folds and classes, read at every number of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.kernels import Gram
from mercer.solvers.online import Updates
from mercer.studies.cell import Outcome
from mercer.studies.one_vs_rest import OneVsRest
from mercer.studies.published.pegasos_grid.folds import rotate
from mercer.studies.published.pegasos_grid.settings import N_FOLDS, STOPS
from mercer.studies.published.pegasos_grid.walking import (
    Moment,
    averaged_coefficients,
    draw,
    walk_with_stops,
)


def run_combination(
    gram: Gram, y: NDArray, lam: float, seed: int, average: bool = True
) -> Outcome:
    """Five folds by rotation, for each digit its own Pegasos with its own draws.

    With `average` the averaged hyperplanes are looked at as well.
    """
    random = np.random.default_rng(seed)
    problems = OneVsRest.of(y, rotate(len(y), N_FOLDS, random))
    stops = steps_of(problems)
    draws = draw(problems.signs, max(stops.values()), random)
    lams = [lam] * len(problems.signs)
    values: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    averages: dict[str, NDArray[np.float32]] = {}
    walked = walk_with_stops(gram, lams, problems.signs, draws, list(stops.values()))
    for name, moment in zip(stops, walked):
        values |= _read(name, problems, moment)
        seconds[f"{name}, one fold"] = moment.seconds / N_FOLDS
        if average:
            averages[name] = averaged_coefficients(problems.signs, moment.updates)
    if average:
        errors = averaged_errors(gram, problems, averages)
        values |= {f"averaged at {n}": np.mean(e) for n, e in errors.items()}
    return Outcome(values | _memory(gram, problems, draws), seconds)


def steps_of(problems: OneVsRest) -> dict[str, int]:
    """The numbers of steps, by their names."""
    n_train = len(problems.splits[0][0])
    return {name: max(1, int(times * n_train)) for name, times in STOPS.items()}


def _read(name: str, problems: OneVsRest, moment: Moment) -> Mapping[str, Any]:
    errors = problems.test_errors(moment.scores)
    return {
        f"error at {name}": np.mean(errors),
        f"folds at {name}": errors,
        f"absolute at {name}": np.mean(problems.test_errors(np.abs(moment.scores))),
        f"updates at {name}": np.mean([len(u.samples) for u in moment.updates]),
        f"evaluations at {name}": evaluations(problems, moment.updates),
    }


def averaged_errors(
    gram: Gram, problems: OneVsRest, averages: Mapping[str, NDArray[np.float32]]
) -> dict[str, NDArray[np.float64]]:
    """Test errors of averaged hyperplanes in each fold.

    A fold's kernel values are taken once for all of them.
    """

    def look(place: int) -> NDArray[np.float64]:
        _, test = problems.splits[place]
        mine = [problems.of_split(c, place) for c in averages.values()]
        # whole rows: picking columns as well would take longer than the product
        scores = gram.block(test, slice(0, gram.n_samples)) @ np.concatenate(mine).T
        decided = scores.reshape(len(test), len(mine), -1).argmax(axis=2)
        return (problems.numbers[test] != decided.T).mean(axis=1)

    errors = np.stack(parallel_map(look, range(len(problems.splits))), axis=1)
    return dict(zip(averages, errors))


def evaluations(problems: OneVsRest, updates: Sequence[Updates]) -> float:
    """Kernel values that the report's program computes in a fold, on average.

    It goes through all samples added so far at each step, and through all of them for
    each test sample: what its seconds are spent on.
    """
    tested = [
        len(test) for _, test in problems.splits for _ in range(problems.n_classes)
    ]
    counts = [
        float((u.n_steps - u.steps).sum()) + n * len(u.samples)
        for u, n in zip(updates, tested)
    ]
    return sum(counts) / len(problems.splits)


def _memory(
    gram: Gram, problems: OneVsRest, draws: NDArray[np.int64]
) -> dict[str, float]:
    """What the large arrays take; the Gram is the least of what a fit needs."""
    arrays = 2 * problems.signs.nbytes + draws.nbytes
    return {"gram MB": gram.nbytes / 1e6, "array MB": (gram.nbytes + arrays) / 1e6}
