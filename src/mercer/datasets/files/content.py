"""The bytes of a file: read once, unpacked by what they are, never without a limit."""

import bz2
import gzip
import hashlib
import io
import stat
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import IO, Any

from mercer._memory import format_bytes, memory_budget
from mercer.exceptions import DataError

#: No file may unpack to more than this, whatever the memory budget says.
MAX_BYTES = 8 * 2**30

_CHUNK = 2**20
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
_OPENERS: dict[str, Callable[..., Any]] = {"gzip": gzip.open, "bzip2": bz2.open}


def bad_file(path: Path | str, text: str) -> DataError:
    """Make the one sentence about a file, on one line whatever the file holds."""
    line = "".join(sign if sign.isprintable() else "�" for sign in text)
    return DataError(f"{path}: {line}")


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
        """Refuse arrays that take too much memory."""
        if size > size_limit():
            raise self.bad(
                f"{what} {format_bytes(size)}, which is beyond the limit here; "
                "raise MERCER_MEMORY_BUDGET if that is meant."
            )


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
            return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise bad_file(path, "there is no such file; look at the path.") from None
    except PermissionError:
        raise bad_file(path, "the file may not be read; look at its rights.") from None
    except (OSError, ValueError) as error:
        raise bad_file(path, f"the file cannot be read ({error}).") from None
    if stat.S_ISDIR(status.st_mode):
        raise bad_file(
            path, "this is a folder; give a file in it, or set MERCER_DATA to it."
        )
    if not stat.S_ISREG(status.st_mode):
        raise bad_file(path, "this is a device or a pipe; give a file.")
    raise _too_large(path, "the file has")


def _unpack(path: Path, stored: bytes) -> bytes:
    kind = packing(stored)
    if kind is None:
        return stored
    try:
        with _OPENERS[kind](io.BytesIO(stored)) as stream:
            data = _read_limited(path, stream)
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


def _read_limited(path: Path, stream: IO[bytes]) -> bytes:
    limit = size_limit()
    pieces, size = [], 0
    while piece := stream.read(_CHUNK):
        size += len(piece)
        if size > limit:
            raise _too_large(path, "the file unpacks to")
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(path: Path, what: str) -> DataError:
    return bad_file(
        path,
        f"{what} more than {format_bytes(size_limit())}, which is the limit here; "
        "raise MERCER_MEMORY_BUDGET if that is meant.",
    )
