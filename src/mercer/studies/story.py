"""What a study has to tell, made of plain parts that a report can draw and write.

A study turns rows into a `Story` and knows nothing of HTML, LaTeX or Matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from mercer.exceptions import ParameterError
from mercer.studies.row import Row, Spread


@dataclass(frozen=True)
class Written(Spread):
    """A number with the words it is shown by, where a column has no one format."""

    text: str = ""


#: What may stand in a table.
Field = str | int | float | bool | Spread | None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its heading.
    unit : str
        Stands behind every number, such as "%" or "s".
    digits : int or None
        Behind the decimal point; None shows three significant ones.
    best : {"low", "high"}, optional
        Which entry to mark.
    published : bool
        It is for published numbers, and is left out where there are none.
    """

    name: str
    unit: str = ""
    digits: int | None = None
    best: Literal["low", "high"] | None = None
    published: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of entries below headings; `name` is what its files are called."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Field]]
    caption: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            for column, entry in zip(self.columns, row):
                if not isinstance(entry, Field):
                    raise ParameterError(
                        f"The table {self.name} has a {type(entry).__name__} in the "
                        f"column {column.name!r}, where a number or words must be."
                    )

    def filled(self) -> Table:
        """Without columns for published numbers where there are none."""
        kept = [
            place
            for place, column in enumerate(self.columns)
            if not column.published or any(row[place] is not None for row in self.rows)
        ]
        columns = [self.columns[place] for place in kept]
        rows = [[row[place] for place in kept] for row in self.rows]
        return replace(self, columns=columns, rows=rows)


@dataclass(frozen=True)
class Series:
    """One line: points, a standard deviation where there is one, ours or published."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    std: Sequence[float] | None = None
    published: bool = False

    @classmethod
    def of_spreads(
        cls, name: str, x: Sequence[float], spreads: Sequence[Spread | None]
    ) -> Series:
        """Means with their standard deviations, where there are any."""
        seen = [(at, spread) for at, spread in zip(x, spreads) if spread is not None]
        return cls(
            name,
            [float(at) for at, _ in seen],
            [spread.mean for _, spread in seen],
            [spread.std or 0.0 for _, spread in seen],
        )

    @classmethod
    def of_printed(
        cls, name: str, x: Sequence[float], values: Sequence[float | None]
    ) -> Series:
        """Published values, where there are any."""
        seen = [(at, value) for at, value in zip(x, values) if value is not None]
        return cls(
            name, [at for at, _ in seen], [value for _, value in seen], published=True
        )


@dataclass(frozen=True)
class Lines:
    """Lines over a number: error against epochs, cost against C."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    caption: str = ""
    log_x: bool = False
    log_y: bool = False

    def filled(self) -> Lines:
        """Without published lines that have no points."""
        return replace(self, series=[s for s in self.series if s.x or not s.published])


@dataclass(frozen=True)
class Points:
    """Named points in a plane, such as error against seconds."""

    title: str
    x: str
    y: str
    points: Sequence[tuple[str, float, float]]
    caption: str = ""
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Dots:
    """A value with its spread for each of some names, below each other."""

    title: str
    x: str
    values: Sequence[tuple[str, Spread]]
    caption: str = ""
    log_x: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars from zero up, for each of some names one of every kind."""

    title: str
    x: str
    y: str
    names: Sequence[str]
    kinds: Sequence[tuple[str, Sequence[float]]]
    caption: str = ""


@dataclass(frozen=True)
class Strips:
    """What lengths consist of: strips below each other, cut into parts of kinds."""

    title: str
    x: str
    strips: Sequence[tuple[str, Sequence[tuple[str, float]]]]
    caption: str = ""


@dataclass(frozen=True)
class Cloud:
    """Many points in a plane, by the name of their class."""

    title: str
    x: str
    y: str
    classes: Sequence[tuple[str, Sequence[float], Sequence[float]]]
    caption: str = ""


@dataclass(frozen=True)
class Confusion:
    """Who was taken for whom: a matrix of counts for every run."""

    title: str
    labels: Sequence[str]
    runs: Sequence[Sequence[Sequence[int]]]
    caption: str = ""


@dataclass(frozen=True)
class ShownSample:
    """A sample, how often it was tested and mistaken, and what it was taken for."""

    sample: int
    label: str
    wrong: int
    tested: int
    taken_for: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Images:
    """Samples and answers, with their images where the store keeps them."""

    title: str
    data: str
    samples: Sequence[ShownSample]
    caption: str = ""

    @classmethod
    def of_answers(cls, title: str, row: Row, caption: str) -> Images:
        """The samples ``shown`` of a row, which are ``true``, as it ``decided``."""
        answers = zip(*(row.values[name] for name in ("shown", "true", "decided")))
        samples = [
            ShownSample(sample, str(true), int(true != said), 1, [(str(said), 1)])
            for sample, true, said in answers
        ]
        return cls(title, row.data, samples, caption)

    @classmethod
    def of_examples(cls, title: str, row: Row, caption: str) -> Images:
        """The samples ``shown`` of a row, which are ``true``; nobody was asked."""
        examples = zip(row.values["shown"], row.values["true"])
        samples = [ShownSample(n, str(true), 0, 0, []) for n, true in examples]
        return cls(title, row.data, samples, caption)


Block = Table | Lines | Points | Dots | Bars | Strips | Cloud | Confusion | Images | str


@dataclass(frozen=True)
class Section:
    """A heading with text, tables and figures below it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Story:
    """All of it: a summary that one can stop after, the sections, and the conclusion.

    The conclusion answers the study's question, from the rows like everything else.
    """

    summary: Sequence[str]
    sections: Sequence[Section] = field(default_factory=tuple)
    conclusion: Sequence[str] = ()
