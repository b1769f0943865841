"""A publication: all its numbers that are compared, as ``published.toml`` holds them.

The file has a ``source``, a list of ``numbers`` with the attributes of
`PublishedNumber`, and where they are needed

- ``readings``: where a text can be read in two ways, the numbers are judged by the
  first, and those whose ``where`` has all of ``instead_of`` are also looked up with
  ``where`` in its place, and judged beside it;
- ``growth``: which of our values count the work behind a number of a measure. How such
  numbers grow within their table is judged, which works for seconds of another machine;
- ``reasons``: the heading of the README below which a difference is explained, and the
  numbers that it is about;
- ``changes``: a sentence for each rule that was changed after numbers were seen.

docs/studies.md has an example.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mercer.exceptions import DataError
from mercer.studies.plain import Plain
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.rules import RULES


@dataclass(frozen=True)
class Publication:
    """Numbers of one publication.

    Attributes
    ----------
    source : str
        What was published.
    numbers : sequence of PublishedNumber
        As printed.
    spreads, growth : sequence of PublishedNumber
        The standard deviations printed with them, and how they grow within their table.
    changes : sequence of str
        Rules that were changed after numbers were seen.
    """

    source: str = ""
    numbers: Sequence[PublishedNumber] = ()
    spreads: Sequence[PublishedNumber] = ()
    growth: Sequence[PublishedNumber] = ()
    changes: Sequence[str] = ()

    def on(self, data: str) -> Publication:
        """What of it is about a data set: nothing, where all it names are others."""
        named = {number.data for number in self.numbers if number.data}
        other = bool(named) and data not in named
        numbers, spreads, growth = (
            [number for number in kind if number.is_about(data) and not other]
            for kind in (self.numbers, self.spreads, self.growth)
        )
        return replace(self, numbers=numbers, spreads=spreads, growth=growth)


def read_publication(path: Path) -> Publication:
    """Read and check a ``published.toml``."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        return _publication(content)
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}") from None


def _publication(content: Mapping[str, Any]) -> Publication:
    source = str(content.get("source", ""))
    readings = [_Reading(**entry) for entry in content.get("readings", [])]
    reasons = [_Reason(**entry) for entry in content.get("reasons", [])]
    work = [_Growth(**entry) for entry in content.get("growth", [])]
    plain = [_number(e, source, reasons) for e in content.get("numbers", [])]
    numbers = [_with_readings(number, readings) for number in plain]
    growth = [number for entry in work for number in entry.of(plain)]
    return Publication(
        source,
        numbers,
        [_spread(number) for number in plain if number.std and number.runs],
        [_with_readings(number, readings) for number in growth],
        [str(change) for change in content.get("changes", [])],
    )


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
        base = number.relative_to
        if base is not None:
            base = replace(base, where={**base.where, **self.where})
        return [replace(number, where=where, reading=self.name, relative_to=base)]


@dataclass(frozen=True)
class _Reason:
    """Numbers that have all of these: the table and quantity may be parts of theirs."""

    heading: str
    table: str = ""
    row: str = ""
    quantity: str = ""
    where: Mapping[str, Plain] = field(default_factory=dict)

    def explains(self, number: PublishedNumber) -> bool:
        return (
            self.table in number.table
            and self.row in number.row
            and self.quantity in number.quantity
            and self.where.items() <= number.where.items()
        )


@dataclass(frozen=True)
class _Growth:
    """For each measure of published numbers, ours that counts the work behind it."""

    work: Mapping[str, str]

    def of(self, numbers: Sequence[PublishedNumber]) -> list[PublishedNumber]:
        """Every number over the largest of its table, which rounding spares most."""
        found: list[PublishedNumber] = []
        counted = [number for number in numbers if number.measure in self.work]
        for table in dict.fromkeys(number.table for number in counted):
            part = [self._grown(n) for n in counted if n.table == table]
            largest = max(part, key=lambda number: float(number.value))
            found += [
                replace(
                    number,
                    quantity=f"{number.quantity}, over that of {largest.row}",
                    relative_to=largest,
                )
                for number in part
                if number is not largest
            ]
        return found

    def _grown(self, number: PublishedNumber) -> PublishedNumber:
        measure = self.work[number.measure]
        return replace(number, rule="growth", measure=measure, note="", scale=1.0)


def _number(
    entry: dict[str, Any], source: str, reasons: Sequence[_Reason]
) -> PublishedNumber:
    entry = {"source": source, **entry}
    for name in ("value", "std", "bound"):
        if name in entry:
            entry[name] = str(entry[name])
            float(entry[name])
    number = PublishedNumber(**entry)
    rules = (*(name for name, rule in RULES.items() if rule.written), "none")
    if number.rule not in rules:
        raise ValueError(
            f"{number.table}, {number.row}: the rule is {number.rule!r}; it must be "
            f"one of {', '.join(rules)}."
        )
    if number.rule == "certified" and not (number.bound and number.certified_by):
        raise ValueError(
            f"{number.table}, {number.row}: the rule 'certified' needs the bound that "
            "is printed beside the number, and certified_by."
        )
    why = next((reason.heading for reason in reasons if reason.explains(number)), "")
    return replace(number, why=number.why or why)


def _with_readings(
    number: PublishedNumber, readings: Sequence[_Reading]
) -> PublishedNumber:
    others = tuple(other for reading in readings for other in reading.of(number))
    return replace(number, others=others)


def _spread(number: PublishedNumber) -> PublishedNumber:
    """The printed standard deviation as a number of its own."""
    quantity = f"{number.quantity}, standard deviation"
    return replace(
        number, quantity=quantity, value=number.std, std="", rule="spread", note=""
    )
