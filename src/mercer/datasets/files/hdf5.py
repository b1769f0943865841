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
from mercer.datasets.files.samples import RawSamples, ReadOptions

#: No filter that HDF5 comes with unpacks a byte to more bytes than this.
_MOST_UNPACKED = 1032


def read_hdf5(content: Content, options: ReadOptions) -> RawSamples:
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
    """Read texts of any length; all may refer to one long text in the file."""
    _check_heaps(content)
    lengths = _text_lengths(content, name, dataset)
    if lengths.size and int(lengths.max()) > len(content.data):
        raise content.bad(f"the array {name} has texts longer than the file.")
    content.check_size(f"the array {name} takes", 8 * int(lengths.sum(dtype=np.int64)))
    return np.asarray(dataset.asstr()[()]).ravel()


def _text_lengths(content: Content, name: str, dataset: Any) -> NDArray:
    """Find out how long texts are: where they lie, each is a length and an address."""
    storage = dataset.id
    if dataset.chunks is not None:
        pieces = _chunks(content, name, dataset)
        ranges = [(piece.byte_offset, piece.size) for piece in pieces]
    elif (offset := storage.get_offset()) is not None:
        ranges = [(offset, storage.get_storage_size())]
    else:
        ranges = []
    sizes = dataset.file.id.get_create_plist().get_sizes()
    stored = sum(size for _, size in ranges)
    is_plain = sizes == (8, 8) and not dataset.file.userblock_size
    n_filters = storage.get_create_plist().get_nfilters()
    is_packed = n_filters == 1 and dataset.compression == "gzip"
    is_known = is_plain and (is_packed or not n_filters)
    if not is_known or stored != storage.get_storage_size():
        raise content.bad(
            f"the array {name} holds texts of any length, stored in an unusual way; "
            "save it as texts of a fixed length, or as numbers."
        )
    found = [content.data[start : start + size] for start, size in ranges]
    if is_packed:
        most = 16 * prod(dataset.chunks)
        found = [zlib.decompressobj().decompress(piece, most) for piece in found]
    texts = b"".join(found)
    return np.frombuffer(texts[: len(texts) // 16 * 16], "<u4")[::4]


def _check_heaps(content: Content) -> None:
    """Refuse heaps of texts that HDF5 itself does not check.

    A heap is ``GCOL``, a version, its size, and objects: each a number, its size, and
    its bytes. Free space has the number 0, and with a size of 0 it never ends; and
    memory is taken for an object before it is found to end behind its heap.
    """
    for heap in re.finditer(rb"GCOL....(........)", content.data, re.DOTALL):
        place = heap.end()
        end = min(len(content.data), heap.start() + int.from_bytes(heap[1], "little"))
        while place + 16 <= end:
            number, size = struct.unpack_from("<H6xQ", content.data, place)
            step = 16 + (size + 7) // 8 * 8 if number else size
            if not 0 < step <= end - place:
                raise content.bad("a heap of texts in the HDF5 file is damaged.")
            place += step


def _chunks(content: Content, name: str, dataset: Any) -> list[Any]:
    """List the pieces of an array, none of them larger than the file."""
    pieces: list[Any] = []
    dataset.id.chunk_iter(pieces.append)
    if any(piece.size > len(content.data) for piece in pieces):
        raise content.bad(f"the array {name} has pieces larger than the file.")
    return pieces


def _check_chunks(content: Content, name: str, dataset: Any, chunk: int) -> None:
    """Refuse pieces that unpack to more than they may; HDF5 sets them no limit."""
    if dataset.chunks is None or not dataset.id.get_create_plist().get_nfilters():
        return
    for piece in _chunks(content, name, dataset):
        if piece.size * _MOST_UNPACKED <= size_limit() // 2:
            continue
        _, stored = dataset.id.read_direct_chunk(piece.chunk_offset)
        unpacked = len(stored)
        if dataset.compression == "gzip":
            unpacked = len(zlib.decompressobj().decompress(stored, chunk + 1))
        if unpacked > chunk:
            raise content.bad(f"the array {name} unpacks to more than its shape says.")
