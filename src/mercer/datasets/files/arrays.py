"""Arrays with names, as HDF5 and NPZ hold them: which are X and y, train and test."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.samples import Samples, bad_file

_ROLES = {
    **dict.fromkeys(("x", "data", "images", "features"), "X"),
    **dict.fromkeys(("y", "target", "targets", "label", "labels"), "y"),
}
_PARTS = ("train", "test")

Slots = dict[tuple[str, str], str]


def find_slots(names: list[str], path: Path) -> Slots:
    """Find out which array is X and which is y, of which part.

    >>> find_slots(["train/data", "train/target"], Path("usps.h5"))
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
            raise bad_file(path, f"the arrays {both} could both be {role}; keep one.")
        slots[part, role] = name
    return slots


def join_arrays(
    names: list[str], load: Callable[[str], NDArray], path: Path
) -> Samples:
    """Read X and y, or training and test X and y, from named arrays."""
    slots = find_slots(names, path)
    parts = [part for part in ("", *_PARTS) if (part, "X") in slots]
    if not parts or any((part, "y") not in slots for part in parts):
        held = ", ".join(names[:6]) or "none"
        raise bad_file(
            path,
            "there must be arrays X and y (or data and target), or x_train, y_train, "
            f"x_test, y_test, or groups train and test; the arrays here are: {held}.",
        )
    if "" in parts and len(parts) > 1:
        raise bad_file(path, "there are arrays both with and without train or test.")
    loaded = [
        _load_part(load, slots[part, "X"], slots[part, "y"], path) for part in parts
    ]
    return _stack(loaded, parts, path)


def to_features(array: NDArray, path: Path) -> tuple[NDArray, tuple[int, int] | None]:
    """Make an array of samples two-dimensional and of floats; find its image shape."""
    if array.ndim < 2 or array.dtype.kind not in "iubf":
        raise bad_file(
            path,
            f"X has the shape {array.shape} and the type {array.dtype}; "
            "it needs a row of numbers for each sample.",
        )
    image = tuple(size for size in array.shape[1:] if size != 1)
    shape = (image[0], image[1]) if array.ndim > 2 and len(image) == 2 else None
    small = array.dtype.kind == "b" or array.dtype.itemsize <= 2
    if array.dtype.kind == "f" and not small:
        dtype = np.float32 if array.dtype.itemsize == 4 else np.float64
    else:
        dtype = np.float32 if small else np.float64
    flat = array.reshape(len(array), int(np.prod(array.shape[1:])))
    return flat.astype(dtype, copy=False), shape


def _load_part(
    load: Callable[[str], NDArray], x_name: str, y_name: str, path: Path
) -> dict[str, Any]:
    X, shape = to_features(load(x_name), path)
    y = load(y_name)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or len(y) != len(X):
        raise bad_file(
            path,
            f"{y_name} has the shape {y.shape}, and {x_name} has {len(X)} samples; "
            "there must be one label for each sample.",
        )
    if y.dtype.kind not in "iubfUS":
        raise bad_file(path, f"{y_name} has the type {y.dtype}, which is no label.")
    if y.dtype.kind == "S":
        y = np.char.decode(y, "utf-8")
    return {"X": X, "y": y, "shape": shape}


def _stack(
    loaded: Sequence[Mapping[str, Any]], parts: list[str], path: Path
) -> Samples:
    widths = [part["X"].shape[1] for part in loaded]
    if len(set(widths)) > 1:
        raise bad_file(
            path,
            f"training samples have {widths[0]} features and test samples {widths[1]}.",
        )
    both = len(loaded) == 2
    return Samples(
        X=np.concatenate([part["X"] for part in loaded]) if both else loaded[0]["X"],
        raw_labels=np.concatenate([part["y"] for part in loaded]),
        n_train=len(loaded[0]["X"]) if both else None,
        image_shape=loaded[0]["shape"],
    )
