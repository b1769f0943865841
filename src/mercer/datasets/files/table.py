"""Text tables: CSV with any separator, and the zip.train text.

Numbers are read by NumPy's compiled reader; only when it stumbles are the lines gone
through one by one, to say which one is wrong.
"""

from mercer.datasets.files.content import Content
from mercer.datasets.files.features import describe_column, how_to_drop, read_features
from mercer.datasets.files.index_columns import is_index, unnamed_columns
from mercer.datasets.files.label_column import (
    find_columns,
    has_labels,
    is_zip_form,
    named_column,
    plausible_column,
)
from mercer.datasets.files.samples import RawSamples, ReadOptions
from mercer.datasets.files.text_rows import TextRows, split_rows
from mercer.exceptions import DataError

#: What the zip.train form promises: digits, and grey values of -1 to 1.
ZIP = {"labels": range(10), "value_range": (-1.0, 1.0), "image_shape": (16, 16)}


def read_table(content: Content, options: ReadOptions) -> RawSamples:
    """Read a table; its form may promise more than the options ask for."""
    least = 1 if options.label == "none" else 2
    rows = split_rows(content, options.separator, options.header, least)
    labelled = has_labels(options.label, rows.names)
    least = 1 + labelled
    dropped = {place for asked in options.drop for place in find_columns(rows, asked)}
    kept = [place for place in range(rows.width) if place not in dropped]
    _check_left(rows, kept, least)
    label = named_column(rows, options.label, kept) if labelled else None
    if label is not None and label in dropped:
        raise rows.bad(
            f"{describe_column(rows, label)} holds the labels; do not drop it."
        )
    unnamed = [place for place in unnamed_columns(rows) if place in kept]
    ends = [place for place in kept if place not in unnamed] or kept
    numbers, columns = _scan(rows, {*unnamed, ends[0], ends[-1], label})
    index = [place for place in unnamed if is_index(columns[place])]
    if label in index:
        raise rows.bad(
            "the first column has no name and only counts the rows, as pandas writes "
            "its index; save the table without it (index=False)."
        )
    kept = [place for place in kept if place not in index]
    _check_left(rows, kept, least)
    guessed = None
    if label is None and labelled:
        label = plausible_column(rows, {i: columns[i] for i in (kept[0], kept[-1])})
        guessed = describe_column(rows, label)
    features = [place for place in kept if place != label]
    if fault := options.describe_width(len(features), label is not None):
        raise rows.bad(f"line {numbers[0]} {_with_drop(fault, features, options)}")
    X, words = read_features(rows, features, len(numbers), options)
    return RawSamples(
        X=X,
        words=words,
        raw_labels=None if label is None else columns[label],
        guessed_label=guessed,
        where=lambda index: f"line {numbers[index]}",
        column=lambda index: f"column {features[index] + 1}",
        how_to_drop=lambda index: how_to_drop(rows, features[index]),
        feature_names=rows.names and tuple(rows.names[place] for place in features),
        promise=ZIP if is_zip_form(rows) and label == 0 and not dropped else {},
        notes=_notes(rows, options, label),
        warnings=[
            f"{describe_column(rows, place)} has no name and only numbers the rows, as "
            "pandas writes its index; it was left out."
            for place in index
        ],
    )


def _check_left(rows: TextRows, kept: list[int], least: int) -> None:
    if len(kept) < least:
        raise rows.bad(
            "a label and at least one feature must be left when columns are left out."
        )


def _with_drop(fault: str, features: list[int], options: ReadOptions) -> str:
    if options.n_features is None or len(features) < options.n_features:
        return fault
    return f"{fault.removesuffix('.')}; leave columns out with drop= (--drop)."


def _notes(rows: TextRows, options: ReadOptions, label: int | None) -> list[str]:
    """Say what was found out about a table."""
    notes = []
    if options.header is None:
        named = "the first row names the columns"
        notes.append(
            named if rows.names else "no row names the columns: the first is a sample"
        )
    if options.label == "auto" and label is not None:
        notes.append(f"{describe_column(rows, label)} holds the labels")
    return notes


def _scan(
    rows: TextRows, wanted: set[int | None]
) -> tuple[list[int], dict[int, list[str]]]:
    """Check that all rows are equally long; take out line numbers and columns."""
    numbers = []
    columns: dict[int, list[str]] = {i: [] for i in wanted if i is not None}
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
