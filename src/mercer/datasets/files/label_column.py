"""Which column of a table holds the labels: said, or found out, never guessed.

In this order: none, or the column asked for; the one whose name in the header is one of
`LABEL_NAMES`; the first one of the zip.train form; the first or the last, whichever
alone looks like labels. When both do, or neither, the reader asks.
"""

from collections.abc import Sequence

from mercer.datasets.files.labels import LABEL_NAMES, is_missing, to_number
from mercer.datasets.files.text_rows import TextRows

_ASK = (
    "say which with label='first' or label='last' (--label first, --label last), or "
    "that there are none with label='none' (--label none)"
)


def named_column(rows: TextRows, label: str | int, kept: Sequence[int]) -> int | None:
    """Find the label among the kept columns, as it was asked for or by the header."""
    names = rows.names or ()
    if label == "first" and label not in names:
        return kept[0]
    if label == "last" and label not in names:
        return kept[-1]
    if label != "auto" or label in names:
        return find_columns(rows, label)[0]
    named = [i for i in kept if names and names[i].lower() in LABEL_NAMES]
    if len(named) > 1:
        both = " and ".join(repr(names[index]) for index in named)
        raise rows.bad(f"the columns {both} could both hold the labels; pass label=.")
    if named:
        return named[0]
    return 0 if is_zip_form(rows) and kept[0] == 0 else None


def has_labels(label: str | int, names: Sequence[str] | None) -> bool:
    """Whether a table has labels; a column may be called none."""
    return label != "none" or "none" in (names or ())


def is_zip_form(rows: TextRows) -> bool:
    """Tell the form of zip.train: a label and 16x16 values, white space between."""
    return rows.separator == " " and rows.names is None and rows.width == 257


def plausible_column(rows: TextRows, ends: dict[int, Sequence[str]]) -> int:
    """Choose the first or the last column, if only one of them looks like labels."""
    kinds = {place: _kind(column) for place, column in ends.items()}
    words = [place for place, kind in kinds.items() if kind == "words"]
    likely = words if len(words) == 1 else [c for c, kind in kinds.items() if kind]
    if len(likely) == 1:
        return likely[0]
    both = "both the first and the last" if likely else "neither the first nor the last"
    verb = "look" if likely else "looks"
    raise rows.bad(f"{both} column {verb} like class labels; {_ASK}.")


def find_columns(rows: TextRows, asked: str | int) -> list[int]:
    """Find the columns of a name, or the one of a number (from 0, or from the end)."""
    names = rows.names or ()
    if asked in names:
        return [place for place, name in enumerate(names) if name == asked]
    try:
        index = int(asked)
    except ValueError:
        shown = ", ".join(names[:6]) or "none, as there is no header"
        raise rows.bad(
            f"there is no column {asked!r}; the names are: {shown}."
        ) from None
    if not -rows.width <= index < rows.width:
        raise rows.bad(f"there is no column {index}; there are {rows.width}, from 0.")
    return [index % rows.width]


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
