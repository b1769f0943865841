"""NPZ: NumPy arrays in a zip archive, read without ever unpickling.

The archive says how long a member is, and the member's header how long its array is;
both are held against each other and the memory budget before anything is unpacked, and
no more than that is ever unpacked.
"""

import io
import zipfile
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.arrays import StoredArray, read_named
from mercer.datasets.files.content import Content
from mercer.datasets.files.samples import RawSamples, ReadOptions

_CHUNK = 2**20
_FORMAT = np.lib.format
_HEADERS = {
    (1, 0): _FORMAT.read_array_header_1_0,
    (2, 0): _FORMAT.read_array_header_2_0,
    # As 2.0, but for the letters in names of columns, which no array here has.
    (3, 0): _FORMAT.read_array_header_2_0,
}
#: As NumPy packs; the others unpack without a limit.
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_npz(content: Content, options: ReadOptions) -> RawSamples:
    """Read X and y, or their training and test parts, from an NPZ file."""
    with (
        content.reading("the NPZ file is damaged"),
        zipfile.ZipFile(io.BytesIO(content.data)) as archive,
    ):
        size = sum(member.file_size for member in archive.infolist())
        content.check_size("the arrays unpack to", size)
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        return read_named(
            names, lambda name: _describe(content, archive, name), content
        )


def _describe(content: Content, archive: zipfile.ZipFile, name: str) -> StoredArray:
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type not in _PACKINGS:
        raise content.bad(
            f"the array {name} is packed in a way that NumPy does not use; save it "
            "with numpy.savez_compressed."
        )
    with content.reading(f"the array {name} is damaged"), archive.open(member) as file:
        shape, column_first, dtype = _HEADERS[_FORMAT.read_magic(file)](file)
        start = file.tell()
    if dtype.hasobject:
        raise content.bad(
            f"the array {name} holds Python objects, which means a pickle; Mercer "
            "never opens pickles, so save it as numbers or as text."
        )
    expected, found = prod(shape) * dtype.itemsize, member.file_size - start
    if expected != found or min(shape, default=0) < 0:
        raise content.bad(
            f"the array {name} should have {expected} bytes by its header and has "
            f"{found}; get the file again."
        )

    def read() -> NDArray:
        with content.reading(f"the array {name} is damaged"):
            with archive.open(member) as file:
                values = _read_exactly(file, start, expected)
            array = np.frombuffer(values, dtype)
            return array.reshape(shape, order="F" if column_first else "C")

    return StoredArray(name, shape, dtype, read, expected)


def _read_exactly(file: Any, start: int, size: int) -> bytearray:
    """Read a part of a member into memory that was taken once."""
    file.read(start)
    values = bytearray(size)
    place = 0
    while piece := file.read(min(_CHUNK, size - place)):
        values[place : place + len(piece)] = piece
        place += len(piece)
    if place < size:
        raise EOFError(f"{place} bytes of {size}")
    return values
