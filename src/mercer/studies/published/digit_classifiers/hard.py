"""Who is taken for whom, and the images that are most often wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mercer.studies.compare.bitmap import unpack
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS
from mercer.studies.row import Row
from mercer.studies.story import Block, Confusion, Images, ShownSample

_SHOWN, _SHOWN_FOR_ALL = 5, 20
#: A sample is hard for a learner that gets it wrong in this share of its tests.
_HARD = 0.5


class _Tally:
    """How often each sample was tested, wrong, and what it was taken for."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.tested: Counter[int] = Counter()
        self.wrong: Counter[int] = Counter()
        self.label: dict[int, int] = {}
        self.taken: dict[int, Counter[int]] = {}
        for row in rows:
            self.tested.update(unpack(row.values["tested"]).tolist())
            for sample, true, decided in row.values["wrong"]:
                self.wrong[sample] += 1
                self.label[sample] = true
                self.taken.setdefault(sample, Counter())[decided] += 1

    def hard(self) -> set[int]:
        """The samples that are wrong more often than right."""
        return {s for s, n in self.wrong.items() if n > _HARD * self.tested[s]}

    def sample(self, sample: int, names: Sequence[str]) -> ShownSample:
        """A sample as the report shows it."""
        taken = [(names[c], n) for c, n in self.taken[sample].most_common()]
        label, tested = names[self.label[sample]], self.tested[sample]
        return ShownSample(sample, label, self.wrong[sample], tested, taken)


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


def hardest_block(name: str, rows: Sequence[Row], names: Sequence[str]) -> Images:
    """The five samples that the best models got wrong most often."""
    tally = _Tally(rows)
    order = _ranked(tally)
    return Images(
        f"{CONFIGURATIONS[name].name}: wrong most often",
        rows[0].data,
        [tally.sample(s, names) for s in order[:_SHOWN]],
        "By how often they were wrong, as in the report; a sample is tested only in "
        "the runs that did not train on it.",
    )


def hard_for_all(
    tested: Mapping[str, Sequence[Row]], names: Sequence[str]
) -> list[Block]:
    """Samples that every configuration gets wrong more often than right."""
    if len(tested) < 2:
        return []
    tallies = {name: _Tally(rows) for name, rows in tested.items()}
    common = set.intersection(*(tally.hard() for tally in tallies.values()))
    total = _Tally([row for rows in tested.values() for row in rows])
    order = sorted(
        common, key=lambda s: (-total.wrong[s] / total.tested[s], -total.wrong[s], s)
    )
    always = [s for s in order if total.wrong[s] == total.tested[s]]
    agreed = [s for s in always if len(total.taken[s]) == 1]
    counts = ", ".join(str(len(_top(tally) & common)) for tally in tallies.values())
    text = (
        f"{len(common)} samples are hard for every learner: wrong in more than half of "
        f"their tests by each. {len(always)} of them were never once right, and "
        f"{len(agreed)} of these were always taken for the same other digit, which is "
        f"what a wrong label looks like. Of the five hardest of configurations 1 to 5, "
        f"{counts} are among the samples hard for all."
    )
    images = Images(
        "Hard for every learner",
        next(iter(tested.values()))[0].data,
        [total.sample(s, names) for s in order[:_SHOWN_FOR_ALL]],
        "All configurations together, the most often wrong first.",
    )
    return [text, images] if order else [text]


def _top(tally: _Tally) -> set[int]:
    return set(_ranked(tally)[:_SHOWN])


def _ranked(tally: _Tally) -> list[int]:
    return sorted(tally.wrong, key=lambda s: (-tally.wrong[s], tally.tested[s], s))
