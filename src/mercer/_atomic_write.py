"""A file that is either there whole or not there."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file under another name in the same folder, and then give it its own.

    A full disk or an interrupt leaves what was there before. The mode is the umask's.
    A device or a pipe is no file to be replaced: it is written to.
    """
    # through a link, so that the link stays one
    target = os.path.realpath(path)
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if _is_special(path):
            _write_to_special(path, content)
        else:
            _replace(target, content)
    except OSError as error:
        error.filename = os.fspath(path)  # rather than the other name, or none
        raise


def _replace(target: str, content: bytes) -> None:
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".{secrets.token_hex(6)}.mercer-part")
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


def _is_special(path: str | os.PathLike[str]) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def _write_to_special(path: str | os.PathLike[str], content: bytes) -> None:
    # a pipe that nobody reads is an error at once instead of waited for
    handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(handle, True)
    with open(handle, "wb") as file:
        file.write(content)


def _sync_folder(folder: str) -> None:
    # not every file system can; the file itself is safe by now
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
