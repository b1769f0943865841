"""Claims: which cell is being worked on, and by whom.

A claim names a process. It holds as long as that process lives, where that can be seen
(same machine, same process numbers), and otherwise as long as its heartbeat is fresh.
The claim of a dead process is taken over at once, so nobody waits for a ghost.
"""

import os
import platform
import secrets
import sqlite3
import threading
import time
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Self

import psutil

from mercer.studies.plain import fingerprint
from mercer.studies.store.errors import StoreError
from mercer.studies.store.store import Store

HEARTBEAT = 5.0
LEASE = 60.0
#: Those in this process whose work has not ended.
_OWNERS: set[str] = set()


class Claimed(Enum):
    """What came of asking for a cell."""

    MINE = "mine"
    BUSY = "somebody else is at it"
    DONE = "its row is there"


class Claims:
    """The claims of one worker in a store; a thread keeps them fresh."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owner = secrets.token_hex(8)
        _OWNERS.add(self._owner)
        me = psutil.Process()
        self._process = _place(), me.pid, me.create_time()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        # of its own: the worker's may be in a transaction
        self._connection = Store(self._store.path)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._connection.close()
        _OWNERS.discard(self._owner)
        # what went wrong inside is the news, not that the disk is still full
        with suppress(StoreError), self._store.transaction() as db:
            db.execute("DELETE FROM claims WHERE owner = ?", (self._owner,))

    def take(self, key: str, since: float = 0.0) -> Claimed:
        """Ask for a cell; rows from before `since` do not count."""
        with self._store.transaction() as db:
            row = db.execute(
                "SELECT 1 FROM rows WHERE key = ? AND created >= ?", (key, since)
            )
            if row.fetchone():
                return Claimed.DONE
            claim = db.execute("SELECT * FROM claims WHERE key = ?", (key,)).fetchone()
            if claim and self._holds(claim):
                return Claimed.BUSY
            db.execute(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)",
                (key, self._owner, *self._process, time.time()),
            )
            return Claimed.MINE

    def groups_of_others(self, plan: str) -> set[str]:
        """The groups that other workers are at, whose Grams they have made."""
        found = self._store.query(
            "SELECT claims.*, bunch FROM claims JOIN plan_cells USING (key) "
            "WHERE plan = ? AND owner != ?",
            (plan, self._owner),
        )
        return {claim["bunch"] for claim in found if self._holds(claim)}

    def _holds(self, claim: sqlite3.Row) -> bool:
        try:
            if tuple(claim)[2:5] == self._process:
                return claim["owner"] in _OWNERS
            if claim["place"] == self._process[0]:
                return _is_alive(claim["pid"], claim["started"])
            return bool(claim["heartbeat"] > time.time() - LEASE)
        except (TypeError, ValueError, OverflowError):
            return False  # a damaged claim names no process

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT):
            # a missed beat is no harm: the lease is much longer
            with suppress(StoreError), self._connection.transaction() as db:
                db.execute(
                    "UPDATE claims SET heartbeat = ? WHERE owner = ?",
                    (time.time(), self._owner),
                )


def _is_alive(pid: int, started: float) -> bool:
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) < 1.0
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def _place() -> str:
    """Where a process number means the same process: machine, boot and container."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii"))
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return fingerprint(*parts)
