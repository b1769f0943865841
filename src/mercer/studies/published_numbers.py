"""Published numbers: what a report printed, and which of our rows it is about.

A ``published.toml`` has a ``source``, a list of ``numbers`` with the attributes of
`PublishedNumber`, and a list of ``readings``: where a text can be read in two ways, the
numbers are judged by the first, and those whose ``where`` has all of ``instead_of`` are
also looked up with ``where`` in its place, and judged beside it. docs/studies.md has an
example.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mercer.exceptions import DataError
from mercer.studies.plain import Plain
from mercer.studies.row import Row, numbers, select

RULES = ("exact", "mean", "single", "none")


@dataclass(frozen=True)
class PublishedNumber:
    """One printed number.

    Attributes
    ----------
    table, row, quantity : str
        Where it is printed, and what it is.
    value : str
        As printed.
    rule : {"exact", "mean", "single", "none"}
        How to judge ours by it, as `judge` says.
    std : str
        As printed; empty where there is none.
    runs : int or None
        How many runs the mean is of.
    where : mapping
        Parameters (or values) of the rows that it is about.
    measure : str
        Which of their values it is, times `scale`.
    data : str
        The data set that it was measured on; empty: any.
    source, note : str
        The publication, and what else there is to say.
    reading : str
        Another way to read the publication, by which it is looked up here; empty: the
        first one, by which it is judged.
    others : sequence of PublishedNumber
        The same number by other readings.
    """

    table: str
    row: str
    quantity: str
    value: str
    rule: str
    measure: str = ""
    where: Mapping[str, Plain] = field(default_factory=dict)
    std: str = ""
    runs: int | None = None
    scale: float = 1.0
    data: str = ""
    source: str = ""
    note: str = ""
    reading: str = ""
    others: Sequence[PublishedNumber] = ()

    def ours(self, rows: Sequence[Row]) -> list[float]:
        """What our rows say, a number for each run."""
        if not self.measure:
            return []
        found = numbers(select(rows, **self.where), self.measure)
        return [self.scale * value for value in found]

    def memory(self, rows: Sequence[Row]) -> int | None:
        """The most bytes held while what it is about was timed; None for no time."""
        timed = [r for r in select(rows, **self.where) if self.measure in r.timing]
        return max((r.memory for r in timed if r.memory is not None), default=None)


def read_published(path: Path) -> list[PublishedNumber]:
    """Read and check a ``published.toml``."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        source = str(content.get("source", ""))
        readings = [_Reading(**entry) for entry in content.get("readings", [])]
        return [_number(e, source, readings) for e in content.get("numbers", [])]
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}") from None


@dataclass(frozen=True)
class _Reading:
    name: str
    instead_of: Mapping[str, Plain]
    where: Mapping[str, Plain]

    def of(self, number: PublishedNumber) -> list[PublishedNumber]:
        """The number by this reading, where it is one of those that it changes."""
        # what cannot be judged by one reading is not by another
        if number.rule == "none" or not self.instead_of.items() <= number.where.items():
            return []
        where = {**number.where, **self.where}
        return [replace(number, where=where, reading=self.name)]


def _number(
    entry: dict[str, Any], source: str, readings: Sequence[_Reading]
) -> PublishedNumber:
    entry = {"source": source, **entry}
    for name in ("value", "std"):
        if name in entry:
            entry[name] = str(entry[name])
            float(entry[name])
    number = PublishedNumber(**entry)
    if number.rule not in RULES:
        raise ValueError(
            f"{number.table}, {number.row}: the rule is {number.rule!r}; it must be "
            f"one of {', '.join(RULES)}."
        )
    others = tuple(other for reading in readings for other in reading.of(number))
    return replace(number, others=others)
