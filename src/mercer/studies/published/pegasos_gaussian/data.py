"""The report's figures 2 and 3: its images by digit, and how they are divided."""

from mercer.studies import Row
from mercer.studies.published.pegasos_gaussian.cells import N_FOLDS
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Bars, Strips


def count_bars(row: Row, both: Beside) -> Bars:
    """Images of each digit in the training set that the data come with."""
    counts = [float(count) for count in row.values["official counts"]]
    level = sum(counts) / len(counts)
    official = row.values["n_official_train"] is not None
    whose = "images that the data set calls training" if official else "images"
    return Bars(
        "Images of each digit",
        "digit",
        "training images",
        [str(digit) for digit in range(len(counts))],
        [("counted", counts), ("all alike", [level] * len(counts))],
        f"The {sum(counts):.0f} {whose}: from "
        f"{min(counts):.0f} to {max(counts):.0f} of a digit, where {level:.0f} each "
        "would be balanced. The most frequent digit comes "
        f"{max(counts) / min(counts):.1f} times as often as the rarest."
        + both.remark(" Figure 2 of the report, which calls that balanced."),
    )


def fold_strips(row: Row, both: Beside) -> Strips:
    """Which images are trained on, validated on and tested on."""
    n_train = sum(row.values["class counts"])
    n_test = int(row.values["n_samples"]) - n_train
    fold = n_train / N_FOLDS
    strips = [
        (
            f"fold {k + 1}",
            [
                *(
                    ("validation" if k == j else "training", fold)
                    for j in range(N_FOLDS)
                ),
                ("not looked at", n_test),
            ],
        )
        for k in range(N_FOLDS)
    ]
    strips.append(("the test", [("training", n_train), ("test", n_test)]))
    return Strips(
        "Five folds, and the test",
        "images",
        strips,
        "All images are shuffled first; a fifth is set aside until λ and T are chosen."
        + both.remark(" Figure 3 of the report."),
    )
