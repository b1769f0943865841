"""What the rows say to the questions that the report leaves open."""

from collections.abc import Sequence

import numpy as np

from mercer.studies.published.digit_classifiers.settings import (
    EPOCHS,
    RATES,
    TRIED_EPOCHS,
)
from mercer.studies.row import Row, Spread, numbers, select, spread_of
from mercer.studies.story import Block, Column, Field, Lines, Series, Table

_STARTS = {"zero": "zero", "elsewhere": "ten images with random signs"}
_WORK = {
    "perceptron updates": "perceptron: updates in 20 epochs",
    "svm updates": "SVM: steps of the solver",
    "svm support": "SVM: support vectors",
}
_CLOCK = {"perceptron": "perceptron", "knn": "nearest neighbours", "svm": "SVM"}


def _with_and_without(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Runs that chose their epochs, and the same runs with 20 of them."""
    chosen = select(rows, procedure="chosen epochs")
    runs = {row.params["run"] for row in chosen}
    fixed = select(rows, procedure="cross-validating", configuration="poly-ovr")
    return chosen, [row for row in fixed if row.params["run"] in runs]


def say_epochs(rows: Sequence[Row]) -> list[str]:
    """Whether choosing the epochs helps, run by run on the same splits."""
    chosen, fixed = _with_and_without(rows)
    ours, theirs = numbers(chosen, "test"), numbers(fixed, "test")
    if not ours or len(ours) != len(theirs):
        return []
    gain = Spread.of([100 * (a - b) for a, b in zip(ours, theirs)])
    return [
        f"Choosing the number of epochs by cross-validation as well takes "
        f"{spread_of(chosen, 'chosen epochs')} of them and changes the test error of "
        f"configuration 1 by {gain} points against {EPOCHS} epochs, on the same "
        f"{len(ours)} splits."
    ]


def epoch_choice(rows: Sequence[Row]) -> list[Block]:
    """The epochs that were chosen, beside those that were fixed."""
    chosen, fixed = _with_and_without(rows)
    if not chosen:
        return []
    entries: list[list[Field]] = [
        [words, spread_of(part, "test", 100), spread_of(part, "chosen"), epochs]
        for words, part, epochs in (
            (f"{EPOCHS} epochs", fixed, EPOCHS),
            ("epochs chosen too", chosen, spread_of(chosen, "chosen epochs")),
        )
        if part
    ]
    columns = [
        Column("what"),
        Column("test error", "%", 3, best="low"),
        Column("d*"),
        Column("epochs"),
    ]
    caption = (
        "Configuration 1, cross-validating procedure on the same splits. Epochs to "
        f"choose from: {', '.join(map(str, TRIED_EPOCHS))}, with d = 3, 4 and 5."
    )
    title = "Epochs by cross-validation"
    return [*say_epochs(rows), Table("epochs", title, columns, entries, caption)]


def say_rates(rows: Sequence[Row]) -> list[str]:
    """What a learning rate does."""
    found = select(rows, procedure="learning rates")
    if not found:
        return []
    counts = {
        start: {found[0].values[f"updates from {start} at {rate:g}"] for rate in RATES}
        for start in _STARTS
    }
    alike = "same" if len(counts["zero"]) == 1 else "not the same"
    return [
        f"From a zero start the learning rate changes nothing: every score is the rate "
        f"times the same sum, its sign is the same, and so is every mistake. A walk "
        f"with rates {', '.join(f'{rate:g}' for rate in RATES)} makes the {alike} "
        f"updates. From any other start it sets how much that start counts: "
        f"{min(counts['elsewhere'])} to {max(counts['elsewhere'])} updates."
    ]


def rate_table(rows: Sequence[Row]) -> list[Block]:
    """Updates and test errors by rate and start."""
    found = select(rows, procedure="learning rates")
    if not found:
        return []
    values = found[0].values
    entries: list[list[Field]] = [
        [
            words,
            f"{rate:g}",
            int(values[f"updates from {start} at {rate:g}"]),
            100 * float(values[f"test from {start} at {rate:g}"]),
        ]
        for start, words in _STARTS.items()
        for rate in RATES
    ]
    columns = [
        Column("start"),
        Column("learning rate"),
        Column("updates"),
        Column("test error", "%", 3),
    ]
    caption = f"Polynomial perceptron, d = 4, one-vs-rest, {EPOCHS} epochs, on a tenth."
    title = "Updates by the learning rate"
    return [*say_rates(rows), Table("rates", title, columns, entries, caption)]


def _sizes(rows: Sequence[Row]) -> list[int]:
    found = select(rows, procedure="growth")
    return list(found[0].values["sizes"]) if found else []


def _exponent(rows: Sequence[Row], name: str) -> float | None:
    """The slope of a quantity against the number of samples, both as logarithms."""
    found = [(n, numbers(rows, f"{name} {n}")) for n in _sizes(rows)]
    pairs = [(n, values[0]) for n, values in found if values and values[0] > 0]
    if len(pairs) < 2:
        return None
    x, y = np.log(np.array(pairs, float)).T
    return float(np.polyfit(x, y, 1)[0])


def say_growth(rows: Sequence[Row]) -> list[str]:
    """How the work of training grows, and what that says of the bounds."""
    growth = select(rows, procedure="growth")
    found = {name: _exponent(growth, name) for name in _WORK}
    if None in found.values():
        return []
    updates, steps, support = found.values()
    return [
        f"The perceptron's updates grow as n^{updates:.2f}, and each costs n: "
        f"n^{1 + (updates or 0):.2f} in all, as samples that are right cost nothing. "
        f"The SVM's steps grow as n^{steps:.2f}, n^{1 + (steps or 0):.2f} with the row "
        "that each of them needs, and not n³: a solver that keeps to violating pairs "
        "never looks at the whole quadratic program. What is left of order n² is the "
        f"kernel matrix, for both. Support vectors grow as n^{support:.2f}, so that a "
        "prediction of the SVM gets cheaper relative to nearest neighbours, which "
        "compare with all n. These cost nothing to train: which one is fastest depends "
        "on whether training or predicting is counted."
    ]


def growth_blocks(rows: Sequence[Row]) -> list[Block]:
    """Work and seconds against the number of training samples."""
    growth, sizes = select(rows, procedure="growth"), _sizes(rows)
    if not sizes:
        return []
    entries: list[list[Field]] = [
        [
            words,
            *(next(iter(numbers(growth, f"{name} {n}")), None) for n in sizes),
            _exponent(growth, name),
        ]
        for name, words in _WORK.items()
    ]
    columns = [
        Column("work"),
        *(Column(f"n = {n}", digits=0) for n in sizes),
        Column("grows as n to the", digits=2),
    ]
    caption = "One split; counted, so that no clock is asked."
    lines = Lines(
        "Seconds against the number of training samples",
        "training samples n",
        "seconds",
        [
            Series(
                f"{words}, {does}",
                [float(n) for n in sizes],
                [numbers(growth, f"{name} {does} {n}")[0] for n in sizes],
            )
            for name, words in _CLOCK.items()
            for does in ("fit", "predict")
        ],
        "Fit: 20 epochs, or one C. Predict: all test samples.",
        log_x=True,
        log_y=True,
    )
    table = Table("growth", "Work by the number of samples", columns, entries, caption)
    return [*say_growth(rows), table, lines]
