"""`perceptron-variants`: report 002 again, *MNIST digit classification*."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import Dataset
from mercer.studies import Cell, Context, Outcome, Row, Study, derive_seed
from mercer.studies.data import few_samples
from mercer.studies.plain import Plain
from mercer.studies.published.perceptron_variants.cells import (
    DEGREES,
    EPOCHS,
    OFFSET,
    OTHER_OFFSET,
    VARIANTS,
    features_of,
    kernel_of,
    run_split,
    samples_of,
    show_samples,
)
from mercer.studies.published.perceptron_variants.story import tell_story
from mercer.studies.story import Story

#: Of degree 2, which the printed numbers are about, and of the other degrees.
REPEATS, FEWER_REPEATS, QUICK_REPEATS = 10, 5, 2


class PerceptronVariants(Study):
    """Vanilla, ERM and averaged, over epochs and degrees."""

    name = "perceptron-variants"
    title = "Kernel perceptron: three ways to end"
    version = 2
    default_data = ("mnist",)
    fallback_data = "mnist5k"
    question = (
        "A perceptron goes on changing as long as it errs: which of its predictors is "
        "the one to keep, after how many epochs and at which degree?"
    )
    protocol = (
        "MNIST's 10,000 test images, divided by 255, a constant feature 1 appended, "
        "are shuffled and split, 30 % for testing. One perceptron per digit goes "
        "through the training images in the same order in every epoch; a mistake is "
        "y·s ≤ 0. After each epoch three predictors are looked at: the last one "
        "(vanilla); of those after an update of that epoch the one with the fewest "
        "mistakes on the training images (ERM); and the average over all steps. The "
        "digit with the highest score is the answer. Repeated with other shuffles, so "
        "that the spread of a published run is known."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each kernel and repeat; all kernels have a repeat's split."""
        return [
            Cell(
                {"degree": degree, "offset": offset, "repeat": repeat},
                derive_seed(seed, "repeat", repeat),
                f"repeat {repeat}",
            )
            for repeat in range(QUICK_REPEATS if quick else REPEATS)
            for degree, offset in _points(repeat)
        ]

    def warm_up(self, context: Context) -> None:
        """Compile the walk, so that it is not timed."""
        few = few_samples(context.dataset)
        run_split(few.X, few.y, 0, [kernel_of(2, 1.0)], epochs=1)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """Ten epochs of one kernel on one split; one run serves all of the split."""
        X, y = context.shared("samples", lambda: _samples(context.dataset))
        points = _points(int(cell.params["repeat"]))
        kernels = [kernel_of(*point) for point in points]
        found = context.shared(
            ("errors", cell.seed), lambda: run_split(X, y, cell.seed, kernels)
        )
        at = points.index((int(cell.params["degree"]), float(cell.params["offset"])))
        values: dict[str, Any] = {**found[at], "n_samples": len(y)}
        if cell.params["degree"] != 2 or cell.params["repeat"] != 0:
            return Outcome(values)
        shown, answers = show_samples(X, y, cell.seed, kernels[at])
        rows = samples_of(context.dataset)[shown].tolist()
        return Outcome({**values, **answers, "shown": rows}, samples=rows)

    def describe(self, row: Row) -> str:
        """The degree, and the errors after the last epoch."""
        errors = [
            f"{100 * row.values[f'{name} test after {EPOCHS}']:.2f}"
            for name in VARIANTS
        ]
        return f"degree {row.params['degree']}: {', '.join(errors)} % wrong"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Who ends best, over epochs and over degrees."""
        return tell_story(rows, self.published_on(facts))


def _points(repeat: int) -> list[tuple[int, float]]:
    """Degree and offset of each kernel in a repeat."""
    points = [(degree, OFFSET) for degree in DEGREES]
    points += [(degree, OTHER_OFFSET) for degree in (1, 2)]
    return [p for p in points if p[0] == 2 or repeat < FEWER_REPEATS]


def _samples(dataset: Dataset) -> tuple[Any, NDArray]:
    return features_of(dataset), np.asarray(dataset.y)[samples_of(dataset)]
