"""A row: a finished cell as the store keeps it, and ways to look at many."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from mercer.studies.plain import Plain


@dataclass(frozen=True)
class Row:
    """One cell with its result.

    Attributes
    ----------
    key, study, data : str
        The cell's name, its study, and the name of the data set in the store.
    params, seed
        Of the cell.
    values : mapping
        What the cell found: the same in every run.
    timing : mapping
        What it measured on the clock.
    seconds : float
        How long the whole cell took.
    notes : tuple of str
        Warnings that came up.
    version, machine, created
        Mercer's version, facts of the machine, seconds since 1970.
    memory : int or None
        The most bytes that the process held meanwhile; None in rows from before it was
        looked at.
    """

    key: str
    study: str
    data: str
    params: Mapping[str, Plain]
    seed: int
    values: Mapping[str, Plain]
    timing: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    version: str = ""
    machine: Mapping[str, Plain] = field(default_factory=dict)
    created: float = 0.0
    memory: int | None = None

    def get(self, name: str) -> Plain:
        """A parameter, a value or a time by its name; None if there is none."""
        for part in (self.params, self.values, self.timing):
            if name in part:
                return part[name]
        return None


def select(rows: Iterable[Row], **where: Plain) -> list[Row]:
    """The rows whose parameters (or values) are these."""
    return [r for r in rows if all(r.get(name) == v for name, v in where.items())]


def group_by(rows: Iterable[Row], *names: str) -> dict[Any, list[Row]]:
    """Rows by one parameter, or by a tuple of several, in order of appearance."""
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        found = tuple(row.get(name) for name in names)
        groups.setdefault(found[0] if len(names) == 1 else found, []).append(row)
    return groups


def numbers(rows: Iterable[Row], name: str) -> list[float]:
    """The values of one name, those that are there."""
    found = (row.get(name) for row in rows)
    return [float(value) for value in found if value is not None]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (n − 1 below) of some numbers.

    >>> Spread.of([1.0, 2.0, 3.0])
    Spread(mean=2.0, std=1.0, n=3)
    """

    mean: float
    std: float | None
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """Of these numbers; None if there are none, no std if there is one only."""
        if not values:
            return None
        std = stdev(values) if len(values) > 1 else None
        return cls(fmean(values), std, len(values))

    def __str__(self) -> str:
        """As sentences say it.

        >>> str(Spread(2.0, 1.0, 3))
        '2.00 ± 1.00'
        """
        return f"{self.mean:.2f}" + ("" if self.std is None else f" ± {self.std:.2f}")

    def scaled(self, factor: float) -> Spread:
        """The same in another unit."""
        std = None if self.std is None else self.std * factor
        return Spread(self.mean * factor, std, self.n)


def spread_of(
    rows: Iterable[Row], name: str, factor: float = 1.0, **where: Plain
) -> Spread | None:
    """The values of one name over the rows with these parameters, times a factor."""
    spread = Spread.of(numbers(select(rows, **where), name))
    return None if spread is None else spread.scaled(factor)
