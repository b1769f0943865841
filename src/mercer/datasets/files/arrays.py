"""Arrays with names, as HDF5 and NPZ hold them: which are X and y, train and test.

HDF5 has groups train and test with data and target, or X and y at the top; NPZ is
NumPy arrays in a zip archive, read without ever unpickling.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._extras import import_extra
from mercer.datasets.files.content import Content
from mercer.datasets.files.samples import ReadOptions, Samples
from mercer.exceptions import DataError

_DAMAGE = (
    OSError,
    RuntimeError,
    KeyError,
    ValueError,
    TypeError,
    OverflowError,
    AttributeError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
)
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_ROLES = {
    **dict.fromkeys(("x", "data", "images", "features"), "X"),
    **dict.fromkeys(("y", "target", "targets", "label", "labels"), "y"),
}
_PARTS = ("train", "test")

Slots = dict[tuple[str, str], str]


def read_hdf5(content: Content, options: ReadOptions) -> Samples:
    """Read X and y, or their training and test parts, from an HDF5 file."""
    h5py = import_extra("h5py", "data", "Reading HDF5 files")
    try:
        with h5py.File(io.BytesIO(content.data), "r") as file:
            items: dict[str, Any] = {}
            # Links that lead out of the file are not followed by this walk.
            file.visititems(items.__setitem__)
            names = [n for n, item in items.items() if isinstance(item, h5py.Dataset)]

            def load(name: str) -> NDArray:
                return _load_dataset(content, name, items[name], h5py)

            return join_arrays(names, load, content)
    except DataError:
        raise
    except _DAMAGE as error:
        raise content.bad(
            f"the HDF5 file is cut short or damaged ({error}); get it again."
        ) from None


def _load_dataset(content: Content, name: str, dataset: Any, h5py: Any) -> NDArray:
    if dataset.is_virtual or dataset.external:
        raise content.bad(f"the array {name} lies in other files; give one file.")
    size = (dataset.size or 0) * dataset.dtype.itemsize
    content.check_size(f"the array {name} takes", size)
    if h5py.check_string_dtype(dataset.dtype) is not None:
        return np.asarray(dataset.asstr()[()]).astype(np.str_)
    if dataset.dtype.hasobject or dataset.shape is None:
        raise content.bad(
            f"the array {name} holds {dataset.dtype}, not numbers or text."
        )
    return np.asarray(dataset[()])


def read_npz(content: Content, options: ReadOptions) -> Samples:
    """Read X and y, or their training and test parts, from an NPZ file."""
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        content.check_size("the arrays unpack to", size)
        names = [name.removesuffix(".npy") for name in archive.namelist()]

        def load(name: str) -> NDArray:
            return _load_member(content, archive, name)

        return join_arrays(names, load, content)


def _load_member(content: Content, archive: zipfile.ZipFile, name: str) -> NDArray:
    try:
        stored = archive.read(f"{name}.npy")
        _check_header(content, name, stored)
        array = np.load(io.BytesIO(stored), allow_pickle=False)
    except DataError:
        raise
    except _DAMAGE as error:
        raise content.bad(
            f"the array {name} is damaged ({error}); get the file again."
        ) from None
    return np.asarray(array)


def _check_header(content: Content, name: str, stored: bytes) -> None:
    """Refuse pickled objects, and shapes that the bytes do not have."""
    stream = io.BytesIO(stored)
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        return
    shape, _, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise content.bad(
            f"the array {name} holds Python objects, which means a pickle; Mercer "
            "never opens pickles, so save it as numbers or as text."
        )
    expected, found = prod(shape) * dtype.itemsize, len(stored) - stream.tell()
    if expected != found:
        raise content.bad(
            f"the array {name} should have {expected} bytes by its header and has "
            f"{found}; get the file again."
        )


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
