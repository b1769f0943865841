"""A cell: the smallest piece of a study, and what comes out of it."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mercer.studies.plain import Plain, fingerprint, to_plain


@dataclass(frozen=True)
class Cell:
    """One point of a study's grid; it runs once, and its row is kept.

    Attributes
    ----------
    params : mapping
        What tells this cell from the others: plain values.
    seed : int
        Everything random in the cell follows from it (`derive_seed`).
    group : str
        Cells of one group are run one after the other and share what the context keeps,
        such as a Gram.
    """

    params: Mapping[str, Plain]
    seed: int
    group: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", to_plain(self.params))

    def key(self, study: str, version: int, data: str) -> str:
        """The name of the cell's row: equal for equal work only."""
        return fingerprint(study, version, data, self.params, self.seed)


@dataclass(frozen=True)
class Outcome:
    """What a cell found out.

    Attributes
    ----------
    values : mapping
        Plain values that are the same in every run of the cell.
    seconds : mapping
        What was measured on the clock, by name; differs from run to run.
    samples : sequence of int
        Rows of the data set whose images the report may want to show.
    """

    values: Mapping[str, Any]
    seconds: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[int] = ()


def grid(**axes: Sequence[Plain]) -> list[dict[str, Plain]]:
    """All combinations, the last name varying fastest.

    >>> grid(degree=[1, 2], repeat=[0, 1])[:3]
    [{'degree': 1, 'repeat': 0}, {'degree': 1, 'repeat': 1}, {'degree': 2, 'repeat': 0}]
    """
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
