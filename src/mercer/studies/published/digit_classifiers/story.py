"""What the rows of `digit-classifiers` say."""

from collections.abc import Mapping, Sequence

from mercer.studies import Row, group_by, select, spread_of
from mercer.studies.plain import Plain
from mercer.studies.published.digit_classifiers.answers import (
    epoch_choice,
    growth_blocks,
    rate_table,
    say_epochs,
    say_growth,
    say_rates,
)
from mercer.studies.published.digit_classifiers.configurations import (
    choice_blocks,
    seconds_blocks,
    title_of,
    value_blocks,
)
from mercer.studies.published.digit_classifiers.extras import (
    coarse_table,
    epoch_lines,
    pair_table,
)
from mercer.studies.published.digit_classifiers.hard import (
    confusion_block,
    confusion_table,
    hard_for_all,
    hardest_block,
)
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Section, Story


def tell_story(
    rows: Sequence[Row],
    facts: Mapping[str, Plain],
    published: Sequence[PublishedNumber],
) -> Story:
    """A summary, the report's tables and figures, and what goes beyond it."""
    both = Beside(rows, published)
    basic = _by_configuration(rows, "basic")
    tested = _by_configuration(rows, "cross-validating")
    names = [str(name) for name in facts.get("class_counts", {})]
    hard = hard_for_all(tested, names)
    answers = [*say_epochs(rows), *say_rates(rows), *say_growth(rows)]
    sections = [
        Section("Tested after cross-validation", choice_blocks(both, tested)),
        *(Section(title_of(name), value_blocks(both, name)) for name in basic),
        Section("Searching for the Gaussian's width", coarse_table(both)),
        Section("Why 20 epochs", [*epoch_lines(both), *epoch_choice(rows)]),
        Section("A learning rate", rate_table(rows)),
        Section("One-vs-one at d = 1", pair_table(both)),
        Section(
            "What is taken for what",
            [
                *confusion_table(both, names),
                *(confusion_block(name, part, names) for name, part in tested.items()),
            ],
        ),
        Section(
            "The hardest images",
            [
                *hard,
                *(hardest_block(name, part, names) for name, part in tested.items()),
            ],
        ),
        Section("How the work grows", growth_blocks(rows)),
        Section("Seconds", seconds_blocks(both)),
    ]
    order = _summary(tested, rows)
    summary = [*order, *(b for b in hard if isinstance(b, str))]
    total = sum(row.seconds for row in rows)
    summary.append(f"All of it took {total:.0f} seconds of work on this machine.")
    shown = [section for section in sections if section.blocks]
    return Story(summary, shown, [*order, *answers] if tested else answers)


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
