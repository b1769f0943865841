"""HDF5: groups train and test with data and target, or X and y at the top."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._extras import import_extra
from mercer.datasets.files.arrays import join_arrays
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
)


def read_hdf5(content: Content, options: ReadOptions) -> Samples:
    """Read X and y, or their training and test parts, from an HDF5 file."""
    h5py = import_extra("h5py", "data", "Reading HDF5 files")
    try:
        with h5py.File(io.BytesIO(content.data), "r") as file:
            found: dict[str, Any] = {}
            # Links that lead out of the file are not followed by this walk.
            file.visititems(
                lambda name, item: (
                    found.update({name: item})
                    if isinstance(item, h5py.Dataset)
                    else None
                )
            )

            def load(name: str) -> NDArray:
                return _load_dataset(content, name, found[name], h5py)

            return join_arrays(list(found), load, content)
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
