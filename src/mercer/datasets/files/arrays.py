"""Arrays with names: which are X and y, train and test, and what they become.

What an array is follows from its header. Shapes, types and memory are checked for all
of them before the first is read.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_unicode
from mercer.datasets.files.content import Content
from mercer.datasets.files.samples import RawSamples

_ROLES = {
    **dict.fromkeys(("x", "data", "images", "features"), "X"),
    **dict.fromkeys(("y", "target", "targets", "label", "labels"), "y"),
}
_PARTS = ("train", "test")
#: For each sample: its label as a number, as text, sorted, and its place in a split.
_LABEL_BYTES = 120

Slots = dict[tuple[str, str], str]


@dataclass(frozen=True)
class StoredArray:
    """An array as its header describes it; `read_bytes` is what reading it takes."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    read: Callable[[], NDArray]
    read_bytes: int

    @property
    def n_samples(self) -> int:
        """How many samples or labels it holds."""
        return self.shape[0]

    @property
    def n_features(self) -> int:
        """How many values a sample has."""
        return prod(self.shape[1:])


def read_pairs(
    pairs: Sequence[tuple[StoredArray, StoredArray]], content: Content
) -> RawSamples:
    """Read samples with their labels, one pair or training and test samples."""
    for X, y in pairs:
        _check_pair(content, X, y)
    stored = [X for X, _ in pairs]
    widths = [X.n_features for X in stored]
    if len(set(widths)) > 1:
        raise content.bad(
            f"training samples have {widths[0]} features and test samples {widths[1]}."
        )
    _check_memory(content, pairs)
    return RawSamples(
        _read_features(stored),
        np.concatenate([_read_labels(y, content) for _, y in pairs]),
        n_train=stored[0].n_samples if len(pairs) > 1 else None,
        image_shape=_image_shape(stored[0].shape),
    )


def _check_pair(content: Content, X: StoredArray, y: StoredArray) -> None:
    if len(X.shape) < 2 or X.dtype.kind not in "iubf":
        raise content.bad(
            f"X has the shape {X.shape} and the type {X.dtype}; "
            "it needs a row of numbers for each sample."
        )
    if y.shape not in ((X.n_samples,), (X.n_samples, 1)):
        raise content.bad(
            f"{y.name} has the shape {y.shape}, and {X.name} has {X.n_samples} "
            "samples; there must be one label for each sample."
        )
    if y.dtype.kind not in "iubfUS":
        raise content.bad(f"{y.name} has the type {y.dtype}, which is no label.")
    if not X.n_samples or not X.n_features:
        raise content.bad(f"the data have the shape {X.n_samples}x{X.n_features}.")


def _check_memory(
    content: Content, pairs: Sequence[tuple[StoredArray, StoredArray]]
) -> None:
    """Refuse what does not fit: X as it is read, X as floats, and the labels."""
    stored = [X for X, _ in pairs]
    dtype = _float_type(stored)
    size = max(X.read_bytes for X in stored)
    if len(stored) > 1 or stored[0].dtype != dtype:
        size += sum(X.n_samples * X.n_features for X in stored) * dtype.itemsize
    # Text is decoded to four bytes a sign, and sorted in a copy.
    size += sum(9 * y.read_bytes + _LABEL_BYTES * y.n_samples for _, y in pairs)
    names = " and ".join(X.name for X in stored)
    verb = "takes" if len(stored) == 1 else "take"
    content.check_size(f"the array{'s'[: len(stored) - 1]} {names} {verb}", size)


def _float_type(stored: Sequence[StoredArray]) -> np.dtype:
    """float32 for what it holds exactly, else float64."""
    small = all(X.dtype.itemsize <= (4 if X.dtype.kind == "f" else 2) for X in stored)
    return np.dtype(np.float32 if small else np.float64)


def _read_features(stored: Sequence[StoredArray]) -> NDArray:
    dtype = _float_type(stored)
    if len(stored) == 1:
        flat = stored[0].read().reshape(stored[0].n_samples, stored[0].n_features)
        return np.require(flat.astype(dtype, copy=False), requirements=["W"])
    X = np.empty((sum(part.n_samples for part in stored), stored[0].n_features), dtype)
    start = 0
    for part in stored:
        end = start + part.n_samples
        X[start:end] = part.read().reshape(part.n_samples, part.n_features)
        start = end
    return X


def _read_labels(stored: StoredArray, content: Content) -> NDArray:
    y = stored.read().reshape(stored.n_samples)
    try:
        if y.dtype.kind == "S":
            return np.char.decode(y, "utf-8")
    except UnicodeDecodeError:
        raise content.bad(
            f"{stored.name} holds text that is not UTF-8; save it as UTF-8."
        ) from None
    if y.dtype.kind == "U" and not is_unicode(y):
        raise content.bad(
            f"{stored.name} holds text that is not Unicode; get the file again."
        )
    return y


def _image_shape(shape: Sequence[int]) -> tuple[int, int] | None:
    image = [size for size in shape[1:] if size != 1]
    return (image[0], image[1]) if len(shape) > 2 and len(image) == 2 else None


def find_slots(names: list[str], content: Content) -> Slots:
    """Find out which array is X and which is y, of which part.

    >>> find_slots(["train/data", "train/target"], Content("usps.h5", b""))
    {('train', 'X'): 'train/data', ('train', 'y'): 'train/target'}
    """
    slots: Slots = {}
    for name in names:
        words = re.split(r"[^a-z]+", name.lower())
        role = next((_ROLES[word] for word in words[::-1] if word in _ROLES), None)
        part = next((part for part in _PARTS if part in words), "")
        if role is None:
            continue
        if (part, role) in slots:
            both = f"{slots[part, role]} and {name}"
            raise content.bad(f"the arrays {both} could both be {role}; keep one.")
        slots[part, role] = name
    return slots


def read_named(
    names: list[str], describe: Callable[[str], StoredArray], content: Content
) -> RawSamples:
    """Read X and y, or training and test X and y, from named arrays."""
    slots = find_slots(names, content)
    parts = [part for part in ("", *_PARTS) if (part, "X") in slots]
    if not parts or any((part, "y") not in slots for part in parts):
        held = ", ".join(names[:6]) or "none"
        raise content.bad(
            "there must be arrays X and y (or data and target), or x_train, y_train, "
            f"x_test, y_test, or groups train and test; the arrays here are: {held}."
        )
    if "" in parts and len(parts) > 1:
        raise content.bad("there are arrays both with and without train or test.")
    described = {slot: describe(name) for slot, name in slots.items()}
    return read_pairs(
        [(described[part, "X"], described[part, "y"]) for part in parts], content
    )
