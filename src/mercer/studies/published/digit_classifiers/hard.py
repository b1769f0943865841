"""Who is taken for whom, and the images that are most often wrong."""

from collections.abc import Iterable, Mapping, Sequence

from mercer.metrics import HardSample
from mercer.studies.mistakes import as_shown, hardest
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS
from mercer.studies.row import Row
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Block, Column, Confusion, Field, Images, Table

_SHOWN, _SHOWN_FOR_ALL = 5, 20
#: A sample is hard for a learner that gets it wrong in this share of its tests.
_HARD = 0.5


def confusion_block(name: str, rows: Sequence[Row], names: Sequence[str]) -> Confusion:
    """The confusion of one configuration over its runs."""
    return Confusion(
        f"{CONFIGURATIONS[name].name}, who is taken for whom",
        names,
        [row.values["confusion"] for row in rows],
        "Cross-validating procedure: a row is the true digit, a cell the share of it "
        "that was taken for the digit of the column, mean ± standard deviation over "
        "the runs.",
    )


def confusion_table(both: Beside, names: Sequence[str]) -> list[Block]:
    """Ours and the published shares of the first configuration, cell by cell."""
    where = {"procedure": "cross-validating", "configuration": "poly-ovr"}

    def cell(i: int, j: int) -> str:
        ours, theirs = both.both(f"confusion {i} {j}", 1, **where)
        if ours is None or i == j:
            return ""
        printed = "?" if theirs is None else f"{theirs:.2f}"
        return f"{100 * ours.mean:.2f} / {printed}"

    if not any(n.measure.startswith("confusion") for n in both.published):
        return []
    places = range(len(names))
    entries: list[list[Field]] = [
        [names[i], *(cell(i, j) for j in places)] for i in places
    ]
    return [
        Table(
            "confusion",
            "Shares taken for another digit, ours / published, %",
            [Column("digit, taken for"), *(Column(str(name)) for name in names)],
            entries,
            "Configuration 1, mean over the runs. Some cells cannot be read in the "
            "report's text at hand: these have a question mark.",
        )
    ]


def hardest_block(name: str, rows: Sequence[Row], names: Sequence[str]) -> Images:
    """The five samples that the best models got wrong most often."""
    return Images(
        f"{CONFIGURATIONS[name].name}: wrong most often",
        rows[0].data,
        [as_shown(sample, names) for sample in hardest(rows, _SHOWN, "count")],
        "By how often they were wrong; a sample is tested only in "
        "the runs that did not train on it.",
    )


def hard_for_all(
    tested: Mapping[str, Sequence[Row]], names: Sequence[str]
) -> list[Block]:
    """Samples that every configuration gets wrong more often than right."""
    if len(tested) < 2:
        return []
    found = [hardest(rows, rank="count") for rows in tested.values()]
    common = set.intersection(
        *(_indices(s for s in samples if s.error_rate > _HARD) for samples in found)
    )
    all_rows = [row for rows in tested.values() for row in rows]
    hard = [sample for sample in hardest(all_rows) if sample.index in common]
    always = [sample for sample in hard if sample.error_rate == 1]
    agreed = [sample for sample in always if len(sample.taken_for) == 1]
    counts = ", ".join(
        str(len(_indices(samples[:_SHOWN]) & common)) for samples in found
    )
    text = (
        f"{len(common)} samples are hard for every learner: wrong in more than half of "
        f"their tests by each. {len(always)} of them were never once right, and "
        f"{len(agreed)} of these were always taken for the same other digit, which is "
        f"what a wrong label looks like. Of the five hardest of configurations 1 to 5, "
        f"{counts} are among the samples hard for all."
    )
    images = Images(
        "Hard for every learner",
        all_rows[0].data,
        [as_shown(sample, names) for sample in hard[:_SHOWN_FOR_ALL]],
        "All configurations together, the most often wrong first.",
    )
    return [text, images] if hard else [text]


def _indices(samples: Iterable[HardSample]) -> set[int]:
    return {sample.index for sample in samples}
