"""Class labels: whole numbers or words, one for each sample, none missing."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from mercer._memory import format_bytes
from mercer.datasets.files.content import size_limit
from mercer.datasets.files.samples import RawSamples

#: Names of a column that holds the labels.
LABEL_NAMES = frozenset({"label", "labels", "target", "class", "y", "digit", "species"})

_NEEDED = "; every sample needs one"
_MISSING = {"", "nan", "na", "n/a", "null", "none", "?"}


def to_number(text: str) -> float | None:
    """Read a number as a data file writes it, or None.

    >>> to_number(" 6.0000 "), to_number("1_000"), to_number("1e3")
    (6.0, None, 1000.0)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def is_missing(text: str) -> bool:
    """Tell whether a field means that there is no value."""
    return text.strip().lower() in _MISSING


def read_labels(samples: RawSamples) -> NDArray:
    """Turn labels into int64 if all are whole numbers, into str if all are words.

    >>> read_labels(RawSamples(None, ["6.0000", "5"]))
    array([6, 5])
    >>> read_labels(RawSamples(None, ["rose", "1"], paths=("a.csv",)))
    Traceback (most recent call last):
        ...
    mercer.exceptions.DataError: a.csv: sample 2 has the label '1' and sample 1 has
    'rose'; labels are all numbers or all words.
    """
    raw = samples.raw_labels
    assert raw is not None
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "iub":
        return raw.astype(np.int64)
    if isinstance(raw, np.ndarray) and raw.dtype.kind == "f":
        return _whole_numbers(raw, samples)
    # Few labels differ, so each is looked at once.
    texts = [str(text).strip() for text in raw]
    kinds = {text: to_number(text) for text in set(texts)}
    _check_texts(texts, kinds, samples)
    if kinds and None not in kinds.values():
        numbers = np.array([kinds[text] for text in texts], dtype=np.float64)
        return _whole_numbers(numbers, samples)
    _check_text_size(texts, samples)
    return np.array(texts, dtype=np.str_)


def _check_text_size(texts: list[str], samples: RawSamples) -> None:
    """Refuse labels that as an array, all as long as the longest, take too much."""
    longest = max(map(len, texts), default=0)
    # Beside the samples; sorted in a copy, and four bytes a sign.
    taken = samples.X.nbytes if isinstance(samples.X, np.ndarray) else 0
    size = 3 * 4 * longest * len(texts)
    if taken + size > size_limit():
        raise samples.bad(
            f"the labels take {format_bytes(size)}, as one of them has {longest} "
            "letters; a label is a short word."
        )


def check_label_set(
    y: NDArray, allowed: Collection[int | str], samples: RawSamples
) -> None:
    """Refuse labels outside a set."""
    known = set(allowed)
    for label in np.unique(y).tolist():
        if label not in known:
            first = samples.where(int(np.argmax(y == label)))
            raise samples.bad(
                f"{first} has the label {label}, which is not one of "
                f"{describe_set(allowed)}."
            )


def describe_set(labels: Collection[int | str]) -> str:
    """Write a set of labels short.

    >>> describe_set(range(10)), describe_set([-1, 1]), describe_set(["b", "a"])
    ('0..9', '-1, 1', 'a, b')
    """
    numbers = sorted(label for label in labels if not isinstance(label, str))
    if len(numbers) == len(labels) > 2 and numbers == list(
        range(numbers[0], numbers[-1] + 1)
    ):
        return f"{numbers[0]}..{numbers[-1]}"
    words = sorted(label for label in labels if isinstance(label, str))
    return ", ".join([*map(str, numbers), *words])


def _check_texts(
    texts: list[str], kinds: dict[str, float | None], samples: RawSamples
) -> None:
    where = samples.where
    if any(is_missing(text) for text in kinds):
        index = next(i for i, text in enumerate(texts) if is_missing(text))
        hint = ""
        if samples.guessed_label:
            hint = (
                f" in {samples.guessed_label}, which looks like the labels; name "
                "their column with label= (--label), or 'none' where there are none"
            )
        raise samples.bad(f"{where(index)} has no label{hint or _NEEDED}.")
    first_is_word = bool(texts) and kinds[texts[0]] is None
    for index, text in enumerate(texts):
        if (kinds[text] is None) != first_is_word:
            raise samples.bad(
                f"{where(index)} has the label {text!r} and {where(0)} has "
                f"{texts[0]!r}; labels are all numbers or all words."
            )


def _whole_numbers(numbers: NDArray, samples: RawSamples) -> NDArray:
    # Beyond 2**53 a float no longer tells one whole number from the next.
    right = (np.abs(numbers) < 2**53) & (np.floor(numbers) == numbers)
    if not right.all():
        index = int(np.argmin(right))
        raise samples.bad(
            f"{samples.where(index)} has the label {numbers[index]:g}; "
            "labels are whole numbers or words."
        )
    return numbers.astype(np.int64)
