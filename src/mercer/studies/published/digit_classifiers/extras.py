"""Smaller questions: the coarse search, the epochs, and one-vs-one at d = 1."""

import numpy as np

from mercer.studies.published.digit_classifiers.settings import (
    COARSE_WIDTHS,
    EPOCHS,
    PAIR_READINGS,
    TENTHS,
    key,
)
from mercer.studies.row import group_by, select, spread_of
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Block, Column, Field, Lines, Series, Table


def coarse_table(both: Beside) -> list[Block]:
    """Test errors on a tenth of the data, for widths far and wide."""
    if not select(both.rows, procedure="coarse"):
        return []
    entries: list[list[Field]] = []
    for c in COARSE_WIDTHS:
        measure = f"test {key(c)}"
        ours = [
            both.ours(measure, 100, procedure="coarse", tenth=tenth) for tenth in TENTHS
        ]
        printed = both.all_theirs(measure, procedure="coarse")
        listed = ", ".join(f"{value:.3f}" for value in printed) or None
        entries.append([key(c), *ours, listed])
    columns = [
        Column("c"),
        *(Column(words, "%", 3, best="low") for words in TENTHS.values()),
        Column("published, %", published=True),
    ]
    caption = (
        "Gaussian perceptrons, one-vs-rest, on a tenth of the data, each c with splits "
        "of its own."
    ) + both.remark(
        " Tables 4 and 5 of the report, which does not say which tenth it took, and "
        "prints some c more than once."
    )
    return [Table("coarse", "Coarse search for c", columns, entries, caption)]


def epoch_lines(both: Beside) -> list[Block]:
    """Accuracy of the first configuration after every epoch."""
    degrees = group_by(select(both.rows, procedure="epochs"), "degree")
    figures: list[Block] = []
    for side, words in (("test", "Test"), ("train", "Training")):
        series = []
        for degree, part in degrees.items():
            errors = np.array([row.values[f"{side} by epoch"] for row in part])
            accuracy = 100 * (1 - errors.mean(axis=0))
            series.append(
                Series(f"d = {degree}", range(1, EPOCHS + 1), accuracy.tolist())
            )
        if series:
            caption = "Configuration 1, mean over the runs."
            caption += both.remark(" Figure 5 of the report.")
            title = f"{words} accuracy against epochs"
            figures.append(Lines(title, "epochs", "accuracy, %", series, caption))
    return figures


def pair_table(both: Beside) -> list[Block]:
    """What moves one-vs-one at d = 1."""
    found = select(both.rows, procedure="one-vs-one, d = 1")
    if not found:
        return []
    entries: list[list[Field]] = [
        [
            "new order" if reading["shuffle"] else "same order",
            "s > 0 is +1" if reading["mistake"] == "sign" else "y·s ≤ 0 is wrong",
            "the sum of scores" if reading["break_ties"] else "the first class",
            reading["epochs"],
            spread_of(found, f"train {name}", 100),
            spread_of(found, f"test {name}", 100),
        ]
        for name, reading in PAIR_READINGS.items()
    ]
    columns = [
        Column("order in each epoch"),
        Column("mistake"),
        Column("equal votes"),
        Column("epochs"),
        Column("training error", "%", 2),
        Column("test error", "%", 2, best="low"),
    ]
    where = {"procedure": "basic", "configuration": "poly-ovo"}
    printed = [both.printed(f"{side} 1", **where) for side in ("train", "test")]
    if any(printed):
        entries.append(["published", None, None, EPOCHS, *printed])
    caption = "The same splits for all. The first row is how this study does it."
    return [Table("pairs", "One-vs-one at d = 1", columns, entries, caption)]
