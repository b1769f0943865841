"""A text table as rows of fields: separator, quotes, comments, header."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from mercer.datasets.files.content import Content
from mercer.datasets.files.labels import to_number
from mercer.exceptions import DataError

#: Tried in this order; the first that is in every line of the beginning wins.
_SEPARATORS = ("\t", ";", ",", "|", " ", "&", ":", "^", "~", "/", "#", "!")


@dataclass(frozen=True)
class TextRows:
    """The lines of a table that hold fields, and their numbers in the file.

    `names` are those of the columns, None without a header; `width` is their number.
    """

    content: Content
    lines: list[str]
    numbers: list[int]
    separator: str
    quoted: bool
    names: tuple[str, ...] | None = None
    width: int = 0

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        if self.quoted:
            yield from self._quoted()
            return
        separator = None if self.separator == " " else self.separator
        for number, line in zip(self.numbers, self.lines):
            yield number, line.split(separator)

    def _quoted(self) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(
            self.lines, delimiter=self.separator, skipinitialspace=True, strict=True
        )
        start = 0
        try:
            for fields in reader:
                yield self.numbers[start], fields
                start = reader.line_num
        except csv.Error as error:
            raise self.bad(
                f"line {self.numbers[start]} is not well quoted ({error})."
            ) from None

    def bad(self, text: str) -> DataError:
        """Make the one sentence about the file."""
        return self.content.bad(text)


def split_rows(
    content: Content, separator: str | None, header: bool | None
) -> TextRows:
    """Find the lines, the separator and, unless it is known, the header of a table."""
    text = content.text()
    lines: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        # numpy.savetxt writes its header as comments in front of the data.
        if line.strip() and not (not lines and line.startswith("#")):
            lines.append(line)
            numbers.append(number)
    if not lines:
        raise content.bad("there are only blank lines and comments in the file.")
    separator = separator or find_separator(lines[:20])
    rows = TextRows(content, lines, numbers, separator or "\n", '"' in text)
    first = [] if separator is None else next(iter(rows))[1]
    if len(first) < 2:
        raise content.bad(
            f"line {numbers[0]} has one value only; a table needs a label and at least "
            "one feature in each line, with a separator between them."
        )
    if not (has_header(rows) if header is None else header):
        return replace(rows, width=len(first))
    if len(lines) == 1:
        raise content.bad("there is a header and no data below it.")
    names = tuple(name.strip() for name in first)
    return replace(
        rows, lines=lines[1:], numbers=numbers[1:], names=names, width=len(first)
    )


def find_separator(lines: list[str]) -> str | None:
    """Find the separator: the first of the usual ones that every line has.

    >>> find_separator(["1.5 , 2 , 1", "0.5 , 1 , 0"]), find_separator(["1 2", "3  4"])
    (',', ' ')
    """
    stripped = [line.strip(" ") for line in lines]
    # A line may be cut short: then most lines have it.
    for enough in (len(lines), len(lines) // 2 + 1):
        for separator in _SEPARATORS:
            if sum(separator in line for line in stripped) >= enough:
                return separator
    return None


def has_header(rows: TextRows) -> bool:
    """Tell whether the first row names the columns.

    It does when none of its fields is data (each is a word, or they count upwards as
    pandas numbers its columns) and a number stands below one of the words.
    """
    top = [fields for _, fields in islice(rows, 2)]
    first, second = top[0], top[-1]
    values = [to_number(field) for field in first]
    counted = [value for value in values if value is not None]
    if any(b - a != 1 for a, b in pairwise(counted)):
        return False
    if len(counted) == len(first):
        return len(first) >= 4 and counted[0] in (0, 1)
    if not all(field.strip() for field in first[1:]):
        return False
    return len(top) == 2 and any(
        value is None and to_number(below) is not None
        for value, below in zip(values, second)
    )
