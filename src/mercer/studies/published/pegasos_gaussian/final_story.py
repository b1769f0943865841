"""The final test, class by class, and the images that were tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mercer.studies.published.pegasos_gaussian.settings import lambda_name
from mercer.studies.row import Row, Spread, numbers
from mercer.studies.story import (
    Column,
    Entry,
    HardSample,
    Images,
    Lines,
    Section,
    Series,
    Table,
)

MEASURES = {
    "test accuracy": "best pair for all, last hyperplane",
    "averaged accuracy": "best pair for all, averaged hyperplane",
    "own accuracy, scores as they are": "a pair for each digit, scores as they are",
    "own accuracy, unit length": "a pair for each digit, hyperplanes of unit length",
}


def final_sections(rows: Sequence[Row]) -> list[Section]:
    """What the report never printed, and what it asked for in its discussion."""
    if not rows:
        return []
    return [
        Section("The test", [_accuracies(rows), _chosen(rows)]),
        Section("The images", [_counts(rows[0]), _images(rows[0])]),
    ]


def gain(rows: Sequence[Row], measure: str) -> Spread | None:
    """Points gained by tuning each digit's classifier by itself, repeat by repeat."""
    return Spread.of(
        [100 * (row.values[measure] - row.values["test accuracy"]) for row in rows]
    )


def _accuracies(rows: Sequence[Row]) -> Table:
    lines: list[list[Entry]] = []
    for measure, name in MEASURES.items():
        spread = Spread.of(numbers(rows, measure))
        more = None if measure == "test accuracy" else gain(rows, measure)
        lines.append([name, None if spread is None else spread.scaled(100), more])
    return Table(
        "test",
        "Accuracy on the test images",
        [
            Column("what was retrained"),
            Column("test accuracy", "%", 2, best="high"),
            Column("gain", "points", 2),
        ],
        lines,
        "Tuned by cross-validation on the training images, retrained on all of them, "
        "tested once in each repeat. A digit's own pair is the one with which its own "
        "classifier errs least; different λ and T give scores of different scales, so "
        "the greatest of them is also taken at unit length ‖w‖ = 1.",
    )


def _chosen(rows: Sequence[Row]) -> Table:
    lines: list[list[Entry]] = [
        [
            "all",
            _counted([(r.values["best lam"], r.values["best steps"]) for r in rows]),
        ]
    ]
    for digit in range(len(rows[0].values["own pairs"])):
        pairs = [tuple(row.values["own pairs"][digit]) for row in rows]
        lines.append([str(digit), _counted(pairs)])
    return Table(
        "pairs",
        "Pairs of λ and T that were chosen",
        [Column("digit"), Column("pairs, and how many repeats chose them")],
        lines,
    )


def _counted(pairs: Sequence[tuple[float, int]]) -> str:
    return "; ".join(
        f"{lambda_name(lam)}, T = {step:.0f} ({count})"
        for (lam, step), count in Counter(pairs).most_common()
    )


def _counts(row: Row) -> Lines:
    counts = [float(count) for count in row.values["class counts"]]
    digits = [float(digit) for digit in range(len(counts))]
    level = sum(counts) / len(counts)
    return Lines(
        "Images of each digit",
        "digit",
        "training images",
        [
            Series("counted", digits, counts),
            Series("all alike", [digits[0], digits[-1]], [level, level]),
        ],
        f"From {min(counts):.0f} to {max(counts):.0f}, while {level:.0f} of each "
        "would be balanced: the report calls that balanced, and it is not.",
    )


def _images(row: Row) -> Images:
    values = row.values
    samples = [
        HardSample(sample, str(true), int(true != said), 1, [(str(said), 1)])
        for sample, true, said in zip(
            values["shown"], values["true"], values["decided"]
        )
    ]
    return Images(
        "Ten test images",
        row.data,
        samples,
        "The first ten test images of the first repeat, and what they were taken for "
        "by the best pair.",
    )
