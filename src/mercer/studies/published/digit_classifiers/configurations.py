"""Tables and figures of the five configurations, published numbers beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Literal

from mercer.studies import Row, numbers, select, spread_of
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS, key
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Block, Column, Field, Lines, Series, Table

_ON_LOG_AXIS = ("knn", "svm")


def choice_blocks(both: Beside, tested: Mapping[str, Sequence[Row]]) -> list[Block]:
    """What cross-validation chose, and its test errors."""
    if not tested:
        return []
    entries: list[list[Field]] = []
    for name, part in tested.items():
        setting = CONFIGURATIONS[name]
        where = {"procedure": "cross-validating", "configuration": name}
        again = select(both.rows, procedure="not trained again", configuration=name)
        entries.append(
            [
                f"{setting.number}: {setting.name}; {setting.symbol}",
                spread_of(part, "test", 100),
                both.printed("test", **where),
                spread_of(again, "test", 100),
                spread_of(part, "chosen"),
                both.printed("chosen", **where),
                median(numbers(part, "search")),
            ]
        )
    columns = [
        Column("configuration; what is chosen"),
        Column("test error", "%", 3, best="low"),
        Column("published", "%", 3, published=True),
        Column("not trained again", "%", 3),
        Column("chosen"),
        Column("chosen, published", published=True),
        Column("search", "s"),
    ]
    caption = (
        "Cross-validating procedure: mean ± standard deviation over the runs. Not "
        "trained again: the model of the last fold, which has seen 64 % of the "
        "samples, is tested. Search: the median seconds of one run, all folds and "
        "values and the test."
    ) + both.remark(" Table 7 of the report, and its sections 1.6.2 and 1.6.3.")
    return [Table("chosen", "After cross-validation", columns, entries, caption)]


def value_blocks(both: Beside, name: str) -> list[Block]:
    """Training and test error of every value, as a table and as lines."""
    setting = CONFIGURATIONS[name]
    where = {"procedure": "basic", "configuration": name}
    names = [key(value) for value in setting.values]
    sides = {
        f"{words} error": [
            (
                both.ours(f"{side} {n}", 100, **where),
                both.printed(f"{side} {n}", **where),
            )
            for n in names
        ]
        for side, words in (("test", "test"), ("train", "training"))
    }
    x = [1000 * v if name == "gauss-ovr" else v for v in setting.values]
    columns, series, printed = [Column(setting.symbol)], [], []
    for words, pairs in sides.items():
        best: Literal["low"] | None = "low" if words == "test error" else None
        columns += [
            Column(words, "%", 3, best),
            Column(f"{words}, published", "%", 3, published=True),
        ]
        series.append(Series.of_spreads(words, x, [own for own, _ in pairs]))
        if any(theirs for _, theirs in pairs):
            line = Series.of_spreads(words, x, [theirs for _, theirs in pairs])
            printed.append(replace(line, published=True))
    entries: list[list[Field]] = [
        [n, *(entry for pair in row for entry in pair)]
        for n, row in zip(names, zip(*sides.values()))
    ]
    caption = "Basic procedure: mean ± standard deviation over the runs."
    axis = "1000·c" if name == "gauss-ovr" else setting.symbol
    log = name in _ON_LOG_AXIS
    title = title_of(name)
    return [
        Table(name, title, columns, entries, caption),
        Lines(title, axis, "error, %", [*series, *printed], caption, log_x=log),
    ]


def seconds_blocks(both: Beside) -> list[Block]:
    """Seconds of the three kinds of learners."""
    asked = {
        "perceptron, one epoch": ("per epoch", {"procedure": "epochs"}),
        **{
            f"{CONFIGURATIONS[name].name}, one value": (
                "per value",
                {"procedure": "basic", "configuration": name},
            )
            for name in ("knn", "svm")
        },
    }
    entries: list[list[Field]] = [
        [words, median(found), both.theirs(measure, 1, **where)]
        for words, (measure, where) in asked.items()
        if (found := numbers(select(both.rows, **where), measure))
    ]
    columns = [
        Column("what"),
        Column("ours", "s"),
        Column("published", "s", published=True),
    ]
    caption = (
        "Medians. Ours: with the Gram of the run; the list of neighbours is made once "
        "for all runs and not counted in."
    )
    return [Table("seconds", "Seconds", columns, entries, caption)] if entries else []


def title_of(name: str) -> str:
    """A configuration as headings name it."""
    setting = CONFIGURATIONS[name]
    return f"Configuration {setting.number}: {setting.name}"
