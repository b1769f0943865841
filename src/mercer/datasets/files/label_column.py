"""Which column of a table holds the labels: said, or found out, never guessed.

In this order: the column asked for; the one whose name in the header is one of
`LABEL_NAMES`; the first one of the zip.train form; the first or the last, whichever
alone looks like labels. When both do, or neither, the reader asks.
"""

from collections.abc import Sequence

from mercer.datasets.files.labels import is_missing, to_number
from mercer.datasets.files.text_rows import TextRows

LABEL_NAMES = frozenset({"label", "labels", "target", "class", "y", "digit", "species"})

_ASK = "say which with label='first' or label='last' (--label first, --label last)"


def named_column(rows: TextRows, label: str | int) -> int | None:
    """Find the label column from what was asked for or from the header."""
    names = rows.names or ()
    if label in names:
        return names.index(str(label))
    if label == "first":
        return 0
    if label == "last":
        return rows.width - 1
    if label != "auto":
        return _asked(rows, label)
    named = [i for i, name in enumerate(names) if name.lower() in LABEL_NAMES]
    if len(named) > 1:
        both = " and ".join(repr(names[index]) for index in named)
        raise rows.bad(f"the columns {both} could both hold the labels; pass label=.")
    if named:
        return named[0]
    return 0 if is_zip_form(rows) else None


def is_zip_form(rows: TextRows) -> bool:
    """Tell the form of zip.train: a label and 16x16 values, white space between."""
    return rows.separator == " " and rows.names is None and rows.width == 257


def plausible_column(rows: TextRows, first: Sequence[str], last: Sequence[str]) -> int:
    """Choose the first (0) or the last (-1) column, if only one looks like labels."""
    kinds = {0: _kind(first), -1: _kind(last)}
    words = [column for column, kind in kinds.items() if kind == "words"]
    likely = words if len(words) == 1 else [c for c, kind in kinds.items() if kind]
    if len(likely) == 1:
        return likely[0]
    both = "both the first and the last" if likely else "neither the first nor the last"
    verb = "look" if likely else "looks"
    raise rows.bad(f"{both} column {verb} like class labels; {_ASK}.")


def _asked(rows: TextRows, label: str | int) -> int:
    try:
        index = int(label)
    except ValueError:
        names = ", ".join((rows.names or ())[:6]) or "none, as there is no header"
        raise rows.bad(
            f"there is no column {label!r}; the names are: {names}."
        ) from None
    if not -rows.width <= index < rows.width:
        raise rows.bad(f"there is no column {index}; there are {rows.width}, from 0.")
    return index % rows.width


def _kind(column: Sequence[str]) -> str | None:
    """Tell whether a column looks like labels: few whole numbers, or few words."""
    distinct = {field.strip() for field in column}
    present = [text for text in distinct if not is_missing(text)]
    if not 2 <= len(present) <= min(1000, max(10, len(column) // 2)):
        return None
    numbers = [number for text in present if (number := to_number(text)) is not None]
    if not all(number.is_integer() for number in numbers):
        return None
    return "numbers" if 2 * len(numbers) > len(present) else "words"
