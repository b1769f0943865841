"""`pegasos-grid`: report 000 again, *SVM for digit recognition*."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import Dataset
from mercer.kernels import Gram
from mercer.model_selection import RotationFolds
from mercer.studies import Cell, Context, Outcome, Row, Study, derive_seed, grid
from mercer.studies.data import few_samples
from mercer.studies.plain import Plain
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    DEGREES,
    KERNELS,
    LAMBDAS,
    N_FOLDS,
    PUBLISHED_CHOICES,
    VARIANTS,
    run_combination,
    run_variant,
    show_examples,
)
from mercer.studies.published.pegasos_grid.story import tell_story
from mercer.studies.shared.pegasos_optimum import run_optimum
from mercer.studies.story import Story

REPEATS, QUICK_REPEATS = 8, 2
#: Of what costs much and is asked beside: averages, and a reading that is far off.
FEW_REPEATS, DEGREE_REPEATS, FAR_OFF_REPEATS = 2, 4, 4
FAR_OFF = "gauss-gamma"
#: The reading at which everything else that could explain the errors was tried.
READ_LITERALLY = "gauss-width"
#: Where the regularisation is strong enough for an optimum to be reached.
SANE_LAMBDAS = (1e-4, 1e-5)
OPTIMUM_ROUNDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


class PegasosGrid(Study):
    """Four kernels, four numbers of steps, four λ, five folds, ten digits."""

    name = "pegasos-grid"
    title = "Kernelized Pegasos: kernels, steps and λ"
    version = 2
    default_data = ("usps",)
    fallback_data = "mnist5k"
    question = (
        "Kernel, λ and number of steps: which of them does the error of kernelized "
        "Pegasos on digits depend on, and what does a better one cost in time?"
    )
    protocol = (
        "All images together are shuffled once and rotated through five folds. For "
        "every fold and digit a Pegasos of its own, with its own random draws, takes "
        "2T steps, T being the number of training images, and is looked at after T/10, "
        "T/2, T and 2T of them. The digit whose score is greatest is the answer. The "
        "whole is repeated with other shuffles and draws, so that the spread of a "
        "published run is known."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each kernel, λ and repeat; one Gram serves all of a kernel."""
        repeats = range(QUICK_REPEATS if quick else REPEATS)
        points = grid(
            part=["grid"],
            kernel=list(PUBLISHED_CHOICES),
            lam=LAMBDAS,
            repeat=list(repeats),
        )
        points += grid(
            part=["degree"],
            kernel=list(DEGREES),
            lam=LAMBDAS[-1:],
            repeat=list(repeats)[:DEGREE_REPEATS],
        )
        points += grid(
            part=["variant"],
            kernel=[READ_LITERALLY],
            lam=LAMBDAS[:1],
            variant=list(VARIANTS),
            repeat=list(repeats),
        )
        points = [
            p for p in points if p["kernel"] != FAR_OFF or p["repeat"] < FAR_OFF_REPEATS
        ]
        if not quick:
            points += grid(part=["optimum"], kernel=["gauss"], lam=SANE_LAMBDAS)
        points += grid(part=["examples"], kernel=["gauss"])
        return [_cell(point, seed) for point in points]

    def warm_up(self, context: Context) -> None:
        """Compile the walk, so that it is not timed."""
        few = few_samples(context.dataset)
        run_combination(Gram(CHOICES["gauss"].kernel, few.X), few.y, 1e-5, 0)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """One kernel and one λ in all folds, or one of the further questions."""
        if cell.params["part"] == "examples":
            return show_examples(context.dataset.y, cell.seed)
        kernel = CHOICES[str(cell.params["kernel"])].kernel
        gram, seconds = context.timed_gram(kernel)
        outcome = self._answer(cell, gram, context.dataset.y)
        return Outcome(outcome.values, {**outcome.seconds, **seconds})

    def _answer(self, cell: Cell, gram: Gram, y: NDArray) -> Outcome:
        lam = float(cell.params["lam"])
        if cell.params["part"] == "variant":
            return run_variant(gram, y, lam, str(cell.params["variant"]), cell.seed)
        if cell.params["part"] == "optimum":
            folds = RotationFolds(N_FOLDS, seed=np.random.default_rng(cell.seed))
            split = next(folds.split(y))
            stops = [max(1, int(times * len(split[0]))) for times in OPTIMUM_ROUNDS]
            return run_optimum(gram, y, split, lam, stops, cell.seed)
        few = int(cell.params["repeat"]) < FEW_REPEATS
        average = few and cell.params["kernel"] in {*KERNELS, READ_LITERALLY}
        return run_combination(gram, y, lam, cell.seed, average)

    def describe(self, row: Row) -> str:
        """The kernel, λ and the error."""
        if row.params["part"] == "examples":
            return "examples of the digits"
        words = f"{row.params['kernel']}, λ {row.params['lam']:g}"
        error = row.get("error at 2T")
        return words if error is None else f"{words}: {100 * error:.2f} % wrong"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Errors, times, what the Gaussian was, and how far the optimum is."""
        return tell_story(rows, self.published_on(facts))


def _cell(point: Mapping[str, Plain], seed: int) -> Cell:
    """Every combination has its own shuffle, as in the report; variants share one."""
    shared = point["part"] == "variant"
    names = ["part", "repeat"] if shared else ["part", "repeat", "kernel", "lam"]
    words = [str(point.get(name)) for name in names]
    return Cell(point, derive_seed(seed, *words), f"kernel {point['kernel']}")
