"""What can be wrong with a store, in a sentence each."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mercer.exceptions import MercerError


class StoreError(MercerError, OSError):
    """The store of results cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0])


@contextmanager
def in_sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's complaints about the file into sentences."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_describe(error, path)) from error
    except FileExistsError as error:
        raise StoreError(
            f"The folder of the store {path} cannot be made, since {error.filename} is "
            "a file; choose another place with --store."
        ) from error
    except (OSError, UnicodeError) as error:
        if isinstance(error, StoreError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise StoreError(
            f"The store {path} cannot be opened ({reason}); choose another place with "
            "--store."
        ) from error


_SENTENCES = {
    ("SQLITE_FULL", "SQLITE_IOERR_WRITE"): (
        "The disk with the store {path} is full; every finished cell is stored. "
        "Make room and run the same command again: it goes on from there."
    ),
    ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"): (
        "The store {path} cannot be written, as the file or its folder is "
        "read-only; choose another place with --store."
    ),
    ("SQLITE_CORRUPT", "SQLITE_NOTADB"): (
        "The file {path} is damaged or is no store of Mercer; it was left as it "
        "is. Put a copy of it back, or choose another place with --store."
    ),
    ("SQLITE_BUSY", "SQLITE_LOCKED"): (
        "The store {path} is in use by another program and stayed locked; close "
        "that and run the same command again: it goes on from there."
    ),
}


def _describe(error: sqlite3.Error, path: Path) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    for beginnings, sentence in _SENTENCES.items():
        if name.startswith(beginnings):
            return sentence.format(path=path)
    return f"The store {path} does not work ({error}); every finished cell is kept."
