"""The report's figures, its numbers drawn in where it names them."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.perceptron_variants.minima import over_repeats
from mercer.studies.published.perceptron_variants.settings import (
    DEGREES,
    EPOCHS,
    VARIANTS,
)
from mercer.studies.row import Row, Spread
from mercer.studies.story import HardSample, Images, Lines, Series

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
    values = row.values
    samples = [
        HardSample(sample, str(true), int(true != said), 1, [(str(said), 1)])
        for sample, true, said in zip(
            values["shown"], values["true"], values["decided"]
        )
    ]
    return Images(
        "Ten random test images",
        row.data,
        samples,
        "Report's Figure 6: averaged perceptron, degree 2, five epochs.",
    )


def _over_epochs(
    rows: Sequence[Row], degree: int, variant: str, kind: str, name: str
) -> Series:
    epochs = range(1, EPOCHS + 1)
    measures = [f"{variant} {kind} after {epoch}" for epoch in epochs]
    return _line(name, epochs, [over_repeats(rows, degree, m) for m in measures])


def _over_degrees(rows: Sequence[Row], variant: str, kind: str, name: str) -> Series:
    measure = f"{variant} {kind} after {COMPARED_AFTER}"
    return _line(name, DEGREES, [over_repeats(rows, d, measure) for d in DEGREES])


def _line(name: str, xs: Sequence[int], spreads: Sequence[Spread | None]) -> Series:
    seen = [(float(x), s) for x, s in zip(xs, spreads) if s is not None]
    return Series(
        name,
        [x for x, _ in seen],
        [spread.mean for _, spread in seen],
        [spread.std or 0.0 for _, spread in seen],
    )
