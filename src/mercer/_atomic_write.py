"""A file that is either there whole or not there."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file under another name in the same folder, and then give it its own.

    A full disk or an interrupt leaves what was there before. The mode is the umask's.
    """
    # through a link, so that the link stays one
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(21, "Is a directory", os.fspath(path))
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(4)}.part")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    # not every file system can; the file itself is safe by now
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
