"""The report's figures, its numbers drawn in where it names them."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.perceptron_variants.settings import (
    DEGREES,
    EPOCHS,
    VARIANTS,
    over_repeats,
)
from mercer.studies.row import Row
from mercer.studies.story import Images, Lines, Series

#: Epochs at which degrees are compared: as in the report's last figure.
COMPARED_AFTER = 5
#: (epoch, error in percent) that the report's text names, at degree 2.
NAMED = {"vanilla": ([6.0], [4.5]), "averaged": ([5.0, 8.0], [3.9, 4.0])}
_TITLES = {"test": "Test", "train": "Training"}


def vanilla_against_epochs(rows: Sequence[Row]) -> Lines:
    """Figure 2: degree 1 never settles."""
    return Lines(
        "Vanilla perceptron, degree 1, against epochs",
        "epochs",
        "error, %",
        [
            _over_epochs(rows, 1, "vanilla", "test", "test"),
            _over_epochs(rows, 1, "vanilla", "train", "training"),
        ],
        "Report's Figure 2. Bars: one standard deviation between repeats.",
    )


def vanilla_against_degree(rows: Sequence[Row]) -> Lines:
    """Figure 3."""
    return Lines(
        "Vanilla perceptron against the degree",
        "degree",
        "error, %",
        [
            _over_degrees(rows, "vanilla", "test", "test"),
            _over_degrees(rows, "vanilla", "train", "training"),
        ],
        f"Report's Figure 3, after {COMPARED_AFTER} epochs.",
    )


def three_against_epochs(rows: Sequence[Row], kind: str) -> Lines:
    """Figure 4, test or training errors."""
    series = [_over_epochs(rows, 2, v, kind, name) for v, name in VARIANTS.items()]
    if kind == "test":
        series += [
            Series(VARIANTS[v], *points, published=True) for v, points in NAMED.items()
        ]
    return Lines(
        f"{_TITLES[kind]} error against epochs, degree 2",
        "epochs",
        "error, %",
        series,
        "Report's Figure 4."
        + (" Of its lines only these points are named." if kind == "test" else ""),
    )


def three_against_degree(rows: Sequence[Row], kind: str) -> Lines:
    """Figure 5, test or training errors."""
    return Lines(
        f"{_TITLES[kind]} error against the degree",
        "degree",
        "error, %",
        [_over_degrees(rows, v, kind, name) for v, name in VARIANTS.items()],
        f"Report's Figure 5, after {COMPARED_AFTER} epochs.",
    )


def sample_images(row: Row) -> Images:
    """Figure 6: ten random test images."""
    return Images.of_answers(
        "Ten random test images",
        row,
        "Report's Figure 6: averaged perceptron, degree 2, five epochs.",
    )


def _over_epochs(
    rows: Sequence[Row], degree: int, variant: str, kind: str, name: str
) -> Series:
    epochs = range(1, EPOCHS + 1)
    measures = [f"{variant} {kind} after {epoch}" for epoch in epochs]
    spreads = [over_repeats(rows, degree, measure) for measure in measures]
    return Series.of_spreads(name, epochs, spreads)


def _over_degrees(rows: Sequence[Row], variant: str, kind: str, name: str) -> Series:
    measure = f"{variant} {kind} after {COMPARED_AFTER}"
    spreads = [over_repeats(rows, degree, measure) for degree in DEGREES]
    return Series.of_spreads(name, DEGREES, spreads)
