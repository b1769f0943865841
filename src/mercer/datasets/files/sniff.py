"""Which of the formats a file is, by its content and not by its name."""

import io
import re
import zipfile

from mercer.datasets.files.content import Content
from mercer.datasets.files.foreign import (
    describe_archive,
    describe_foreign,
    has_control_characters,
)
from mercer.datasets.files.samples import bad_file

_HDF5 = b"\x89HDF\r\n\x1a\n"
_IDX = re.compile(rb"\0\0[\x08\x09\x0b\x0c\x0d\x0e][\x01-\x08]", re.DOTALL)
_PAIR = re.compile(r"[^\s:,;]+(?:\s+qid:\d+)?\s+[-+]?[\w.]+:\S*")


def recognise(content: Content) -> str:
    """Name the format ("hdf5", "npz", "idx", "svmlight", "table"), or say what it is.

    >>> from pathlib import Path
    >>> recognise(Content(Path("a.csv"), b"+1 3:0.5 7:1", ""))
    'svmlight'
    """
    data = content.data
    # An HDF5 file may begin with a user block, whose size is a power of two.
    if any(data.startswith(_HDF5, offset) for offset in (0, 512, 1024, 2048)):
        return "hdf5"
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _recognise_archive(content)
    if _IDX.match(data):
        return "idx"
    if sentence := describe_foreign(data):
        raise bad_file(content.path, sentence)
    if has_control_characters(data):
        raise bad_file(
            content.path,
            "this is a binary file of a kind that Mercer does not know; it reads "
            "HDF5, NPZ, IDX, LIBSVM and CSV or other text tables.",
        )
    return "svmlight" if _looks_like_svmlight(data) else "table"


def _recognise_archive(content: Content) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        raise bad_file(
            content.path, "the NPZ or zip file is cut short or damaged; get it again."
        ) from None
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    raise bad_file(content.path, describe_archive(names))


def _looks_like_svmlight(data: bytes) -> bool:
    start = data[:65536].decode("utf-8-sig", errors="replace")
    lines = [line for line in start.splitlines() if line.strip() and line[0] != "#"]
    return any(_PAIR.match(line.strip()) for line in lines[:20])
