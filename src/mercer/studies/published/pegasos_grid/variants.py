"""What else the report's program may have done: each change by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Gram
from mercer.studies.cell import Outcome
from mercer.studies.one_vs_rest import OneVsRest
from mercer.studies.published.pegasos_grid.combination import steps_of
from mercer.studies.published.pegasos_grid.folds import rotate
from mercer.studies.published.pegasos_grid.settings import N_FOLDS
from mercer.studies.published.pegasos_grid.walking import draw, walk_with_stops

Draw = Callable[[OneVsRest, int, np.random.Generator], NDArray[np.int64]]


def _own(problems: OneVsRest, n: int, random: np.random.Generator) -> NDArray[np.int64]:
    return draw(problems.signs, n, random)


def _shared(
    problems: OneVsRest, n: int, random: np.random.Generator
) -> NDArray[np.int64]:
    first = draw(problems.signs[:: problems.n_classes], n, random)
    return np.repeat(first, problems.n_classes, axis=0)


def _shuffled(
    problems: OneVsRest, n: int, random: np.random.Generator
) -> NDArray[np.int64]:
    rows = []
    for row in problems.signs:
        members = np.flatnonzero(row)
        rounds = -(-n // len(members))
        rows.append(
            np.concatenate([random.permutation(members) for _ in range(rounds)])[:n]
        )
    return np.stack(rows)


@dataclass(frozen=True)
class Variant:
    """One departure from what the report says.

    Attributes
    ----------
    title : str
        As tables name it.
    draw : callable
        Where the samples come from.
    steps_before : int
        -1 counts t from 0, as the printed program does: its first step then divides by
        zero, and changes nothing.
    steps_factor : float
        More steps than the training samples say.
    strictness : float
        Factor of λ in the rule; the least number above 1 turns < into ≤.
    """

    title: str
    draw: Draw = _own
    steps_before: int = 0
    steps_factor: float = 1.0
    strictness: float = 1.0


VARIANTS = {
    "printed": Variant("as printed: own draws, t from 1, <"),
    "from-zero": Variant("t from 0", steps_before=-1),
    "not-strict": Variant("≤ instead of <", strictness=float(np.nextafter(1.0, 2.0))),
    "shared-draws": Variant("one sequence of draws for all ten digits", _shared),
    "no-replacement": Variant("every sample once a round instead of draws", _shuffled),
    "all-samples": Variant(
        "T counts all samples, not only training", steps_factor=N_FOLDS / (N_FOLDS - 1)
    ),
}


def run_variant(gram: Gram, y: NDArray, lam: float, name: str, seed: int) -> Outcome:
    """The test errors of one variant; all have the same folds."""
    variant = VARIANTS[name]
    problems = OneVsRest.of(y, rotate(len(y), N_FOLDS, np.random.default_rng(seed)))
    steps = {
        stop: int(variant.steps_factor * n) for stop, n in steps_of(problems).items()
    }
    random = np.random.default_rng([seed, 1])
    draws = variant.draw(problems, max(steps.values()), random)
    lams = [lam * variant.strictness] * len(problems.signs)
    values: dict[str, Any] = {}
    walked = walk_with_stops(
        gram, lams, problems.signs, draws, list(steps.values()), variant.steps_before
    )
    for stop, moment in zip(steps, walked):
        values[f"error at {stop}"] = np.mean(problems.test_errors(moment.scores))
    return Outcome(values)
