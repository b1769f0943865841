"""`records`: how few images an SVM mistakes, on protocols that are never mixed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from mercer.datasets import Dataset
from mercer.estimators import VirtualSVC
from mercer.exceptions import ParameterError
from mercer.studies.cell import Cell, Outcome, grid
from mercer.studies.context import Context
from mercer.studies.data import few_samples
from mercer.studies.plain import Plain, derive_seed
from mercer.studies.records.lines import LINES, Trial, maps_for
from mercer.studies.records.protocol import (
    Views,
    class_numbers,
    make_split,
    n_splits,
    tries_one_vs_rest,
)
from mercer.studies.records.story import tell_story
from mercer.studies.row import Row
from mercer.studies.story import Story
from mercer.studies.study import Study


class Records(Study):
    """Plain, deslanted, and with virtual support vectors."""

    name = "records"
    version = 2
    title = "Records: SVMs on images, and virtual support vectors"
    question = (
        "How few images does an SVM mistake, and how many of its mistakes go away when "
        "it is told that moved images show the same?"
    )
    default_data = ("usps", "zipcombo", "mnist")
    optional_data = ("fashion-mnist",)
    fallback_data = "digits"
    protocol = (
        "A data set is a protocol: usps (7291 images to learn, 2007 to test), zipcombo "
        "(the same images pooled, 20 random splits, a fifth of each class to test), "
        "mnist and fashion-mnist (60000 and 10000); others by their official split, or "
        "as zipcombo. Three lines each: an SVM with a Gaussian kernel; the same on "
        "deslanted images; and VirtualSVC, which learns its support vectors again "
        "together with moved copies. Settings are chosen on training images alone, in "
        "three folds of usps; elsewhere some are learned from (15000 at most) and "
        "others (half at most, 20000 at most) are validated with. What was tried is "
        "shown. The best setting is then "
        "learned from all training images, and tested. The README says what was "
        "changed after errors of earlier runs were seen."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each line and split; a split's lines share its images."""
        if dataset is None:
            raise ParameterError("The study records needs data; name some with --data.")
        class_numbers(dataset)
        splits = range(n_splits(dataset, quick))
        return [
            Cell(
                point,
                derive_seed(seed, "split", point["split"]),
                f"split {point['split']}",
            )
            for point in grid(split=splits, line=LINES, quick=[quick])
        ]

    def warm_up(self, context: Context) -> None:
        """Compile on a few images."""
        few = few_samples(context.dataset)
        model = VirtualSVC(image_shape=few.image_shape)
        model.fit(few.X, few.y).predict(few.X)

    def run(self, cell: Cell, context: Context) -> Outcome:
        """Tune, fit and test one line on one split."""
        line, quick = str(cell.params["line"]), bool(cell.params["quick"])
        trial = context.shared(
            "trial", lambda: _make_trial(context.dataset, cell.seed, quick)
        )
        begin = time.perf_counter()
        tried = trial.tune(line)
        return trial.run(tried, time.perf_counter() - begin)

    def describe(self, row: Row) -> str:
        """The line and its test error."""
        return f"{row.params['line']}: {100 * row.values['error']:.2f} % wrong"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """The three lines, whether they differ, and what was tried."""
        return tell_story(rows, facts)


def _make_trial(dataset: Dataset, seed: int, quick: bool) -> Trial:
    split = make_split(dataset, seed, quick)
    views = Views(dataset, split)
    assert dataset.image_shape is not None  # Views says so
    shape, maps = dataset.image_shape, maps_for(dataset.name)
    rest = tries_one_vs_rest(dataset)
    return Trial(views, class_numbers(dataset), split, shape, maps, rest)
