"""Which classes are mixed up, and which samples nobody gets right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mercer.studies.compare.learners import learner_name
from mercer.studies.mistakes import as_shown, class_names, hardest
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.story import Block, Column, Confusion, Images, Table

_MOST_PAIRS = 8
_MOST_SAMPLES = 12


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
    counts = np.sum(runs, axis=0)
    tested = np.maximum(counts.sum(axis=1), 1)
    mistakes = counts - np.diag(np.diag(counts))
    order = np.argsort(-mistakes, axis=None, kind="stable")[:_MOST_PAIRS]
    pairs = [(i, j) for i, j in zip(*np.unravel_index(order, counts.shape))]
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
            [names[i], names[j], int(counts[i, j]), 100 * counts[i, j] / tested[i]]
            for i, j in pairs
            if mistakes[i, j]
        ],
        f"Of {learner}, all repeats together.",
    )
    return [heat, table] if table.rows else [heat]


def hardest_block(rows: Sequence[Row], facts: Mapping[str, Plain]) -> Images:
    """The samples that the most learners and repeats got wrong."""
    names = class_names(facts)
    return Images(
        "Wrong most often",
        rows[0].data,
        [as_shown(sample, names) for sample in hardest(rows, _MOST_SAMPLES)],
        "Over all learners and repeats: what each sample is, what it was taken for "
        "most often, and in how many of its tests it was mistaken. Some of these may "
        "be labelled wrong.",
    )
