"""Text tables: CSV with any separator, and the zip.train text.

Numbers are read by NumPy's compiled reader; only when it stumbles are the lines gone
through one by one, to say which one is wrong.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.content import Content
from mercer.datasets.files.label_column import (
    Header,
    is_zip_form,
    named_column,
    plausible_column,
)
from mercer.datasets.files.labels import is_missing, to_number
from mercer.datasets.files.options import ReadOptions
from mercer.datasets.files.rows import Rows, has_header, split_rows
from mercer.datasets.files.samples import Samples, bad_file
from mercer.datasets.files.text import decode

#: What the zip.train form promises: digits, and grey values of -1 to 1.
ZIP_LABELS = range(10)
ZIP_RANGE = (-1.0, 1.0)


def read_table(content: Content, options: ReadOptions) -> tuple[Samples, ReadOptions]:
    """Read a table; the options come back with what its form promises."""
    rows = split_rows(content.path, decode(content), options.separator)
    header, rows = _take_header(rows, options)
    column = named_column(rows, header, options)
    wanted = [0, -1] if column is None else [column]
    numbers, columns = _scan(rows, header.width, wanted)
    if header.names and not header.names[0]:
        _refuse_row_numbers(rows, columns.get(0, []))
    if column is None:
        column = plausible_column(rows, columns[0], columns[-1])
    labels = columns[column]
    column %= header.width
    if is_zip_form(rows, header) and column == 0:
        options = _promise_zip(options)
    names = header.names and header.names[:column] + header.names[column + 1 :]
    samples = Samples(
        X=_numbers(rows, column, header.width),
        raw_labels=labels,
        where=lambda index: f"line {numbers[index]}",
        column=lambda index: f"column {index + 1 + (index >= column)}",
        feature_names=names,
    )
    return samples, options


def _take_header(rows: Rows, options: ReadOptions) -> tuple[Header, Rows]:
    named = has_header(rows) if options.header is None else options.header
    _, first = next(iter(rows))
    if len(first) < 2:
        raise bad_file(
            rows.path,
            f"line {rows.numbers[0]} has one value only; a table needs a label and at "
            "least one feature in each line, with a separator between them.",
        )
    if not named:
        return Header(None, len(first)), rows
    rows = rows.without_first()
    if not rows.lines:
        raise bad_file(rows.path, "there is a header and no data below it.")
    return Header(tuple(name.strip() for name in first), len(first)), rows


def _scan(
    rows: Rows, width: int, wanted: list[int]
) -> tuple[list[int], dict[int, list[str]]]:
    """Check that all rows are equally long; take out line numbers and columns."""
    numbers = []
    columns: dict[int, list[str]] = {index: [] for index in wanted}
    for number, fields in rows:
        if len(fields) != width:
            raise _uneven(rows, number, len(fields), width)
        numbers.append(number)
        for index, column in columns.items():
            column.append(fields[index])
    return numbers, columns


def _uneven(rows: Rows, number: int, found: int, width: int) -> Exception:
    text = f"line {number} has {found} values where the lines before have {width}"
    if number == rows.numbers[0]:
        text = f"line {number} has {found} values where the header has {width} names"
    if number == rows.numbers[-1] and found < width and len(rows.lines) > 1:
        return bad_file(
            rows.path, f"{text}; it is the last line, so the file is cut short."
        )
    return bad_file(rows.path, f"{text}; every line needs the same number.")


def _refuse_row_numbers(rows: Rows, column: Sequence[str]) -> None:
    counted = [str(number) for number in range(len(column) + 1)]
    if column and list(column) in (counted[:-1], counted[1:]):
        raise bad_file(
            rows.path,
            "the first column has no name and only counts the rows, as pandas writes "
            "its index; save the table without it (index=False).",
        )


def _promise_zip(options: ReadOptions) -> ReadOptions:
    return replace(
        options,
        labels=ZIP_LABELS if options.labels is None else options.labels,
        value_range=options.value_range or ZIP_RANGE,
        image_shape=options.image_shape or (16, 16),
    )


def _numbers(rows: Rows, label: int, width: int) -> NDArray:
    columns = [index for index in range(width) if index != label]
    if not rows.quoted:
        try:
            return np.loadtxt(
                rows.lines,
                delimiter=None if rows.separator == " " else rows.separator,
                comments=None,
                usecols=columns,
                ndmin=2,
            )
        except ValueError:
            pass
    X = np.empty((len(rows.lines), width - 1))
    index = -1
    for index, (number, fields) in enumerate(rows):
        for place, column in enumerate(columns):
            value = to_number(fields[column])
            if value is None:
                raise _no_number(rows.path, number, column, fields[column])
            X[index, place] = value
    return X[: index + 1]


def _no_number(path: Path, line: int, column: int, field: str) -> Exception:
    field = field.strip()
    place = f"line {line}, column {column + 1},"
    if is_missing(field):
        return bad_file(
            path, f"{place} has no value; fill in or leave out what is missing."
        )
    shown = repr(field if len(field) <= 40 else field[:40] + "…")
    if to_number(field.replace(",", ".")) is not None:
        return bad_file(path, f"{place} is {shown}; write decimals with a point.")
    return bad_file(path, f"{place} is {shown}, which is not a number.")
