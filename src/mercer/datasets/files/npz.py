"""NPZ: NumPy arrays in a zip archive, read without ever unpickling."""

import io
import zipfile
import zlib
from math import prod

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.arrays import join_arrays
from mercer.datasets.files.content import Content
from mercer.datasets.files.samples import ReadOptions, Samples
from mercer.exceptions import DataError

_DAMAGE = (
    ValueError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    zlib.error,
    zipfile.BadZipFile,
)
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


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
