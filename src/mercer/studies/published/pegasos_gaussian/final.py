"""The chosen settings, retrained on all training samples and tested once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.solvers.online import Updates
from mercer.studies.one_vs_rest import OneVsRest
from mercer.studies.published.pegasos_gaussian.protocol import Protocol
from mercer.studies.published.pegasos_gaussian.settings import STEPS
from mercer.studies.published.pegasos_gaussian.validation import Validated
from mercer.studies.published.pegasos_grid.combination import averaged_errors
from mercer.studies.published.pegasos_grid.walking import (
    averaged_coefficients,
    draw,
    walk_with_stops,
)

Pair = tuple[float, int]


def run_final(
    gram: Gram, protocol: Protocol, validated: Mapping[float, Validated], seed: int
) -> dict[str, Any]:
    """Test the best pair of λ and T, and the pairs that are best class by class."""
    problems = protocol.final_problems()
    best = max(
        ((lam, step) for lam in validated for step in STEPS),
        key=lambda pair: validated[pair[0]].validation[pair[1]],
    )
    own = [_best_for(c, validated) for c in range(problems.n_classes)]
    draws = draw(problems.signs, max(STEPS), np.random.default_rng(seed))
    joint = _train(gram, problems, [best] * problems.n_classes, draws)
    single = _train(gram, problems, own, draws)
    averages = {"": averaged_coefficients(problems.signs, joint[1])}
    _, test = protocol.split
    return {
        "best lam": best[0],
        "best steps": best[1],
        "test accuracy": 1 - problems.test_errors(joint[0])[0],
        "averaged accuracy": 1 - averaged_errors(gram, problems, averages)[""][0],
        "own pairs": own,
        "own accuracy, scores as they are": 1 - problems.test_errors(single[0])[0],
        "own accuracy, unit length": 1 - problems.test_errors(_unit(*single))[0],
        "decided": problems.of_split(joint[0], 0)[:, test].argmax(axis=0)[:10],
        "shown": test[:10],
        "true": problems.numbers[test[:10]],
    }


def _best_for(c: int, validated: Mapping[float, Validated]) -> Pair:
    """The pair with which a class's own classifier errs least; the first of equals."""
    pairs = [(lam, step) for lam in validated for step in STEPS]
    return min(pairs, key=lambda pair: float(validated[pair[0]].binary[pair[1]][c]))


def _train(
    gram: Gram, problems: OneVsRest, pairs: Sequence[Pair], draws: NDArray[np.int64]
) -> tuple[NDArray[np.float64], list[Updates], NDArray[np.float64]]:
    """Scores of all samples, the updates, and the length of each hyperplane."""
    steps = np.array([step for _, step in pairs])
    lams = np.array([lam for lam, _ in pairs])
    # a problem that is done draws nothing any more
    own = np.where(np.arange(draws.shape[1]) < steps[:, None], draws, -1)
    walked = walk_with_stops(gram, lams.tolist(), problems.signs, own, [draws.shape[1]])
    moment = next(iter(walked))
    scale = 1 / (lams * steps)
    scores = scale[:, None] * moment.scores
    squares = [
        s * float(sign[u.samples] @ row[u.samples])
        for s, sign, row, u in zip(scale, problems.signs, scores, moment.updates)
    ]
    return scores, moment.updates, np.sqrt(squares)


def _unit(
    scores: NDArray[np.float64], updates: list[Updates], lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    return scores / lengths[:, None]
