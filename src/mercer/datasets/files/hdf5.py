"""HDF5: groups train and test with data and target, or X and y at the top."""

import io
import re
import struct
import zlib
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._extras import import_extra
from mercer.datasets.files.arrays import StoredArray, read_named
from mercer.datasets.files.content import Content, size_limit
from mercer.datasets.files.samples import ReadOptions, Samples

#: No filter that HDF5 comes with unpacks a byte to more bytes than this.
_MOST_UNPACKED = 1032
#: Texts that are read at once.
_TEXTS = 32


def read_hdf5(content: Content, options: ReadOptions) -> Samples:
    """Read X and y, or their training and test parts, from an HDF5 file."""
    h5py = import_extra("h5py", "data", "Reading HDF5 files")
    with (
        content.reading("the HDF5 file is cut short or damaged"),
        h5py.File(io.BytesIO(content.data), "r") as file,
    ):
        items: dict[str, Any] = {}
        # Links that lead out of the file are not followed by this walk.
        file.visititems(items.__setitem__)
        names = [n for n, item in items.items() if isinstance(item, h5py.Dataset)]
        return read_named(
            names, lambda name: _describe(content, name, items[name], h5py), content
        )


def _describe(content: Content, name: str, dataset: Any, h5py: Any) -> StoredArray:
    if dataset.is_virtual or dataset.external:
        raise content.bad(f"the array {name} lies in other files; give one file.")
    dtype, shape = dataset.dtype, dataset.shape
    text = h5py.check_string_dtype(dtype)
    if text is not None and text.length is None and shape is not None:
        return StoredArray(
            name,
            shape,
            np.dtype(np.str_),
            lambda: _read_texts(content, name, dataset),
            dtype.itemsize * prod(shape),
        )
    if dtype.hasobject or shape is None:
        raise content.bad(f"the array {name} holds {dtype}, not numbers or text.")
    chunk = dtype.itemsize * prod(dataset.chunks or ())

    def read() -> NDArray:
        _check_chunks(content, name, dataset, chunk)
        return np.asarray(dataset[()])

    return StoredArray(name, shape, dtype, read, dtype.itemsize * prod(shape) + chunk)


def _read_texts(content: Content, name: str, dataset: Any) -> NDArray:
    """Read a few texts at a time: all may refer to one long text in the file."""
    _check_heaps(content, dataset)
    texts: list[str] = []
    size, stored = 0, dataset.asstr()
    for start in range(0, dataset.shape[0], _TEXTS):
        piece = stored[start : start + _TEXTS].ravel().tolist()
        size += sum(4 * len(text) for text in piece)
        content.check_size(f"the array {name} takes", size)
        texts += piece
    return np.array(texts, dtype=object)


def _check_heaps(content: Content, dataset: Any) -> None:
    """Refuse heaps of texts that HDF5 itself does not check.

    A heap is ``GCOL``, a version, its size, and objects: each a number, its size, and
    its bytes. Free space has the number 0, and with a size of 0 it never ends; and
    memory is taken for an object before it is found to end behind its heap.
    """
    if dataset.file.id.get_create_plist().get_sizes()[1] != 8:
        raise content.bad("the HDF5 file has sizes that are not of 8 bytes.")
    for heap in re.finditer(rb"GCOL....(........)", content.data, re.DOTALL):
        place = heap.end()
        end = min(len(content.data), heap.start() + int.from_bytes(heap[1], "little"))
        while place + 16 <= end:
            number, size = struct.unpack_from("<H6xQ", content.data, place)
            step = 16 + (size + 7) // 8 * 8 if number else size
            if not 0 < step <= end - place:
                raise content.bad("a heap of texts in the HDF5 file is damaged.")
            place += step


def _check_chunks(content: Content, name: str, dataset: Any, chunk: int) -> None:
    """Refuse pieces that unpack to more than they may; HDF5 sets them no limit."""
    if dataset.chunks is None or not dataset.id.get_create_plist().get_nfilters():
        return
    pieces: list[Any] = []
    dataset.id.chunk_iter(pieces.append)
    if any(piece.size > len(content.data) for piece in pieces):
        raise content.bad(f"the array {name} has pieces larger than the file.")
    doubtful = [
        piece.chunk_offset
        for piece in pieces
        if piece.size * _MOST_UNPACKED > size_limit() // 2
    ]
    for place in doubtful:
        _, stored = dataset.id.read_direct_chunk(place)
        if dataset.compression == "gzip":
            unpacked = len(zlib.decompressobj().decompress(stored, chunk + 1))
        else:
            unpacked = len(stored)
        if unpacked > chunk:
            raise content.bad(f"the array {name} unpacks to more than its shape says.")
