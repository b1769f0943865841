"""Opening the file: for writing, and for reading where nothing may be written."""

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from mercer.studies.store.checksums import check_entries, check_structure, damaged
from mercer.studies.store.errors import StoreError
from mercer.studies.store.schema import (
    bring_up_to_date,
    is_current,
    read_version,
    transaction,
)

#: Seconds to wait for a neighbour's transaction, each of which takes milliseconds.
_PATIENCE = 30.0
_PAUSE = 0.01
#: Bytes of the smallest page that SQLite knows.
_SMALLEST = 512
#: Copies of a store that is being written before one is of a single moment.
_COPIES = 20


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the store, or make it; readers and one writer can work at once (WAL)."""
    _check_kind(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # SQLite takes the beginning of a page for a new file; an empty one may be new
    if path.exists() and 0 < path.stat().st_size < _SMALLEST:
        raise damaged(path, "the file is cut off")
    with _connect(str(path)) as connection:
        # before anything is written: a foreign, newer or damaged file stays as it is
        read_version(connection, path)
        check_structure(connection, path)
        _write_ahead(connection)
        # a kill loses nothing, a power cut the last moments, and neither consistency
        connection.execute("PRAGMA synchronous = NORMAL")
        # so that what is replaced is taken off the total, too
        connection.execute("PRAGMA recursive_triggers = ON")
        bring_up_to_date(connection, path)
        check_entries(connection, path)
        # touching the file now tells a read-only one before any work is done
        with transaction(connection):
            connection.execute("DELETE FROM claims WHERE 0")
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Change to a write-ahead log, for which SQLite waits for no neighbour by itself.

    Two runs that make a store at the same moment are such neighbours.
    """
    late = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorname.startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > late:
                raise
        time.sleep(_PAUSE)


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open the store as it is, also on a medium that cannot be written."""
    _check_kind(path)
    if not path.exists():
        raise StoreError(
            f"There is no store {path} yet; `mercer study run` makes one, and --store "
            "names another."
        )
    if path.stat().st_size < _SMALLEST:
        raise damaged(path, "the file is cut off")
    name = quote(os.fsencode(path.resolve()))
    try:
        with _connect(f"file:{name}?mode=ro", uri=True) as opened:
            opened.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        opened = _connect_to_copy(path)
    with _closing_on_error(opened) as connection:
        if is_current(connection, path):
            check_structure(connection, path)
            check_entries(connection, path)
            return connection
    connection.close()
    # reading alone does not know old tables, and updating them needs writing
    return open_for_writing(path)


def _check_kind(path: Path) -> None:
    """SQLite would wait for a pipe, and write beside a device."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        beside = path.with_name(path.name + suffix) if path.name else path
        with suppress(FileNotFoundError, NotADirectoryError):
            mode = beside.stat().st_mode
            if not stat.S_ISREG(mode):
                kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
                raise StoreError(
                    f"The store {path} cannot be opened, since {beside} is {kind}; "
                    "choose another place with --store."
                )


def _connect_to_copy(path: Path) -> sqlite3.Connection:
    """Read a copy in memory: SQLite wants to write beside a file that is in WAL."""
    with tempfile.TemporaryDirectory() as folder:
        _copy_unchanged(path, Path(folder) / "store")
        copy = sqlite3.connect(Path(folder) / "store")
        with closing(copy), _connect(":memory:") as memory:
            copy.backup(memory)
    return memory


def _copy_unchanged(path: Path, copy: Path) -> None:
    """Copy the two files as they are at one moment: somebody else may write them."""
    for _ in range(_COPIES):
        before = _written(path)
        for suffix, written in before.items():
            beside = copy.with_name(copy.name + suffix)
            beside.unlink(missing_ok=True)
            if written:
                shutil.copy(path.with_name(path.name + suffix), beside)
        if _written(path) == before:
            return
    raise StoreError(
        f"The store {path} cannot be written here, and is being written elsewhere all "
        "the time; read it when the run there has ended, or copy it."
    )


def _written(path: Path) -> dict[str, tuple[int, int] | None]:
    """When the store and what is beside it were written, and their sizes."""
    found: dict[str, tuple[int, int] | None] = {}
    for suffix in ("", "-wal"):
        beside = path.with_name(path.name + suffix)
        stats = beside.stat() if beside.exists() else None
        found[suffix] = stats and (stats.st_mtime_ns, stats.st_size)
    return found


@contextmanager
def _connect(name: str, uri: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that is closed where this block ends in an error."""
    connection = sqlite3.connect(
        name, timeout=_PATIENCE, isolation_level=None, uri=uri, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    with _closing_on_error(connection):
        yield connection


@contextmanager
def _closing_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
