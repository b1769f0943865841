"""Whether the first row of a table names its columns: found out, never guessed.

The row is compared with those below. A word above a column of numbers is a name, unless
the row has the numbers of a sample beside it. Where the types agree, as with
``0,1,2,class`` above ``5.1,3.5,1.4,setosa``, it is asked how likely the rows below make
such a sample: names count upwards from 0 or 1 or are usual for labels, and their very
texts do not occur below. What may be either is asked for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from math import isclose, prod

from mercer.datasets.files.labels import LABEL_NAMES, is_missing, to_number

#: A sample as unlikely as this is none.
_NO_SAMPLE = 1e-3
#: What is as unlikely as this may be a sample or not.
_DOUBTFUL = 0.05
#: Fewer rows are sorted by chance.
_ENOUGH = 5


def names_columns(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool | None:
    """Tell whether a row names the columns; None if it may be names or a sample.

    >>> names_columns(["0", "1", "class"], [["5.1", "3.5", "a"], ["4.9", "3.0", "b"]])
    True
    >>> names_columns(["0", "1", "a"], [["1", "0", "b"], ["1", "1", "a"]])
    False
    """
    # pandas leaves the name of its index empty; no other name is left out
    start = 0 if first[0].strip() else 1
    if not below or any(
        field.strip() in ("", "?") for field in islice(first, start, None)
    ):
        return False
    texts = [field.strip() for field in first[start:]]
    row = _FirstRow(texts, [fields[start:] for fields in below])
    if not row.words and not row.counts_from_start:
        return False
    if row.above_numbers or row.above_words:
        return _names_by_type(row)
    return _names_by_chance(row)


@dataclass(frozen=True)
class _FirstRow:
    """The first row beside the columns below it; places are numbers of columns."""

    texts: list[str]
    below: Sequence[Sequence[str]]

    @cached_property
    def values(self) -> list[float | None]:
        return [to_number(text) for text in self.texts]

    @cached_property
    def words(self) -> list[int]:
        return [place for place, value in enumerate(self.values) if value is None]

    @cached_property
    def numbers(self) -> list[int]:
        return [place for place, value in enumerate(self.values) if value is not None]

    @cached_property
    def columns(self) -> list[list[str]]:
        return [
            [row[place].strip() for row in self.below if place < len(row)]
            for place in range(len(self.texts))
        ]

    @cached_property
    def kinds(self) -> list[str | None]:
        return [_kind(column) for column in self.columns]

    @cached_property
    def above_numbers(self) -> list[str]:
        return [self.texts[i] for i in self.words if self.kinds[i] == "numbers"]

    @cached_property
    def above_words(self) -> list[str]:
        return [self.texts[i] for i in self.numbers if self.kinds[i] == "words"]

    @property
    def counts(self) -> bool:
        return _counts([self.texts[place] for place in self.numbers])

    @property
    def counts_from_start(self) -> bool:
        return bool(self.numbers) and (
            self.values[self.numbers[0]] in (0, 1) and self.counts
        )

    @property
    def is_label_named(self) -> bool:
        return any(self.texts[place].lower() in LABEL_NAMES for place in self.words)

    def is_seen(self, place: int) -> bool:
        """Whether the very text stands in its column below."""
        return self.texts[place] in self.columns[place]


def _names_by_type(row: _FirstRow) -> bool | None:
    """Decide where a word stands above numbers, or a number above words.

    As a sample the row would be refused; so it is names, or a damaged sample.
    """
    plain = [
        text
        for text in row.above_numbers
        if not is_missing(text) and not text[:1].isdigit()
    ]
    if plain and row.is_label_named:
        return True
    seen = [place for place in row.words if row.is_seen(place)]
    if seen or not row.counts:
        return False
    if not row.numbers:
        return bool(plain) or len(row.above_numbers) > 1
    if row.above_words and row.counts_from_start and len(row.numbers) > 2:
        return True
    if plain and not all(row.is_seen(place) for place in row.numbers):
        return True
    return None


def _names_by_chance(row: _FirstRow) -> bool | None:
    """Decide where the first row has the types of a sample."""
    if not row.numbers or any(row.is_seen(place) for place in row.words):
        return False
    n_counted = sum(not _goes_on(row, place) for place in row.numbers)
    counted = n_counted if row.counts_from_start else 0
    by_numbers, by_words = _chance_of_numbers(row), _chance_of_words(row)
    chance = by_numbers * by_words
    if counted >= 2 and row.is_label_named and chance <= _DOUBTFUL:
        return True
    if row.is_label_named or counted + len(row.words) * bool(counted) >= 3:
        is_odd = _chance_of_odd_numbers(row) * by_words <= _NO_SAMPLE
        if chance <= _NO_SAMPLE and (row.is_label_named or is_odd):
            return True
        return None if chance <= _DOUBTFUL else False
    # A word that no other sample has is common enough; the numbers must be odd, too.
    return None if chance <= _NO_SAMPLE and by_numbers <= _DOUBTFUL else False


def _chance_of_numbers(row: _FirstRow) -> float:
    """How likely a sample has these numbers, by how often the rows below have them."""
    below = [
        [fields[place].strip() for place in row.numbers]
        for fields in row.below
        if len(fields) == len(row.texts)
    ]
    if not row.counts_from_start:
        return _chance_of_form([row.texts[place] for place in row.numbers], below)
    counting = len(row.numbers) > 1 and sum(map(_counts, below))
    by_value = prod(
        _share(row.columns[place].count(row.texts[place]), row)
        for place in row.numbers
        if not _goes_on(row, place)
    )
    return max(by_value, _share(counting, row)) if counting else by_value


def _chance_of_form(texts: list[str], below: list[list[str]]) -> float:
    """How likely whole numbers stand where decimals are below, and by equal steps."""
    chances = [
        _share_of([row[place].isdecimal() for row in below])
        for place, text in enumerate(texts)
        if text.isdecimal()
    ]
    if _are_even(texts):
        chances.append(_share_of([_are_even(row) for row in below]))
    return prod(chances)


def _share_of(hits: list[bool]) -> float:
    return (sum(hits) + 1) / (len(hits) + 1)


def _chance_of_words(row: _FirstRow) -> float:
    """How likely a sample has words that no other has: by how many there are below."""
    chances = []
    for place in row.words:
        often = Counter(row.columns[place])
        once = sum(count == 1 for count in often.values())
        is_usual = row.texts[place].lower() in LABEL_NAMES
        chances.append(_share(0 if is_usual else once, row))
    return prod(chances)


def _chance_of_odd_numbers(row: _FirstRow) -> float:
    """How likely a sample has numbers as unlike their columns; 1 if none of them is."""
    chances = [1.0]
    for place in row.numbers:
        column = row.columns[place]
        values = [value for text in column if (value := to_number(text)) is not None]
        if _goes_on(row, place) or not values:
            continue
        if row.texts[place].isdecimal() and not any(map(str.isdecimal, column)):
            chances.append(1 / (len(values) + 1))
        elif not min(values) <= float(row.texts[place]) <= max(values):
            # so likely is any sample to be the smallest or the largest
            chances.append(2 / (len(values) + 1))
    return prod(chances)


def _share(count: int, row: _FirstRow) -> float:
    return (count + 1) / (len(row.below) + 2)


def _goes_on(row: _FirstRow, place: int) -> bool:
    """Whether the column goes on from here, as one that is sorted or counts rows."""
    texts = [row.texts[place], *row.columns[place]]
    values = [value for text in texts if (value := to_number(text)) is not None]
    if len(values) > 1 and values[1] - values[0] == 1:
        return True
    return len(values) > _ENOUGH and all(a <= b for a, b in pairwise(values))


def _counts(texts: Sequence[str]) -> bool:
    """Whether these are whole numbers, each the one before and one more."""
    values = [to_number(text) for text in texts]
    return all(
        a is not None and b is not None and b - a == 1 for a, b in pairwise(values)
    )


def _are_even(texts: Sequence[str]) -> bool:
    """Whether three or more numbers go up by equal steps, as wavelengths and years."""
    values = [to_number(text) for text in texts]
    steps = [b - a for a, b in pairwise(values) if a is not None and b is not None]
    return (
        len(values) > 2
        and len(steps) == len(values) - 1
        and steps[0] > 0
        and all(isclose(step, steps[0]) for step in steps)
    )


def _kind(column: Sequence[str]) -> str | None:
    """Tell what most of a column is; what is damaged or missing does not decide."""
    present = [text for text in column if not is_missing(text)]
    if not present:
        return None
    n_numbers = sum(to_number(text) is not None for text in present)
    return "numbers" if 2 * n_numbers >= len(present) else "words"
