"""`perceptron-variants`: report 002 again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import Dataset
from mercer.kernels import Gram
from mercer.studies.cell import Cell, Outcome, grid
from mercer.studies.context import Context
from mercer.studies.one_vs_rest import OneVsRest
from mercer.studies.plain import Plain, derive_seed
from mercer.studies.published.perceptron_variants.epochs import run_epochs
from mercer.studies.published.perceptron_variants.settings import (
    DEGREES,
    EPOCHS,
    OFFSET,
    OTHER_OFFSET,
    TEST_SHARE,
    features_of,
    kernel_of,
    samples_of,
)
from mercer.studies.published.perceptron_variants.story import tell_story
from mercer.studies.row import Row
from mercer.studies.story import Story
from mercer.studies.study import Study

#: Of degree 2, which the printed numbers are about, and of the other degrees.
REPEATS, FEWER_REPEATS, QUICK_REPEATS = 10, 5, 2
SHOWN = 10


class PerceptronVariants(Study):
    """Vanilla, ERM and averaged, over epochs and degrees."""

    name: ClassVar[str] = "perceptron-variants"
    title: ClassVar[str] = "Kernel perceptron: three ways to end"
    default_data: ClassVar[tuple[str, ...]] = ("mnist",)
    fallback_data: ClassVar[str] = "mnist5k"
    protocol: ClassVar[str] = (
        "MNIST's 10,000 test images, divided by 255, a constant feature 1 appended, "
        "are shuffled and split, 30 % for testing. One perceptron a digit goes through "
        "the training images in the same order in every epoch; a mistake is y·s ≤ 0. "
        "After each epoch three predictors are looked at: the last one (vanilla); of "
        "those after an update of that epoch the one with the fewest mistakes on the "
        "training images (ERM); and the average over all steps. The digit with the "
        "highest score is the answer. Repeated with other shuffles, so that the "
        "spread of a published run is known."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each degree and repeat; all degrees have a repeat's split."""
        repeats = list(range(QUICK_REPEATS if quick else REPEATS))
        points = grid(degree=DEGREES, offset=[OFFSET], repeat=repeats)
        points += grid(degree=[1, 2], offset=[OTHER_OFFSET], repeat=repeats)
        points = [p for p in points if p["degree"] == 2 or p["repeat"] < FEWER_REPEATS]
        return [
            Cell(
                point,
                derive_seed(seed, "repeat", point["repeat"]),
                f"degree {point['degree']}, offset {point['offset']}",
            )
            for point in points
        ]

    def warm_up(self, context: Context) -> None:
        """Compile the walk, so that it is not timed."""
        rows = np.linspace(0, context.dataset.n_samples - 1, 60).astype(int)
        problems = _problems(np.asarray(context.dataset.y)[rows], 0)
        run_epochs(Gram(kernel_of(2, 1.0), context.dataset.X[rows]), problems, 1)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """Ten epochs of one degree on one split."""
        rows = samples_of(context.dataset)
        degree, offset = int(cell.params["degree"]), float(cell.params["offset"])
        gram = context.shared(
            "gram",
            lambda: Gram(kernel_of(degree, offset), features_of(context.dataset)),
        )
        problems = _problems(np.asarray(context.dataset.y)[rows], cell.seed)
        values, averaged, seconds = run_epochs(gram, problems, EPOCHS)
        values |= {"n_samples": gram.n_samples, "gram MB": gram.nbytes / 1e6}
        if degree != 2 or cell.params["repeat"] != 0:
            return Outcome(values, seconds)
        values |= _sample(problems, averaged["5"], rows, cell.seed)
        return Outcome(values, seconds, values["shown"].tolist())

    def describe(self, row: Row) -> str:
        """The degree, and the errors after the last epoch."""
        errors = [
            f"{100 * row.values[f'{name} test after {EPOCHS}']:.2f}"
            for name in ("vanilla", "erm", "averaged")
        ]
        return f"degree {row.params['degree']}: {', '.join(errors)} % wrong"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Who ends best, over epochs and over degrees."""
        return tell_story(rows)


def _problems(y: NDArray, seed: int) -> OneVsRest:
    order = np.random.default_rng(seed).permutation(len(y))
    n_test = round(TEST_SHARE * len(y))
    return OneVsRest.of(y, [(order[n_test:], order[:n_test])])


def _sample(
    problems: OneVsRest, scores: NDArray, rows: NDArray[np.intp], seed: int
) -> dict[str, Any]:
    """Ten random test images and what they are taken for."""
    random = np.random.default_rng([seed, 1])
    shown = random.choice(problems.splits[0][1], SHOWN, replace=False)
    return {
        "shown": rows[shown],
        "true": problems.numbers[shown],
        "decided": scores[:, shown].argmax(axis=0),
    }
