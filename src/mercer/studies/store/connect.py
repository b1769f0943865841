"""Opening the file: for writing, and for reading where nothing may be written."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path
from urllib.parse import quote

from mercer.studies.store.errors import StoreError
from mercer.studies.store.schema import bring_up_to_date, is_current, read_version

#: Seconds to wait for a neighbour's transaction, each of which takes milliseconds.
_PATIENCE = 30.0


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the store, or make it; readers and one writer can work at once (WAL)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = _connect(str(path))
    try:
        # before anything is written: a foreign or newer file stays as it is
        read_version(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        # a kill loses nothing, a power cut the last moments, and neither consistency
        connection.execute("PRAGMA synchronous = NORMAL")
        bring_up_to_date(connection, path)
        # touching the file now tells a read-only one before any work is done
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM claims WHERE 0")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open the store as it is, also on a medium that cannot be written."""
    if not path.exists():
        raise StoreError(
            f"There is no store {path} yet; `mercer study run` makes one, and --store "
            "names another."
        )
    connection = _connect_to_original(path) or _connect_to_copy(path)
    try:
        current = is_current(connection, path)
    except BaseException:
        connection.close()
        raise
    if not current:
        connection.close()
        # reading alone does not know old tables, and updating them needs writing
        return open_for_writing(path)
    return connection


def _connect_to_original(path: Path) -> sqlite3.Connection | None:
    connection = _connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        return None
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_to_copy(path: Path) -> sqlite3.Connection:
    """Read a copy in memory: SQLite wants to write beside a file that is in WAL."""
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            source = path.with_name(path.name + suffix)
            if source.exists():
                shutil.copy(source, Path(folder) / f"store{suffix}")
        disk = _connect(str(Path(folder) / "store"))
        memory = _connect(":memory:")
        try:
            disk.backup(memory)
        finally:
            disk.close()
    return memory


def _connect(name: str, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name, timeout=_PATIENCE, isolation_level=None, uri=uri, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection
