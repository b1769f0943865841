"""The tables, version by version.

Version n of the store is what the first n of `MIGRATIONS` make. A new version is a new
entry at the end; what is there stays as it is, since it has made files out there. An
older file is brought up to date when it is opened for writing, after a copy of it has
been put beside it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from mercer.studies.store.checksums import SEALED, checksum, snapshot
from mercer.studies.store.errors import StoreError

#: "Merc": tells a store from other SQLite files.
APPLICATION = 0x4D657263

_FIRST = """
CREATE TABLE datasets (id TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE machines (id TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE plans (
    id TEXT PRIMARY KEY, study TEXT NOT NULL, data TEXT NOT NULL,
    seed INTEGER NOT NULL, quick INTEGER NOT NULL, command TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
);
CREATE TABLE plan_cells (
    plan TEXT NOT NULL REFERENCES plans (id), position INTEGER NOT NULL,
    key TEXT NOT NULL, bunch TEXT NOT NULL, PRIMARY KEY (plan, position)
) WITHOUT ROWID;
CREATE INDEX plan_cells_by_key ON plan_cells (key);
CREATE TABLE rows (
    key TEXT PRIMARY KEY, study TEXT NOT NULL, study_version INTEGER NOT NULL,
    data TEXT NOT NULL, params TEXT NOT NULL, seed INTEGER NOT NULL,
    result TEXT NOT NULL, timing TEXT NOT NULL, seconds REAL NOT NULL,
    notes TEXT NOT NULL, mercer TEXT NOT NULL,
    machine TEXT NOT NULL REFERENCES machines (id), created REAL NOT NULL
);
CREATE TABLE claims (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, place TEXT NOT NULL,
    pid INTEGER NOT NULL, started REAL NOT NULL, heartbeat REAL NOT NULL
);
CREATE TABLE failures (
    key TEXT PRIMARY KEY, message TEXT NOT NULL, created REAL NOT NULL
);
CREATE TABLE images (
    data TEXT NOT NULL, sample INTEGER NOT NULL, height INTEGER NOT NULL,
    width INTEGER NOT NULL, pixels BLOB NOT NULL, PRIMARY KEY (data, sample)
) WITHOUT ROWID;
"""
_MEMORY = "ALTER TABLE rows ADD COLUMN memory INTEGER"

_CHECKSUMS = "CREATE TABLE total (checksum INTEGER NOT NULL);" + "".join(
    f"""
ALTER TABLE {table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE {table} SET checksum = checksum_of({columns});
CREATE TRIGGER {table}_in AFTER INSERT ON {table} BEGIN
    UPDATE total SET checksum = checksum + new.checksum;
END;
CREATE TRIGGER {table}_out AFTER DELETE ON {table} BEGIN
    UPDATE total SET checksum = checksum - old.checksum;
END;
"""
    for table, columns in SEALED.items()
)
_CHECKSUMS += "INSERT INTO total SELECT coalesce(sum(checksum), 0) FROM (" + (
    " UNION ALL ".join(f"SELECT checksum FROM {table}" for table in SEALED) + ")"
)

MIGRATIONS: tuple[str, ...] = (_FIRST, _MEMORY, _CHECKSUMS)


def read_version(connection: sqlite3.Connection, path: Path) -> int:
    """The store's version; 0 for a new file, an error for a foreign or newer one."""
    with snapshot(connection):  # another process may be making the tables
        version = _pragma(connection, "user_version")
        application = _pragma(connection, "application_id")
        has_tables = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    if application != APPLICATION:
        if version or application or has_tables:
            raise StoreError(
                f"The file {path} is a SQLite file of some other program; it was left "
                "as it is. Choose another place with --store."
            )
        return 0
    if version > len(MIGRATIONS):
        raise StoreError(
            f"The store {path} was written by a newer Mercer (version {version} of the "
            f"store, this one knows {len(MIGRATIONS)}); it was left as it is. Update "
            "Mercer, or choose another place with --store."
        )
    return version


def is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the tables are those of this version."""
    return read_version(connection, path) == len(MIGRATIONS)


def bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file, or those that newer versions added."""
    if is_current(connection, path):
        return
    if version := read_version(connection, path):
        beside = path.with_name(f"{path.name}.v{version}")
        with closing(sqlite3.connect(beside)) as copy:
            connection.backup(copy)
    connection.create_function("checksum_of", -1, checksum, deterministic=True)
    with transaction(connection):
        # another process may have been faster
        for script in MIGRATIONS[read_version(connection, path) :]:
            for statement in _statements(script):  # executescript would end it
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing, and no other writer in between."""
    try:  # Ctrl-C may come as soon as it has begun
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; those within a trigger are part of it."""
    statement = ""
    for part in script.split(";"):
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
