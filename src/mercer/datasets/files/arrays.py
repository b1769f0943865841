"""Arrays with names, as HDF5 and NPZ hold them: which are X and y, train and test."""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.content import Content
from mercer.datasets.files.samples import Samples

_ROLES = {
    **dict.fromkeys(("x", "data", "images", "features"), "X"),
    **dict.fromkeys(("y", "target", "targets", "label", "labels"), "y"),
}
_PARTS = ("train", "test")

Slots = dict[tuple[str, str], str]


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


def join_arrays(
    names: list[str], load: Callable[[str], NDArray], content: Content
) -> Samples:
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
    loaded = [
        _load_part(load, slots[part, "X"], slots[part, "y"], content) for part in parts
    ]
    widths = [X.shape[1] for X, *_ in loaded]
    if len(set(widths)) > 1:
        raise content.bad(
            f"training samples have {widths[0]} features and test samples {widths[1]}."
        )
    first, y, shape = loaded[0]
    if len(loaded) == 1:
        return Samples(first, y, image_shape=shape)
    return Samples(
        np.concatenate([X for X, *_ in loaded]),
        np.concatenate([y for _, y, _ in loaded]),
        n_train=len(first),
        image_shape=shape,
    )


def to_features(
    array: NDArray, content: Content
) -> tuple[NDArray, tuple[int, int] | None]:
    """Make an array of samples two-dimensional and of floats; find its image shape."""
    if array.ndim < 2 or array.dtype.kind not in "iubf":
        raise content.bad(
            f"X has the shape {array.shape} and the type {array.dtype}; "
            "it needs a row of numbers for each sample."
        )
    image = tuple(size for size in array.shape[1:] if size != 1)
    shape = (image[0], image[1]) if array.ndim > 2 and len(image) == 2 else None
    # what float32 holds exactly
    small = array.dtype.itemsize <= (4 if array.dtype.kind == "f" else 2)
    dtype = np.float32 if small else np.float64
    flat = array.reshape(len(array), int(np.prod(array.shape[1:])))
    return flat.astype(dtype, copy=False), shape


def _load_part(
    load: Callable[[str], NDArray], x_name: str, y_name: str, content: Content
) -> tuple[NDArray, NDArray, tuple[int, int] | None]:
    X, shape = to_features(load(x_name), content)
    y = load(y_name)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or len(y) != len(X):
        raise content.bad(
            f"{y_name} has the shape {y.shape}, and {x_name} has {len(X)} samples; "
            "there must be one label for each sample."
        )
    if y.dtype.kind not in "iubfUS":
        raise content.bad(f"{y_name} has the type {y.dtype}, which is no label.")
    return X, np.char.decode(y, "utf-8") if y.dtype.kind == "S" else y, shape
