r"""The outside of a model file: a header of 72 bytes, then the payload.

====== ======== ====================================================================
bytes  type     what
====== ======== ====================================================================
0-7    8 bytes  ``\x93MERCER\n``; the first byte is not text, the last one shows
                whether line ends were changed on the way
8-11   uint32   the version of the format, 1
12-31  20 bytes the version of Mercer that wrote the file, ASCII filled with zeros
32-39  uint64   the length of the payload
40-71  32 bytes SHA-256 of bytes 0-39 and the payload
72-    bytes    the payload
====== ======== ====================================================================

Numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from typing import BinaryIO

from mercer._memory import VARIABLE, format_bytes, memory_budget
from mercer._version import __version__

MAGIC = b"\x93MERCER\n"
FORMAT = 1
_FIELDS = struct.Struct("<8sI20sQ")
HEADER_SIZE = _FIELDS.size + hashlib.sha256().digest_size
# the payload, its entries, and the arrays made of them
_COPIES = 3

_FOREIGN = {
    b"\x80": "this is a pickle (or joblib) file, which can run any program when it is "
    "opened, so Mercer never opens one; save the model with mercer.save.",
    b"PK": "this is a zip archive (perhaps of skops itself), not a Mercer model file; "
    "save the model with mercer.save.",
    b"\x89HDF": "this is an HDF5 file, not a Mercer model file; data are read with "
    "mercer.load_dataset.",
    b"\x1f\x8b": "this is packed with gzip; unpack it first.",
}


class Fault(Exception):
    """One thing that is wrong, as the end of a sentence that begins with the file."""


def pack(payload: bytes, version: str = __version__, format: int = FORMAT) -> bytes:
    """Put the header before a payload."""
    start = _FIELDS.pack(MAGIC, format, version.encode()[:20], len(payload))
    return start + _digest(start, payload) + payload


def read_payload(path: str) -> bytes:
    """Read the payload of a file whose header, length and checksum are right."""
    _check_kind(path)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_FIELDS.size)
        length = _check_start(start, size)
        digest = file.read(HEADER_SIZE - _FIELDS.size)
        payload = _read_exactly(file, length)
    if _digest(start, payload) != digest:
        raise Fault(
            "the checksum does not match, so the file was altered or damaged; "
            "get it again from where it was made."
        )
    return payload


def _digest(start: bytes, payload: bytes) -> bytes:
    digest = hashlib.sha256(start)
    digest.update(payload)
    return digest.digest()


def _check_kind(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise Fault("there is no such file.") from None
    except ValueError:  # a zero byte in the name
        raise Fault("this cannot be the name of a file.") from None
    if stat.S_ISDIR(mode):
        raise Fault("this is a folder, not a model file.")
    if not stat.S_ISREG(mode):
        raise Fault("this is not a regular file.")


def _check_start(start: bytes, size: int) -> int:
    """Check all of the header but the checksum; returns the payload's length."""
    if not start:
        raise Fault("the file is empty; save the model again.")
    if not start.startswith(MAGIC[: len(start)]):
        raise Fault(_describe_foreign(start))
    if len(start) < _FIELDS.size or size < HEADER_SIZE:
        raise Fault("the file ends within its header; get it again or save it again.")
    _, format, version, length = _FIELDS.unpack(start)
    if format != FORMAT:
        raise Fault(_describe_format(format, version))
    if length != size - HEADER_SIZE:
        what = "cut off" if length > size - HEADER_SIZE else "followed by other bytes"
        raise Fault(
            f"the model is {what}: {size - HEADER_SIZE} bytes are there and {length} "
            "are announced; get the file again from where it was made."
        )
    _check_memory(length)
    return int(length)


def _describe_foreign(start: bytes) -> str:
    for sign, text in _FOREIGN.items():
        if start.startswith(sign):
            return text
    return "this is not a Mercer model file; mercer.save writes them."


def _describe_format(format: int, version: bytes) -> str:
    if format < FORMAT:
        return f"model format {format} does not exist; the file is damaged."
    text = version.rstrip(b"\0").decode("ascii", "replace")
    written = "".join(sign if sign.isprintable() else "?" for sign in text)
    return (
        f"the file was written by a newer Mercer ({written}, model format {format}); "
        f"this is {__version__}, which reads format {FORMAT}; upgrade Mercer."
    )


def _check_memory(length: int) -> None:
    budget = memory_budget()
    if _COPIES * length > budget:
        raise Fault(
            f"reading it takes about {format_bytes(_COPIES * length)} and the memory "
            f"budget is {format_bytes(budget)}; raise it with {VARIABLE}."
        )


def _read_exactly(file: BinaryIO, length: int) -> bytes:
    payload = file.read(length)
    if len(payload) != length or file.read(1):
        raise Fault("the file changed while it was read; try again.")
    return payload
