"""Checksums: what results are read from carries one, in the last column of its table.

A store is checked as a whole when it is opened: SQLite looks through the structure of
the file, the checksums tell whether a value is another one than was stored, and their
total, which triggers keep, whether all entries are there and none is from before.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mercer.studies.store.errors import StoreError

#: The tables whose last column is the checksum of the others, and these others.
SEALED = {
    "datasets": "id, facts",
    "machines": "id, facts",
    "plans": "id, study, data, seed, quick, command, created, updated",
    "plan_cells": "plan, position, key, bunch",
    "rows": "key, study, study_version, data, params, seed, result, timing, seconds, "
    "notes, mercer, machine, created, memory",
    "failures": "key, message, created",
    "images": "data, sample, height, width, pixels",
}


def checksum(*values: Any) -> int:
    """The CRC-32 of values as SQLite keeps them: True, 1 and 1.0 are the same.

    >>> checksum("a row", 1, None) == checksum("a row", 1.0, None)
    True
    """
    # unlike repr, ascii does not depend on what Unicode knows by now
    return zlib.crc32(ascii([*map(_as_stored, values)]).encode())


def _as_stored(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)  # also of subclasses, as NumPy's
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value)
    return int(value) if isinstance(value, int) else value


def put(
    db: sqlite3.Connection, table: str, entries: Iterable[Sequence[Any]], *, new: bool
) -> None:
    """Write entries with their checksums, in place of older ones unless only `new`."""
    sealed = [(*entry, checksum(*entry)) for entry in entries]
    places = ", ".join("?" * (1 + len(SEALED[table].split(","))))
    otherwise = "IGNORE" if new else "REPLACE"
    db.executemany(f"INSERT OR {otherwise} INTO {table} VALUES ({places})", sealed)


@contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Read the store as it is at one moment, whatever others write meanwhile."""
    if db.in_transaction:
        yield
        return
    try:  # Ctrl-C may come as soon as it has begun
        db.execute("BEGIN")
        yield
    finally:
        _end(db)


def _end(db: sqlite3.Connection) -> None:
    """End what was begun; nothing was written."""
    if db.in_transaction:
        db.execute("ROLLBACK")


def check_structure(db: sqlite3.Connection, path: Path) -> None:
    """Complain unless every table and index is whole, and they agree."""
    found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        # below a heading between stars
        raise damaged(path, " ".join(str(found).rpartition("***")[2].split()))


def check_entries(db: sqlite3.Connection, path: Path) -> None:
    """Complain about an entry that is not what was stored, or if any is not there."""
    with snapshot(db):
        total = sum(_check_table(db, path, table) for table in SEALED)
        stated = [row[0] for row in db.execute("SELECT checksum FROM total")]
    if stated != [total]:
        raise damaged(path, "its entries are not those that were stored last")


def _check_table(db: sqlite3.Connection, path: Path, table: str) -> int:
    """The sum of a table's checksums, each of which is compared with its entry."""
    total = 0
    entries = db.execute(f"SELECT {SEALED[table]}, checksum FROM {table}")
    for place, entry in enumerate(entries, start=1):
        found = checksum(*entry[:-1])
        total += found
        if found != entry[-1]:
            named = ", ".join(ascii(value)[:40] for value in entry[:2])
            named = f"entry {place} of its table {table} ({named})"
            raise damaged(path, f"{named} is not what was stored")
    return total


def damaged(path: Path, what: str) -> StoreError:
    """The error for a file that is not as it was written."""
    return StoreError(
        f"The store {path} is damaged: {what}. It was left as it is, and nothing of it "
        "is used. Put a copy of it back, or choose another place with --store."
    )
