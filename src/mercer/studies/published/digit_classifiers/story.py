"""What the rows of `digit-classifiers` say."""

from collections.abc import Mapping, Sequence
from statistics import median

from mercer.studies import Row, group_by, numbers, select, spread_of
from mercer.studies.plain import Plain
from mercer.studies.published.digit_classifiers.extras import (
    coarse_table,
    epoch_lines,
    pair_table,
)
from mercer.studies.published.digit_classifiers.hard import (
    confusion_block,
    hard_for_all,
    hardest_block,
)
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS, key
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.story import (
    Block,
    Column,
    Entry,
    Lines,
    Section,
    Series,
    Story,
    Table,
)

_PUBLISHED_SECONDS = {"poly-ovr": 4.528, "knn": 2.4416, "svm": 5.9096}


def tell_story(
    rows: Sequence[Row],
    facts: Mapping[str, Plain],
    published: Sequence[PublishedNumber],
) -> Story:
    """A summary, the report's tables and figures, and what goes beyond it."""
    basic = _by_configuration(rows, "basic")
    tested = _by_configuration(rows, "cross-validating")
    if facts.get("name") != "zipcombo":
        published = ()
    names = [str(name) for name in facts.get("class_counts", {})]
    hard = hard_for_all(tested, names)
    sections = [
        Section("Tested after cross-validation", _choice_blocks(tested)),
        *(
            Section(_title(name), _value_blocks(name, part, published))
            for name, part in basic.items()
        ),
        Section("Searching for the Gaussian's width", coarse_table(rows)),
        Section("Why 20 epochs", epoch_lines(rows)),
        Section("One-vs-one at d = 1", pair_table(rows)),
        Section(
            "What is taken for what",
            [confusion_block(name, part, names) for name, part in tested.items()],
        ),
        Section(
            "The hardest images",
            [
                *hard,
                *(hardest_block(name, part, names) for name, part in tested.items()),
            ],
        ),
        Section("Seconds", _seconds_blocks(rows, basic)),
    ]
    summary = [*_summary(tested, rows), *(b for b in hard if isinstance(b, str))]
    total = sum(row.seconds for row in rows)
    summary.append(f"All of it took {total:.0f} seconds of work on this machine.")
    return Story(summary, [section for section in sections if section.blocks])


def _by_configuration(rows: Sequence[Row], procedure: str) -> dict[str, list[Row]]:
    found = group_by(select(rows, procedure=procedure), "configuration")
    return {name: found[name] for name in CONFIGURATIONS if name in found}


def _summary(tested: Mapping[str, Sequence[Row]], rows: Sequence[Row]) -> list[str]:
    spreads = {name: spread_of(part, "test", 100) for name, part in tested.items()}
    errors = {name: spread for name, spread in spreads.items() if spread is not None}
    if not errors:
        return [f"{len(rows)} cells are done; no configuration is tested yet."]
    order = sorted(errors, key=lambda name: errors[name].mean)
    listed = ", ".join(
        f"{CONFIGURATIONS[name].name} {errors[name].mean:.2f} %" for name in order
    )
    best = errors[order[0]]
    return [
        f"{CONFIGURATIONS[order[0]].name} makes the fewest mistakes when the "
        f"hyper-parameter is chosen by cross-validation: {best} % of the test samples "
        f"wrong, over {best.n} runs.",
        f"In order: {listed}.",
    ]


def _choice_blocks(tested: Mapping[str, Sequence[Row]]) -> list[Block]:
    if not tested:
        return []
    entries: list[list[Entry]] = [
        [
            CONFIGURATIONS[name].number,
            CONFIGURATIONS[name].name,
            spread_of(part, "test", 100),
            CONFIGURATIONS[name].symbol + "*",
            spread_of(part, "chosen"),
            median(numbers(part, "search")),
        ]
        for name, part in tested.items()
    ]
    columns = [
        Column("configuration"),
        Column("learner"),
        Column("test error", "%", 3, best="low"),
        Column("parameter"),
        Column("chosen"),
        Column("search", "s"),
    ]
    caption = (
        "Cross-validating procedure: mean ± standard deviation over the runs. Table 7 "
        "of the report, and the lists of its sections 1.6.2 and 1.6.3. Search: the "
        "median seconds of one run, all folds and values and the test."
    )
    return [Table("chosen", "After cross-validation", columns, entries, caption)]


def _value_blocks(
    name: str, rows: Sequence[Row], published: Sequence[PublishedNumber]
) -> list[Block]:
    setting = CONFIGURATIONS[name]
    train = [spread_of(rows, f"train {key(v)}", 100) for v in setting.values]
    test = [spread_of(rows, f"test {key(v)}", 100) for v in setting.values]
    columns = [
        Column(setting.symbol),
        Column("training error", "%", 3),
        Column("test error", "%", 3, best="low"),
    ]
    entries: list[list[Entry]] = [
        [key(v), a, b] for v, a, b in zip(setting.values, train, test)
    ]
    x = _on_axis(name)
    series = [
        Series.of_spreads("test error", x, test),
        Series.of_spreads("training error", x, train),
        *([_published(name, published)] if published else []),
    ]
    log = name in ("knn", "svm")
    label = "1000·c" if name == "gauss-ovr" else setting.symbol
    caption = "Basic procedure: mean ± standard deviation over the runs."
    return [
        Table(name, _title(name), columns, entries, caption),
        Lines(_title(name), label, "error, %", series, caption, log_x=log),
    ]


def _published(name: str, published: Sequence[PublishedNumber]) -> Series:
    """The published test errors of a configuration."""
    where = {"procedure": "basic", "configuration": name}
    printed = {number.measure: number for number in published if number.where == where}
    found = [printed[f"test {key(value)}"] for value in CONFIGURATIONS[name].values]
    means, stds = [float(n.value) for n in found], [float(n.std) for n in found]
    return Series("test error", _on_axis(name), means, stds, published=True)


def _on_axis(name: str) -> list[float]:
    """The values, in thousandths where they are that small."""
    factor = 1000 if name == "gauss-ovr" else 1
    return [factor * value for value in CONFIGURATIONS[name].values]


def _seconds_blocks(
    rows: Sequence[Row], basic: Mapping[str, Sequence[Row]]
) -> list[Block]:
    epochs = numbers(select(rows, procedure="epochs"), "per epoch")
    entries: list[list[Entry]] = []
    if epochs:
        seconds = median(epochs)
        entries.append(
            ["perceptron, one epoch", seconds, _PUBLISHED_SECONDS["poly-ovr"]]
        )
    for name in ("knn", "svm"):
        if name in basic:
            seconds = median(numbers(basic[name], "per value"))
            words = f"{CONFIGURATIONS[name].name}, one value"
            entries.append([words, seconds, _PUBLISHED_SECONDS[name]])
    columns = [Column("what"), Column("ours", "s"), Column("published", "s")]
    caption = (
        "Medians. The published seconds are called seconds per epoch and were measured "
        "on another machine. Ours: with the Gram of the run; the list of neighbours is "
        "made once for all runs and not counted in."
    )
    return [Table("seconds", "Seconds", columns, entries, caption)] if entries else []


def _title(name: str) -> str:
    setting = CONFIGURATIONS[name]
    return f"Configuration {setting.number}: {setting.name}"
