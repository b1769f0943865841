"""The features of a table: numbers, and words that are categories.

Numbers are read by NumPy's compiled reader; only when it stumbles are the fields gone
through one by one. A column in which no field is a number holds words. These are
categories where the caller takes any; a column of numbers and words only where it is
named, as a word may be a slip.
"""

import shlex
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.label_column import find_columns
from mercer.datasets.files.labels import is_missing, to_number
from mercer.datasets.files.samples import FeaturePlaces, ReadOptions
from mercer.datasets.files.text_rows import TextRows

#: Python's own objects, for each word.
_WORD_BYTES = 100
#: More words than so many, most of them once, are no categories.
_FEW_WORDS = 20
#: In the place of words: no whole number, so that it numbers nothing.
_NO_NUMBER = 0.5

Words = dict[int, NDArray]


def read_features(
    rows: TextRows, columns: list[int], n_rows: int, options: ReadOptions
) -> tuple[NDArray, Words]:
    """Read columns as numbers, and those of words as words, by the feature's place."""
    # NumPy's reader takes half as much again while its array grows.
    size = rows.size + 12 * n_rows * len(columns)
    rows.content.check_size("as an array the table takes", size)
    named = _named_places(rows, columns, options.categorical)
    if not rows.quoted and not named:
        try:
            X = np.loadtxt(
                rows.lines,
                delimiter=None if rows.separator in " \n" else rows.separator,
                comments=None,
                usecols=columns,
                ndmin=2,
            )
            return X, {}
        except ValueError:
            pass
    found = _places_of_words(rows, columns) if options.words else set()
    places = sorted(found | named)
    size += _WORD_BYTES * n_rows * len(places)
    rows.content.check_size("with its words the table takes", size)
    X = np.full((n_rows, len(columns)), _NO_NUMBER)
    words = {place: np.empty(n_rows, object) for place in places}
    for index, (number, fields) in enumerate(rows):
        for place, column in enumerate(columns):
            if place in words:
                words[place][index] = _as_word(fields[column])
                continue
            value = to_number(fields[column])
            if value is None and options.missing != "error":
                value = np.nan if is_missing(fields[column]) else None
            if value is None:
                fault = _not_a_number(fields[column].strip(), options)
                raise rows.bad(f"line {number}, column {column + 1}, {fault}")
            X[index, place] = value
    for place in places:
        _check_words(rows, columns[place], words[place], options, place in named)
    return X, words


def describe_column(rows: TextRows, place: int) -> str:
    """The number of a column, counted from 1, and its name."""
    name = rows.names[place] if rows.names else ""
    return f"column {place + 1}" + (f" ({name})" if name else "")


def how_to_drop(rows: TextRows, place: int) -> str:
    """How to leave a column out."""
    asked = _how_to_ask(rows, place)
    return f"leave it out with drop={asked!r} (--drop {shlex.quote(str(asked))})"


def _how_to_ask(rows: TextRows, place: int) -> str | int:
    name = rows.names[place] if rows.names else ""
    return name if name and rows.names and rows.names.count(name) == 1 else place


def _named_places(
    rows: TextRows, columns: list[int], categorical: Collection[int | str]
) -> set[int]:
    if isinstance(categorical, FeaturePlaces):
        return {place for place in categorical if place < len(columns)}
    names = [asked for asked in categorical if asked != "auto"]
    found = {column for asked in names for column in find_columns(rows, asked)}
    for column in found - set(columns):
        raise rows.bad(
            f"{describe_column(rows, column)} holds the labels or is left out, so it "
            "cannot be categorical."
        )
    return {columns.index(column) for column in found}


def _places_of_words(rows: TextRows, columns: list[int]) -> set[int]:
    """Columns with words in them and no number."""
    worded, numbered = set[int](), set[int]()
    for _, fields in rows:
        for place, column in enumerate(columns):
            if place not in numbered and not is_missing(fields[column]):
                is_number = to_number(fields[column]) is not None
                (numbered if is_number else worded).add(place)
    return worded - numbered


def _as_word(field: str) -> str | None:
    """One word for one category: 1 and 1.0 are the same."""
    number = to_number(field)
    if is_missing(field):
        return None
    return field.strip() if number is None else f"{number:.17g}"


def _check_words(
    rows: TextRows, column: int, words: NDArray, options: ReadOptions, named: bool
) -> None:
    present = [word for word in words if word is not None]
    if len(present) < len(words) and options.missing == "error":
        number = rows.numbers[[word is None for word in words].index(True)]
        fault = _not_a_number("", options)
        raise rows.bad(f"line {number}, column {column + 1}, {fault}")
    different = len(set(present))
    if not named and different > max(_FEW_WORDS, len(present) // 2):
        asked = _how_to_ask(rows, column)
        raise rows.bad(
            f"{describe_column(rows, column)} holds {different} different words in "
            f"{len(words)} rows, which are hardly categories; "
            f"{how_to_drop(rows, column)}, or take them for categories with "
            f"categorical={asked!r} (--categorical {shlex.quote(str(asked))})."
        )


def _not_a_number(field: str, options: ReadOptions) -> str:
    if is_missing(field):
        return (
            "has no value; have such gaps filled in with missing='median' "
            "(--missing median), or their rows left out with missing='drop-rows' "
            "(--missing drop-rows)."
        )
    shown = repr(field if len(field) <= 40 else field[:40] + "…")
    if to_number(field.replace(",", ".")) is not None:
        return f"is {shown}; write decimals with a point."
    if options.words:
        return (
            f"is {shown}, and others in the column are numbers; mend it, or name the "
            "column with categorical= (--categorical)."
        )
    return f"is {shown}, which is not a number."
