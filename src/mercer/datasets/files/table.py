"""Text tables: CSV with any separator, and the zip.train text.

Numbers are read by NumPy's compiled reader; only when it stumbles are the lines gone
through one by one, to say which one is wrong.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.content import Content
from mercer.datasets.files.label_column import (
    is_zip_form,
    named_column,
    plausible_column,
)
from mercer.datasets.files.labels import is_missing, to_number
from mercer.datasets.files.samples import ReadOptions, Samples
from mercer.datasets.files.text_rows import TextRows, split_rows
from mercer.exceptions import DataError

#: What the zip.train form promises: digits, and grey values of -1 to 1.
ZIP = {"labels": range(10), "value_range": (-1.0, 1.0), "image_shape": (16, 16)}


def read_table(content: Content, options: ReadOptions) -> Samples:
    """Read a table; its form may promise more than the options ask for."""
    rows = split_rows(content, options.separator, options.header)
    column = named_column(rows, options.label)
    numbers, columns = _scan(rows, [0, -1] if column is None else [column])
    if rows.names and not rows.names[0]:
        _refuse_row_numbers(rows, columns.get(0, []))
    if column is None:
        column = plausible_column(rows, columns[0], columns[-1])
    labels = columns[column]
    column %= rows.width
    return Samples(
        X=_numbers(rows, column),
        raw_labels=labels,
        where=lambda index: f"line {numbers[index]}",
        column=lambda index: f"column {index + 1 + (index >= column)}",
        feature_names=rows.names and rows.names[:column] + rows.names[column + 1 :],
        promise=ZIP if is_zip_form(rows) and column == 0 else {},
    )


def _scan(rows: TextRows, wanted: list[int]) -> tuple[list[int], dict[int, list[str]]]:
    """Check that all rows are equally long; take out line numbers and columns."""
    numbers = []
    columns: dict[int, list[str]] = {index: [] for index in wanted}
    for number, fields in rows:
        if len(fields) != rows.width:
            raise _uneven(rows, number, len(fields))
        numbers.append(number)
        for index, column in columns.items():
            column.append(fields[index])
    return numbers, columns


def _uneven(rows: TextRows, number: int, found: int) -> DataError:
    width, above = rows.width, f"the lines before have {rows.width}"
    if number == rows.numbers[0]:
        above = f"the header has {width} names"
    text = f"line {number} has {found} values where {above}"
    if number == rows.numbers[-1] and found < width and len(rows.lines) > 1:
        return rows.bad(f"{text}; it is the last line, so the file is cut short.")
    return rows.bad(f"{text}; every line needs the same number.")


def _refuse_row_numbers(rows: TextRows, column: Sequence[str]) -> None:
    counted = [str(number) for number in range(len(column) + 1)]
    if column and list(column) in (counted[:-1], counted[1:]):
        raise rows.bad(
            "the first column has no name and only counts the rows, as pandas writes "
            "its index; save the table without it (index=False)."
        )


def _numbers(rows: TextRows, label: int) -> NDArray:
    columns = [index for index in range(rows.width) if index != label]
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
    X = np.empty((len(rows.lines), len(columns)))
    index = -1
    for index, (number, fields) in enumerate(rows):
        for place, column in enumerate(columns):
            value = to_number(fields[column])
            if value is None:
                fault = _not_a_number(fields[column].strip())
                raise rows.bad(f"line {number}, column {column + 1}, {fault}")
            X[index, place] = value
    return X[: index + 1]


def _not_a_number(field: str) -> str:
    if is_missing(field):
        return "has no value; fill in or leave out what is missing."
    shown = repr(field if len(field) <= 40 else field[:40] + "…")
    if to_number(field.replace(",", ".")) is not None:
        return f"is {shown}; write decimals with a point."
    return f"is {shown}, which is not a number."
