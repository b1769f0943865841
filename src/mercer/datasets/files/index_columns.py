"""Columns that number the samples and say nothing about them.

With samples sorted by class such a column gives the label away. What pandas writes as
its index is left out; what merely looks like numbers of samples stays, with a warning.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.labels import to_number
from mercer.datasets.files.samples import RawSamples
from mercer.datasets.files.text_rows import TextRows

_UNNAMED = re.compile(r"(?i)unnamed: \d+|")
_NUMBERED = re.compile(
    r"(?i:id|idx|index|.*[ _-]id|(row|sample|record)[ _-]?(no|nr|num|number|index)"
    r"|unnamed: \d+)|.*[a-z]I[dD]"
)
#: Fewer samples may well count by chance.
_ENOUGH = 10


def unnamed_columns(rows: TextRows) -> list[int]:
    """Find the first columns, if without a name, as pandas and R write their index.

    There are two if a table with an index was read and written again.
    """
    names = (rows.names or ())[:2]
    return list(range(len(list(takewhile(_UNNAMED.fullmatch, names)))))


def is_index(column: Sequence[str]) -> bool:
    """Tell whether a column without a name numbers the rows: whole, none twice.

    >>> is_index(["0", "1", "2"]), is_index(["7", "3"]), is_index(["0", "1", "1"])
    (True, True, False)
    """
    values = [to_number(text) for text in column]
    whole = all(value is not None and value.is_integer() for value in values)
    return whole and len(set(values)) == len(values)


def warn_of_numbering(samples: RawSamples) -> None:
    """Warn of features that only number the samples, by what they are or are called."""
    if not isinstance(samples.X, np.ndarray):
        return
    named = [
        place
        for place, name in enumerate(samples.feature_names or ())
        if _NUMBERED.fullmatch(name) and _is_whole(samples.X[:, place])
    ]
    counting = _counting_features(samples.X)
    for place in sorted({*named, *counting}):
        what = "goes up by one with every sample"
        if place not in counting:
            what = "has the name of an index and holds whole numbers"
        samples.warnings.append(
            f"{samples.column(place)} {what}; if it only numbers the samples, "
            f"{samples.how_to_drop(place)}."
        )


def _counting_features(X: NDArray) -> list[int]:
    if len(X) < _ENOUGH:
        return []
    with np.errstate(over="ignore"):
        likely = np.flatnonzero((X[1] - X[0] == 1) & (X[-1] - X[0] == len(X) - 1))
        return [int(place) for place in likely if (np.diff(X[:, place]) == 1).all()]


def _is_whole(values: NDArray) -> bool:
    return bool((values == np.floor(values)).all())
