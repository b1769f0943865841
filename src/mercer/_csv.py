"""CSV that spreadsheets take for data."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any

#: What begins a formula, also in the wide letters of East Asia, or hides one.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def to_csv(rows: Iterable[Iterable[Any]]) -> str:
    """Write rows as CSV; a text that a spreadsheet would run is marked as text.

    It gets an apostrophe before it, as spreadsheets themselves mark texts. Numbers stay
    as they are, also those that come as texts.

    >>> print(to_csv([["=1+1", "-1.5", -1.5, "oak"]]), end="")
    '=1+1,-1.5,-1.5,oak
    """
    lines = _Lines()
    # only signs that end lines are quoted, and readers take both for ends
    csv.writer(lines, lineterminator="\r\n").writerows(map(_cell, r) for r in rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


class _Lines(list[str]):
    """The lines that are written, one by one."""

    write = list.append


def _cell(value: Any) -> Any:
    is_formula = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
