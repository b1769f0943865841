"""Which classes are mixed up, and which samples nobody gets right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mercer.studies.compare.learners import learner_name
from mercer.studies.mistakes import unpack
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.story import Block, Column, Confusion, HardSample, Images, Table

_MOST_PAIRS = 8
_MOST_SAMPLES = 12


def class_names(facts: Mapping[str, Plain]) -> list[str]:
    """What the classes are called, in the order of their numbers.

    >>> class_names({"class_counts": {"0": 5, "1": 6}, "target_names": ["no", "yes"]})
    ['no', 'yes']
    """
    return [str(n) for n in facts.get("target_names") or facts.get("class_counts", {})]


def confusion_blocks(rows: Sequence[Row], facts: Mapping[str, Plain]) -> list[Block]:
    """The confusion of one learner over its repeats, and its most frequent mistakes."""
    runs = [row.values["confusion"] for row in rows if row.get("confusion")]
    if not runs:
        return []
    names = class_names(facts)
    learner = learner_name(str(rows[0].params["learner"]))
    heat = Confusion(
        f"{learner}, who is taken for whom",
        names,
        runs,
        f"{learner} on the test samples: a row is the true class, a cell the share of "
        "it that was taken for the class of the column.",
    )
    pairs = Counter(
        {
            (names[i], names[j]): sum(run[i][j] for run in runs)
            for i in range(len(names))
            for j in range(len(names))
            if i != j
        }
    )
    tested = [sum(sum(run[i]) for run in runs) for i in range(len(names))]
    table = Table(
        "mistakes",
        "The most frequent mistakes",
        [
            Column("true class"),
            Column("taken for"),
            Column("times"),
            Column("of the class", "%", 2),
        ],
        [
            [true, taken, count, 100 * count / max(tested[names.index(true)], 1)]
            for (true, taken), count in pairs.most_common(_MOST_PAIRS)
            if count
        ],
        f"Of {learner}, all repeats together.",
    )
    return [heat, table] if table.rows else [heat]


def hardest_block(rows: Sequence[Row], facts: Mapping[str, Plain]) -> Images:
    """The samples that the most learners and repeats got wrong."""
    names = class_names(facts)
    tested: Counter[int] = Counter()
    wrong: Counter[int] = Counter()
    labels: dict[int, int] = {}
    taken: dict[int, Counter[str]] = {}
    for row in rows:
        tested.update(unpack(row.values["tested"]).tolist())
        for sample, true, decided in row.values["wrong"]:
            wrong[sample] += 1
            labels[sample] = true
            taken.setdefault(sample, Counter())[names[decided]] += 1
    # by rate, then by how sure that rate is, then in the order of the data
    order = sorted(wrong, key=lambda s: (-wrong[s] / tested[s], -wrong[s], s))
    samples = [
        HardSample(
            sample,
            names[labels[sample]],
            wrong[sample],
            tested[sample],
            taken[sample].most_common(),
        )
        for sample in order[:_MOST_SAMPLES]
    ]
    return Images(
        "Wrong most often",
        rows[0].data,
        samples,
        "Over all learners and repeats: what each sample is, what it was taken for "
        "most often, and in how many of its tests it was mistaken. Some of these may "
        "be labelled wrong.",
    )
