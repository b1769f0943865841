"""`pegasos-gaussian`: report 001 again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mercer.datasets import Dataset
from mercer.kernels import Gram
from mercer.studies.cell import Cell, Outcome, grid
from mercer.studies.context import Context
from mercer.studies.plain import Plain, derive_seed
from mercer.studies.published.pegasos_gaussian.final import run_final
from mercer.studies.published.pegasos_gaussian.protocol import Protocol
from mercer.studies.published.pegasos_gaussian.settings import KERNEL, LAMBDAS, STEPS
from mercer.studies.published.pegasos_gaussian.story import tell_story
from mercer.studies.published.pegasos_gaussian.validation import Validated, validate
from mercer.studies.published.pegasos_grid.gram_time import timed_gram
from mercer.studies.published.pegasos_grid.optimum import run_optimum
from mercer.studies.row import Row
from mercer.studies.story import Story
from mercer.studies.study import Study

REPEATS, QUICK_REPEATS = 10, 2
#: The average of all hyperplanes is looked at in the first repeats.
AVERAGED = 3
#: Below 0.001 an optimum that Pegasos can tell from the start; at 1 every step counts.
OPTIMUM_LAMBDAS = (1e-4, 1e-3, 1.0)
LONG = (100, 500, 1000, 3000, 7438, 15000, 37000, 75000)


class PegasosGaussian(Study):
    """Five λ, four numbers of steps, cross-validation, and a test of the best."""

    name: ClassVar[str] = "pegasos-gaussian"
    title: ClassVar[str] = "Pegasos with a Gaussian kernel: λ and T"
    default_data: ClassVar[tuple[str, ...]] = ("usps",)
    fallback_data: ClassVar[str] = "mnist5k"
    protocol: ClassVar[str] = (
        "All images together are shuffled and split, a fifth for testing. On the rest, "
        "cross-validation in five folds over λ and the number of steps T, one-vs-rest, "
        "every classifier with its own draws and predicting with its last hyperplane. "
        "The best pair is retrained on all training images and tested once. The whole "
        "is repeated with other shuffles and draws, so that the spread of a published "
        "run is known."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each repeat and λ, one for each repeat's test, and the optima."""
        repeats = list(range(QUICK_REPEATS if quick else REPEATS))
        points = grid(part=["validation"], repeat=repeats, lam=LAMBDAS)
        points += grid(part=["test"], repeat=repeats)
        if not quick:
            points += grid(part=["optimum"], repeat=[0], lam=OPTIMUM_LAMBDAS)
        return [Cell(p, derive_seed(seed, "repeat", p["repeat"])) for p in points]

    def warm_up(self, context: Context) -> None:
        """Compile the walk, so that it is not timed."""
        rows = np.linspace(0, context.dataset.n_samples - 1, 60).astype(int)
        y = np.asarray(context.dataset.y)[rows]
        validate(Gram(KERNEL, context.dataset.X[rows]), Protocol.of(y, 0), 1.0, 0, True)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """Cross-validate one λ, or test the best, or look for the optimum."""
        gram, seconds = timed_gram(context, KERNEL)
        kept = {"kernel matrix": seconds} if seconds else {}
        protocol = Protocol.of(np.asarray(context.dataset.y), cell.seed)
        if cell.params["part"] == "optimum":
            lam, n_train = float(cell.params["lam"]), len(protocol.split[0])
            stops = [step for step in LONG if step <= 11 * n_train]
            seed = derive_seed(cell.seed, "optimum", lam)
            return run_optimum(gram, protocol.y, protocol.split, lam, stops, seed)
        if cell.params["part"] == "test":
            validated = {lam: self._validate(cell, context, lam) for lam in LAMBDAS}
            seed = derive_seed(cell.seed, "test")
            values = run_final(gram, protocol, validated, seed)
            values |= _facts(context.dataset, protocol)
            return Outcome(values, kept, values["shown"].tolist())
        found = self._validate(cell, context, float(cell.params["lam"]))
        return Outcome(_flat(found), kept)

    def _validate(self, cell: Cell, context: Context, lam: float) -> Validated:
        """Once for a repeat and λ, whichever cell asks first."""

        def make() -> Validated:
            gram, _ = timed_gram(context, KERNEL)
            protocol = Protocol.of(np.asarray(context.dataset.y), cell.seed)
            seed = derive_seed(cell.seed, "validation", lam)
            return validate(
                gram, protocol, lam, seed, int(cell.params["repeat"]) < AVERAGED
            )

        return context.shared(("validated", cell.seed, lam), make)

    def describe(self, row: Row) -> str:
        """What was done, and how well it went."""
        if row.params["part"] == "test":
            return f"test: {100 * row.values['test accuracy']:.2f} % right"
        accuracy = row.get(f"validation at {max(STEPS)}")
        words = f"λ {row.params['lam']:g}"
        return words if accuracy is None else f"{words}: {100 * accuracy:.2f} % right"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Accuracies, what λ does, the test, class by class, and the optimum."""
        return tell_story(rows, facts, self.published())


def _flat(found: Validated) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for step in STEPS:
        values[f"train at {step}"] = found.train[step]
        values[f"validation at {step}"] = found.validation[step]
        values[f"updates at {step}"] = found.updates[step]
        values[f"binary errors at {step}"] = found.binary[step]
        if step in found.averaged:
            values[f"averaged at {step}"] = found.averaged[step]
    return values


def _facts(dataset: Dataset, protocol: Protocol) -> dict[str, Any]:
    numbers = np.unique(protocol.y, return_inverse=True)[1]
    return {
        "n_samples": len(protocol.y),
        "n_official_train": None if dataset.train is None else len(dataset.train),
        "n_official_test": None if dataset.test is None else len(dataset.test),
        "class counts": np.bincount(numbers[protocol.split[0]]),
    }
