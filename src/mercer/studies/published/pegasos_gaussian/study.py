"""`pegasos-gaussian`: report 001 again, *Kernelized Pegasos, USPS dataset*."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import Dataset
from mercer.kernels import Gaussian, Gram
from mercer.studies import Cell, Context, Outcome, Row, Study, derive_seed, grid
from mercer.studies.data import few_samples
from mercer.studies.plain import Plain
from mercer.studies.published.pegasos_gaussian.cells import (
    LAMBDAS,
    STEPS,
    WIDTH,
    WIDTHS,
    make_split,
    run_test,
    validate,
)
from mercer.studies.published.pegasos_gaussian.story import tell_story
from mercer.studies.shared.pegasos_optimum import run_optimum
from mercer.studies.story import Story

REPEATS, QUICK_REPEATS = 10, 2
#: The average of all hyperplanes is looked at in the first repeats.
AVERAGED = 3
#: What γ does is looked at with the least λ, at which a classifier can fit, and at 1.
WIDTH_LAMBDAS, WIDTH_REPEATS = (0.001, 1.0), 2
#: Below 0.001 an optimum that Pegasos can tell from the start; at 1 every step counts.
OPTIMUM_LAMBDAS = (1e-4, 1e-3, 1.0)
LONG = (100, 500, 1000, 3000, 7438, 15000, 37000, 75000)


class PegasosGaussian(Study):
    """Five λ, four numbers of steps, cross-validation, and a test of the best."""

    name = "pegasos-gaussian"
    title = "Pegasos with a Gaussian kernel: λ and T"
    version = 2
    default_data = ("usps",)
    fallback_data = "mnist5k"
    question = (
        "What do λ, the number of steps T and the width γ do to Pegasos with a "
        "Gaussian kernel?"
    )
    protocol = (
        "All images together are shuffled and split, a fifth for testing. On the rest, "
        "cross-validation in five folds over λ and the number of steps T, one-vs-rest, "
        "every classifier with its own draws and predicting with its last hyperplane. "
        "The best pair is retrained on all training images and tested once. The whole "
        "is repeated with other shuffles and draws, so that the spread of a published "
        "run is known. Kernel values are in float64: in float32 those below e⁻⁸⁷, most "
        "of them here, would be zero. Other widths are run beside the report's."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each repeat and λ, one for each repeat's test, and the optima."""
        repeats = list(range(QUICK_REPEATS if quick else REPEATS))
        points = grid(part=["validation"], repeat=repeats, lam=LAMBDAS)
        points += grid(part=["test"], repeat=repeats)
        points += grid(
            part=["width"],
            gamma=[width for width in WIDTHS if width != WIDTH],
            repeat=repeats[:WIDTH_REPEATS],
            lam=WIDTH_LAMBDAS,
        )
        if not quick:
            points += grid(part=["optimum"], repeat=[0], lam=OPTIMUM_LAMBDAS)
        return [
            Cell(
                point,
                derive_seed(seed, "repeat", point["repeat"]),
                f"γ = {point.get('gamma', WIDTH):g}",
            )
            for point in points
        ]

    def warm_up(self, context: Context) -> None:
        """Compile the walk, so that it is not timed."""
        few = few_samples(context.dataset)
        split = make_split(few.n_samples, 0)
        gram = Gram(Gaussian.from_width(WIDTH), few.X.astype(np.float64))
        validate(gram, few.y, split, 1.0, 0, True)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """Cross-validate one λ, or test the best, or look for the optimum.

        In float32 e^-88 is zero: at γ = 0.25 that is most of the values between images
        of USPS, and where all scores are zero the first digit would be the answer.
        """
        width = float(cell.params.get("gamma", WIDTH))
        gram, seconds = context.timed_gram(Gaussian.from_width(width), np.float64)
        data, y = context.dataset, np.asarray(context.dataset.y)
        split = make_split(len(y), cell.seed)

        def validated(lam: float, average: bool) -> dict[str, Any]:
            """Once for a repeat and λ, whichever cell asks first."""
            seed = derive_seed(cell.seed, "validation", lam)
            return context.shared(
                ("validated", width, seed),
                lambda: validate(gram, y, split, lam, seed, average),
            )

        average = int(cell.params["repeat"]) < AVERAGED
        if cell.params["part"] == "test":
            found = {lam: validated(lam, average) for lam in LAMBDAS}
            values = run_test(gram, y, split, found, derive_seed(cell.seed, "test"))
            values |= {
                "n_samples": data.n_samples,
                "n_official_train": None if data.train is None else len(data.train),
                "n_official_test": None if data.test is None else len(data.test),
                "official counts": _counts(y, data.train),
            }
            return Outcome(values, seconds, values["shown"].tolist())
        lam = float(cell.params["lam"])
        if cell.params["part"] == "optimum":
            stops = [step for step in LONG if step <= 11 * len(split[0])]
            seed = derive_seed(cell.seed, "optimum", lam)
            return run_optimum(gram, y, split, lam, stops, seed)
        average &= cell.params["part"] == "validation"
        return Outcome(validated(lam, average), seconds)

    def describe(self, row: Row) -> str:
        """What was done, and how well it went."""
        if row.params["part"] == "test":
            return f"test: {100 * row.values['test accuracy']:.2f} % right"
        accuracy = row.get(f"validation at {max(STEPS)}")
        words = f"λ {row.params['lam']:g}"
        return words if accuracy is None else f"{words}: {100 * accuracy:.2f} % right"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Accuracies, what λ does, the test, class by class, and the optimum."""
        return tell_story(rows, facts, self.published_on(facts))


def _counts(y: NDArray, rows: NDArray[np.intp] | None) -> list[int]:
    """Samples of each class among the rows that the data set calls training."""
    labels = y if rows is None else y[rows]
    return [int(np.sum(labels == label)) for label in np.unique(y)]
