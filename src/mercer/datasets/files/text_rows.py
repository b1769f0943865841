"""A text table as rows of fields: separator, quotes, comments, header."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from mercer.datasets.files.content import Content
from mercer.datasets.files.header import names_columns
from mercer.exceptions import DataError

#: Tried in this order; the first that is in every line of the beginning wins.
_SEPARATORS = ("\t", ";", ",", "|", " ", "&", ":", "^", "~", "/", "#", "!")
#: Fields, about so many and from all over the table, are compared with the first row.
_COMPARED = 50_000


@dataclass(frozen=True)
class TextRows:
    """The lines of a table that hold fields, and their numbers in the file.

    `names` are those of the columns, None without a header; `width` is their number,
    and `size` what the lines take in memory.
    """

    content: Content
    lines: list[str]
    numbers: list[int]
    separator: str
    quoted: bool
    names: tuple[str, ...] | None = None
    width: int = 0
    size: int = 0

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        if self.quoted:
            yield from self._quoted()
            return
        separator = None if self.separator == " " else self.separator
        for number, line in zip(self.numbers, self.lines):
            yield number, line.split(separator)

    def _quoted(self) -> Iterator[tuple[int, list[str]]]:
        lines = (f"{line}\n" for line in self.lines)
        reader = csv.reader(
            lines, delimiter=self.separator, skipinitialspace=True, strict=True
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
    content: Content, separator: str | None, header: bool | None, least: int = 2
) -> TextRows:
    """Find the lines, the separator and, unless it is known, the header of a table."""
    size = content.text_size()
    content.check_size("the text takes", size)
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
    quoted = '"' in text
    rows = TextRows(content, lines, numbers, separator or "\n", quoted, size=size)
    first = next(iter(rows))[1]
    if len(first) < least:
        raise content.bad(
            f"line {numbers[0]} has one value only; a table needs a label and at least "
            "one feature in each line, with a separator between them."
        )
    rows = replace(rows, width=len(first))
    if header is None:
        header = _find_header(rows, first)
    if not header:
        return rows
    second = next(islice(rows, 1, 2), None)
    if second is None:
        raise content.bad("there is a header and no data below it.")
    start = numbers.index(second[0])
    names = tuple(name.strip() for name in first)
    return replace(rows, lines=lines[start:], numbers=numbers[start:], names=names)


def _find_header(rows: TextRows, first: list[str]) -> bool:
    step = max(1, len(rows.lines) * rows.width // _COMPARED)
    below: Iterator[tuple[int, list[str]]] = islice(rows, 1, None, step)
    if not rows.quoted:
        below = iter(
            replace(rows, lines=rows.lines[1::step], numbers=rows.numbers[1::step])
        )
    found = names_columns(first, [fields for _, fields in below])
    if found is None:
        raise rows.bad(
            f"line {rows.numbers[0]} may hold names of columns or a sample; say which "
            "with header=True or header=False (--header, --no-header)."
        )
    return found


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
