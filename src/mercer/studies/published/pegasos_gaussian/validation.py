"""Cross-validation of one λ, read at every number of steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.studies.one_vs_rest import OneVsRest
from mercer.studies.published.pegasos_gaussian.protocol import Protocol
from mercer.studies.published.pegasos_gaussian.settings import STEPS
from mercer.studies.published.pegasos_grid.combination import averaged_errors
from mercer.studies.published.pegasos_grid.walking import (
    averaged_coefficients,
    draw,
    walk_with_stops,
)


@dataclass(frozen=True, eq=False)
class Validated:
    """What cross-validation says of one λ, by the number of steps.

    Attributes
    ----------
    train, validation, averaged : dict of float
        Accuracies, mean over the folds: last hyperplanes on training and validation
        samples, and averaged ones on validation samples (where asked for).
    binary : dict of ndarray of shape (n_classes,)
        Share of validation samples that a class's own classifier gets wrong by sign.
    updates : dict of float
        Share of the steps that changed the hyperplane.
    """

    train: dict[int, float]
    validation: dict[int, float]
    averaged: dict[int, float]
    binary: dict[int, NDArray[np.float64]]
    updates: dict[int, float]


def validate(
    gram: Gram, protocol: Protocol, lam: float, seed: int, average: bool
) -> Validated:
    """Walk all folds and classes once, with draws of their own."""
    problems = protocol.problems()
    draws = draw(problems.signs, max(STEPS), np.random.default_rng(seed))
    lams = [lam] * len(problems.signs)
    found = Validated({}, {}, {}, {}, {})
    averages: dict[str, NDArray[np.float32]] = {}
    for moment in walk_with_stops(gram, lams, problems.signs, draws, STEPS):
        step = moment.step
        found.train[step] = 1 - float(np.mean(problems.train_errors(moment.scores)))
        found.validation[step] = 1 - float(np.mean(problems.test_errors(moment.scores)))
        found.binary[step] = _binary_errors(problems, moment.scores)
        added = [len(u.samples) for u in moment.updates]
        found.updates[step] = float(np.mean(added)) / step
        if average:
            averages[str(step)] = averaged_coefficients(problems.signs, moment.updates)
    if average:
        for name, errors in averaged_errors(gram, problems, averages).items():
            found.averaged[int(name)] = 1 - float(errors.mean())
    return found


def _binary_errors(problems: OneVsRest, scores: NDArray) -> NDArray[np.float64]:
    """By the sign of the score; the report takes zero as negative."""
    errors = np.zeros((len(problems.splits), problems.n_classes))
    for place, (_, held_out) in enumerate(problems.splits):
        said = problems.of_split(scores, place)[:, held_out] > 0
        true = problems.numbers[held_out] == np.arange(problems.n_classes)[:, None]
        errors[place] = (said != true).mean(axis=1)
    return errors.mean(axis=0)
