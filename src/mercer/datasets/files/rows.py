"""A text table as rows of fields: separator, quotes, comments, header."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from mercer.datasets.files.labels import to_number
from mercer.datasets.files.samples import bad_file

#: Tried in this order; the first that is in every line of the beginning wins.
_SEPARATORS = ("\t", ";", ",", "|", " ", "&", ":", "^", "~", "/", "#", "!")


@dataclass(frozen=True)
class Rows:
    """The lines of a table that hold fields, and their numbers in the file."""

    path: Path
    lines: list[str]
    numbers: list[int]
    separator: str
    quoted: bool

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        if self.quoted:
            yield from self._quoted()
        elif self.separator == " ":
            for number, line in zip(self.numbers, self.lines):
                yield number, line.split()
        else:
            for number, line in zip(self.numbers, self.lines):
                yield number, line.split(self.separator)

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
            raise bad_file(
                self.path, f"line {self.numbers[start]} is not well quoted ({error})."
            ) from None

    def without_first(self) -> "Rows":
        """The same rows without the header."""
        return Rows(
            self.path, self.lines[1:], self.numbers[1:], self.separator, self.quoted
        )


def split_rows(path: Path, text: str, separator: str | None) -> Rows:
    """Find the lines and the separator of a table."""
    lines: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        # numpy.savetxt writes its header as comments in front of the data.
        if line.strip() and not (not lines and line.startswith("#")):
            lines.append(line)
            numbers.append(number)
    if not lines:
        raise bad_file(path, "there are only blank lines and comments in the file.")
    separator = separator or find_separator(lines[:20])
    if separator is None:
        raise bad_file(
            path,
            f"line {numbers[0]} has one value only; a table needs a label and at least "
            "one feature in each line, with a separator between them.",
        )
    return Rows(path, lines, numbers, separator, '"' in text)


def find_separator(lines: list[str]) -> str | None:
    """Find the separator: the first of the usual ones that every line has.

    >>> find_separator(["1.5 , 2 , 1", "0.5 , 1 , 0"]), find_separator(["1 2", "3  4"])
    (',', ' ')
    """
    stripped = [line.strip(" ") for line in lines]
    for separator in _SEPARATORS:
        if all(separator in line for line in stripped):
            return separator
    # A line may be cut short: then most lines have it.
    for separator in _SEPARATORS:
        if sum(separator in line for line in stripped) * 2 > len(stripped):
            return separator
    return None


def has_header(rows: Rows) -> bool:
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
