"""The bytes of a file: read once, unpacked by what they are, never without a limit."""

import bz2
import gzip
import hashlib
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import IO, Any

from mercer._memory import format_bytes, memory_budget
from mercer.exceptions import DataError, MercerError

#: No file may unpack to more than this, whatever the memory budget says.
MAX_BYTES = 8 * 2**30

_CHUNK = 2**20
_LINE = re.compile(rb"[^\r\n]+")
_TWO, _FOUR = re.compile(rb"[\xc4-\xff]"), re.compile(rb"[\xf0-\xff]")
#: Python's own objects: a line with its number and labels; a field for each two bytes.
_LINE_BYTES, _FIELD_BYTES = 300, 128
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
_OPENERS: dict[str, Callable[..., Any]] = {"gzip": gzip.open, "bzip2": bz2.open}


def printable(text: object) -> str:
    r"""Write a path or a text on one line, whatever signs it holds.

    >>> printable("caf\udce9\n.csv")
    'caf��.csv'
    """
    return "".join(sign if sign.isprintable() else "�" for sign in str(text))


def bad_file(path: Path | str, text: str) -> DataError:
    """Make the one sentence about a file."""
    return DataError(printable(f"{path}: {text}"))


def unpacked_name(path: Path) -> str:
    """The name of a file without the ending of its packing."""
    return path.name.removesuffix(".gz").removesuffix(".bz2")


def find_packed(path: Path) -> Path | None:
    """Find a file that may be packed, and is spelt with ``-idx`` or ``.idx``."""
    names = path.name, path.name.replace("-idx", ".idx"), path.name.replace(".i", "-i")
    for name, end in product(names, ("", ".gz", ".bz2")):
        if (found := path.with_name(name + end)).is_file():
            return found
    return None


def size_limit() -> int:
    """Bytes that one file may take in memory."""
    return min(MAX_BYTES, memory_budget())


@dataclass(frozen=True)
class Content:
    """A file's bytes after unpacking, and the checksum of the bytes as stored."""

    path: Path
    data: bytes
    sha256: str = ""

    @cached_property
    def content_sha256(self) -> str:
        """The checksum after unpacking: the same for a file and its gzip."""
        return hashlib.sha256(self.data).hexdigest()

    def text(self) -> str:
        """Decode UTF-8, with or without a byte order mark; line ends are newlines."""
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise self.bad(
                f"line {line} is not UTF-8 text; save the file as UTF-8."
            ) from None
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def bad(self, text: str) -> DataError:
        """Make the one sentence about this file."""
        return bad_file(self.path, text)

    def check_size(self, what: str, size: int) -> None:
        """Refuse to build what would, beside these bytes, take too much memory."""
        if size + len(self.data) > size_limit():
            raise self.bad(
                f"{what} {format_bytes(size)}, which is beyond the limit here; "
                "raise MERCER_MEMORY_BUDGET if that is meant."
            )

    def text_size(self) -> int:
        """Bytes that the text takes as lines, fields and labels, at the very most."""
        n_lines = longest = 0
        for line in _LINE.finditer(self.data):
            n_lines += 1
            longest = max(longest, line.end() - line.start())
        # One sign that needs more makes Python take two or four bytes for every sign.
        wide = 4 if _FOUR.search(self.data) else 2 if _TWO.search(self.data) else 1
        copies = 3 * wide * len(self.data)
        # Blank lines are found out only when all are split.
        n_ends = self.data.count(b"\n") + self.data.count(b"\r")
        return copies + 8 * n_ends + _LINE_BYTES * n_lines + _FIELD_BYTES * longest

    @contextmanager
    def reading(self, complaint: str) -> Iterator[None]:
        """Make one sentence of whatever a library raises on damaged bytes."""
        try:
            yield
        except MercerError:
            raise
        except Exception as error:
            why = str(error) or type(error).__name__
            raise self.bad(f"{complaint} ({why}); get the file again.") from None


def read_content(path: Path) -> Content:
    """Read a file and unpack it if it is gzip or bzip2, whatever its name says."""
    stored = _read_stored(path)
    if not stored:
        raise bad_file(path, "the file is empty; get it again from where it came from.")
    data = _unpack(path, stored)
    if not data:
        raise bad_file(path, "there is nothing inside the packed file; get it again.")
    return Content(path, data, hashlib.sha256(stored).hexdigest())


def packing(data: bytes) -> str | None:
    """Tell "gzip" or "bzip2" from the first bytes.

    >>> packing(b"BZh91AY&SY"), packing(b"BZh is a word")
    ('bzip2', None)
    """
    if data[:3] == b"\x1f\x8b\x08":
        return "gzip"
    if data[:3] == b"BZh" and data[3:4].isdigit() and data[4:10] in _BZIP2_BLOCKS:
        return "bzip2"
    return None


def _read_stored(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= size_limit():
            # No more than its size: /proc/kmsg has none, and reading it waits for ever.
            if not status.st_size:
                return b""
            with open(path, "rb", opener=_open_without_waiting) as file:
                return file.read(status.st_size)
    except (FileNotFoundError, NotADirectoryError):
        raise bad_file(path, "there is no such file; look at the path.") from None
    except PermissionError:
        raise bad_file(path, "the file may not be read; look at its rights.") from None
    except (OSError, ValueError) as error:
        raise bad_file(path, f"the file cannot be read ({error}).") from None
    if stat.S_ISDIR(status.st_mode):
        raise bad_file(
            path,
            "this is a folder; give a file in it, or set MERCER_DATA to it (pictures "
            "in folders become one NPZ file first, as the page on images shows).",
        )
    if not stat.S_ISREG(status.st_mode):
        raise bad_file(path, "this is a device or a pipe; give a file.")
    raise _too_large(path, "the file has")


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _unpack(path: Path, stored: bytes) -> bytes:
    kind = packing(stored)
    if kind is None:
        return stored
    try:
        with _OPENERS[kind](io.BytesIO(stored)) as stream:
            data = _read_limited(path, stream, size_limit() - len(stored))
    except EOFError:
        raise bad_file(
            path, f"the {kind} file is cut short; get it again, whole."
        ) from None
    except (OSError, zlib.error) as error:
        raise bad_file(
            path, f"the {kind} file is damaged ({error}); get it again."
        ) from None
    if packing(data):
        raise bad_file(path, "the file is packed twice; unpack it once.")
    return data


def _read_limited(path: Path, stream: IO[bytes], limit: int) -> bytes:
    # It grows in place, where joining pieces would hold everything twice.
    data = io.BytesIO()
    while piece := stream.read(_CHUNK):
        if data.tell() + len(piece) > limit:
            raise _too_large(path, "the file unpacks to")
        data.write(piece)
    return data.getvalue()


def _too_large(path: Path, what: str) -> DataError:
    return bad_file(
        path,
        f"{what} more than {format_bytes(size_limit())}, which is the limit here; "
        "raise MERCER_MEMORY_BUDGET if that is meant.",
    )
