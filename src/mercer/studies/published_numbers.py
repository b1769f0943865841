"""A published number: what a report printed, and which of our rows it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from mercer.studies.plain import Plain
from mercer.studies.row import Row, numbers, select


@dataclass(frozen=True)
class PublishedNumber:
    """One printed number.

    Attributes
    ----------
    table, row, quantity : str
        Where it is printed, and what it is.
    value : str
        As printed.
    rule : str
        How to judge ours by it: one of `mercer.studies.rules.RULES`, or "none".
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
    bound : str
        The lower bound of the optimum printed beside it, for the rule "certified".
    certified_by : mapping
        Parameters of the rows whose certificates enclose that optimum.
    source, note : str
        The publication, and what else there is to say.
    why : str
        The heading of the study's README below which a difference is explained.
    reading : str
        Another way to read the publication, by which it is looked up here; empty: the
        first one, by which it is judged.
    others : sequence of PublishedNumber
        The same number by other readings.
    relative_to : PublishedNumber or None
        What it is divided by, here and there, for the rule "growth".
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
    bound: str = ""
    certified_by: Mapping[str, Plain] = field(default_factory=dict)
    source: str = ""
    note: str = ""
    why: str = ""
    reading: str = ""
    others: Sequence[PublishedNumber] = ()
    relative_to: PublishedNumber | None = None

    def is_about(self, data: str) -> bool:
        """Whether it was measured on the data set of that name, or on any."""
        return self.data in ("", data)

    def ours(self, rows: Sequence[Row]) -> list[float]:
        """What our rows say, a number for each run."""
        if not self.measure:
            return []
        found = numbers(select(rows, **self.where), self.measure)
        if self.relative_to is None:
            return [self.scale * value for value in found]
        unit = self.relative_to.ours(rows)
        return [value / fmean(unit) for value in found] if unit else []

    def enclosure(self, rows: Sequence[Row]) -> tuple[float, float] | None:
        """The certified optimum: the largest dual and the least primal objective."""
        if not self.certified_by:
            return None
        certified = select(rows, **self.certified_by)
        duals, primals = (numbers(certified, name) for name in ("dual", "primal"))
        return (max(duals), min(primals)) if duals and primals else None

    def memory(self, rows: Sequence[Row]) -> int | None:
        """The most bytes held while what it is about was timed; None for no time."""
        timed = [r for r in select(rows, **self.where) if self.measure in r.timing]
        return max((r.memory for r in timed if r.memory is not None), default=None)
