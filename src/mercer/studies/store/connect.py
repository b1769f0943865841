"""Opening the file: for writing, and for reading where nothing may be written."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from mercer.studies.store.errors import StoreError
from mercer.studies.store.schema import (
    bring_up_to_date,
    is_current,
    read_version,
    transaction,
)

#: Seconds to wait for a neighbour's transaction, each of which takes milliseconds.
_PATIENCE = 30.0


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the store, or make it; readers and one writer can work at once (WAL)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _connect(str(path)) as connection:
        # before anything is written: a foreign or newer file stays as it is
        read_version(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # a kill loses nothing, a power cut the last moments, and neither consistency
        connection.execute("PRAGMA synchronous = NORMAL")
        bring_up_to_date(connection, path)
        # touching the file now tells a read-only one before any work is done
        with transaction(connection):
            connection.execute("DELETE FROM claims WHERE 0")
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open the store as it is, also on a medium that cannot be written."""
    if not path.exists():
        raise StoreError(
            f"There is no store {path} yet; `mercer study run` makes one, and --store "
            "names another."
        )
    try:
        with _connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True) as opened:
            opened.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        opened = _connect_to_copy(path)
    with _closing_on_error(opened) as connection:
        if is_current(connection, path):
            return connection
    connection.close()
    # reading alone does not know old tables, and updating them needs writing
    return open_for_writing(path)


def _connect_to_copy(path: Path) -> sqlite3.Connection:
    """Read a copy in memory: SQLite wants to write beside a file that is in WAL."""
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            source = path.with_name(path.name + suffix)
            if source.exists():
                shutil.copy(source, Path(folder) / f"store{suffix}")
        copy = sqlite3.connect(Path(folder) / "store")
        with closing(copy), _connect(":memory:") as memory:
            copy.backup(memory)
    return memory


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
