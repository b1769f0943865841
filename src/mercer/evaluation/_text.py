"""Numbers in words, and tables of plain text."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any


@dataclass(frozen=True)
class TextTable:
    """A table of words; the columns in `right` are aligned to the right.

    >>> print(TextTable(("class", "error"), [("sick", "4.00 %")], {1}))
    class   error
    sick   4.00 %
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()
    caption: str | None = None

    def __str__(self) -> str:
        lines = align([self.header, *self.rows], self.right)
        return "\n".join([*lines, self.caption] if self.caption else lines)


def align(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Put rows below each other, in columns as wide as what is in them."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]


def describe_error(wrong: int, samples: int) -> str:
    """How many are wrong.

    >>> describe_error(7, 360)
    '1.94 % wrong (7 of 360)'
    """
    return f"{100 * wrong / samples:.2f} % wrong ({wrong:,} of {samples:,})"


def describe_seconds(seconds: float) -> str:
    """Seconds with three digits.

    >>> describe_seconds(0.0123), describe_seconds(75.04), describe_seconds(1234.5)
    ('0.0123 s', '75 s', '1,234 s')
    """
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.3g} s"


def describe_samples(data: str, n_samples: int, part: str) -> str:
    """How many samples of which data.

    >>> describe_samples("usps", 2007, "test")
    'usps: 2,007 samples (test part)'
    """
    return f"{data}: {n_samples:,} samples{'' if part == 'all' else f' ({part} part)'}"


def describe_confusions(confusions: Iterable[Sequence[Any]], most: int = 3) -> str:
    """The first mistakes: true class, decision, how often.

    >>> describe_confusions([("5", "9", 14)])
    '5 taken for 9: 14'
    """
    first = islice(confusions, most)
    return ", ".join(f"{true} taken for {said}: {n:,}" for true, said, n in first)


def percent(share: float) -> str:
    """A share with two digits.

    >>> percent(0.0477)
    '4.77 %'
    """
    return f"{100 * share:.2f} %"


def list_some(names: Iterable[str], most: int = 5) -> str:
    """Name the first few, and say whether there are more.

    >>> list_some("abcdefg", 3)
    'a, b, c, …'
    """
    listed = list(names)
    return ", ".join(listed[:most]) + (", …" if len(listed) > most else "")
