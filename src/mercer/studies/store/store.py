"""`Store`: rows in, rows out; each write is a transaction of its own."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from mercer.studies.plain import Plain, fingerprint, to_text
from mercer.studies.row import Row
from mercer.studies.store import connect, schema
from mercer.studies.store.checksums import damaged, put
from mercer.studies.store.errors import in_sentences
from mercer.studies.store.records import Failure, PlanRecord, Run, StoredImage

_ROWS = """
SELECT rows.key, study, data, params, seed, result AS "values", timing, seconds, notes,
    mercer AS version, machines.facts AS machine, created, memory
FROM rows JOIN machines ON machines.id = rows.machine
"""
_ROWS_OF_PLAN = f"{_ROWS} JOIN plan_cells USING (key) WHERE plan = ?"
_PLANS = """
SELECT plans.id, plans.study, plans.data, plans.seed, plans.quick, plans.command,
    plans.created, plans.updated, coalesce(datasets.facts, '{}') AS facts,
    count(plan_cells.key) AS total, count(rows.key) AS done,
    count(failures.key) AS failed, count(claims.key) AS running,
    coalesce(sum(rows.seconds), 0) AS seconds, max(rows.memory) AS memory
FROM plans
LEFT JOIN datasets ON datasets.id = plans.data
LEFT JOIN plan_cells ON plan_cells.plan = plans.id
LEFT JOIN rows ON rows.key = plan_cells.key
LEFT JOIN failures ON failures.key = plan_cells.key AND rows.key IS NULL
LEFT JOIN claims ON claims.key = plan_cells.key
GROUP BY plans.id ORDER BY plans.updated, plans.rowid
"""
#: How columns are read that SQLite has no type for.
_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("params", "values", "timing", "machine", "facts"), json.loads),
    "notes": lambda text: tuple(json.loads(text)),
    "quick": bool,
}

_T = TypeVar("_T", Row, PlanRecord, Failure)


class Store:
    """The results of studies, in one SQLite file.

    Parameters
    ----------
    path : path
        The file; it is made if it is not there.
    readonly : bool
        Only read; works on a medium that cannot be written, too.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store(f"{folder}/store.sqlite") as store:
    ...         store.rows()
    []
    """

    def __init__(self, path: str | Path, readonly: bool = False) -> None:
        self.path = Path(path)
        with in_sentences(self.path):
            opened = connect.open_for_reading if readonly else connect.open_for_writing
            self._connection = opened(self.path)

    def close(self) -> None:
        """Close the file."""
        with in_sentences(self.path):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and no other writer in between."""
        with in_sentences(self.path), schema.transaction(self._connection) as db:
            yield db

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Read something."""
        with in_sentences(self.path):
            return self._connection.execute(sql, parameters).fetchall()

    def add_dataset(self, name: str, facts: Mapping[str, Plain]) -> None:
        """Remember what is known about a data set."""
        with self.transaction() as db:
            put(db, "datasets", [(name, to_text(facts))], new=False)

    def add_plan(self, run: Run, cells: Iterable[tuple[str, str]]) -> None:
        """Remember what was asked for: cells as pairs of key and group."""
        now = time.time()
        places = [(run.id, place, *cell) for place, cell in enumerate(cells)]
        with self.transaction() as db:
            found = db.execute("SELECT created FROM plans WHERE id = ?", (run.id,))
            created = (found.fetchone() or [now])[0]
            put(db, "plans", [(*astuple(run), created, now)], new=False)
            db.execute("DELETE FROM plan_cells WHERE plan = ?", (run.id,))
            put(db, "plan_cells", places, new=True)

    def plans(self) -> list[PlanRecord]:
        """What was asked for, the latest last, with how far it is."""
        return self._records(PlanRecord, _PLANS)

    def add_row(
        self, row: Row, study_version: int = 1, images: Iterable[StoredImage] = ()
    ) -> bool:
        """Keep a finished cell; False if an equal or later one is there already."""
        machine = fingerprint(row.machine)
        asked = row.key, row.study, study_version, row.data, row.params, row.seed
        found = row.values, row.timing, row.seconds, row.notes, row.version, machine
        entry = [_plain(value) for value in (*asked, *found, row.created, row.memory)]
        pictures = [
            (row.data, i.sample, *i.pixels.shape, i.pixels.tobytes()) for i in images
        ]
        with self.transaction() as db:
            later = db.execute(
                "SELECT 1 FROM rows WHERE key = ? AND created >= ?",
                (row.key, row.created),
            ).fetchone()
            if not later:
                put(db, "machines", [(machine, to_text(row.machine))], new=True)
                put(db, "rows", [entry], new=False)
            for table in ("claims", "failures"):
                db.execute(f"DELETE FROM {table} WHERE key = ?", (row.key,))
            put(db, "images", pictures, new=True)
        return not later

    def add_failure(self, key: str, message: str) -> None:
        """Keep why a cell failed, and let go of it."""
        with self.transaction() as db:
            put(db, "failures", [(key, message, time.time())], new=False)
            db.execute("DELETE FROM claims WHERE key = ?", (key,))

    def done(self, plan: str, since: float = 0.0) -> set[str]:
        """Keys of the plan's cells that are stored, and not before `since`."""
        found = self.query(
            "SELECT rows.key FROM plan_cells JOIN rows USING (key) "
            "WHERE plan = ? AND created >= ?",
            (plan, since),
        )
        return {row["key"] for row in found}

    def failures(self, plan: str, since: float = 0.0) -> list[Failure]:
        """The plan's cells that failed, and not before `since`."""
        return self._records(
            Failure,
            "SELECT key, message, created FROM plan_cells JOIN failures USING (key) "
            "WHERE plan = ? AND created >= ? ORDER BY position",
            *(plan, since),
        )

    def rows(self, plan: str | None = None, study: str | None = None) -> list[Row]:
        """Rows of a plan in its order, or of a study, or all, in order of creation."""
        if plan is not None:
            return self._rows(f"{_ROWS_OF_PLAN} ORDER BY position", plan)
        if study is not None:
            return self._rows(f"{_ROWS} WHERE study = ? ORDER BY created, key", study)
        return self._rows(f"{_ROWS} ORDER BY created, key")

    def latest(self, plan: str) -> Row | None:
        """The row of the plan that was stored last."""
        found = self._rows(f"{_ROWS_OF_PLAN} ORDER BY created DESC LIMIT 1", plan)
        return found[0] if found else None

    def _rows(self, sql: str, *parameters: str) -> list[Row]:
        return self._records(Row, sql, *parameters)

    def _records(self, kind: type[_T], sql: str, *parameters: Any) -> list[_T]:
        found = self.query(sql, parameters)
        try:
            return [kind(**_read(entry)) for entry in found]
        except (TypeError, ValueError) as error:  # from before there were checksums
            what = f"a {kind.__name__} in it cannot be read ({error})"
            raise damaged(self.path, what) from error

    def images(self, data: str, samples: Iterable[int]) -> dict[int, StoredImage]:
        """The images of some samples, those that are kept."""
        images = {}
        for sample in samples:
            for found in self.query(
                "SELECT * FROM images WHERE data = ? AND sample = ?", (data, sample)
            ):
                pixels = np.frombuffer(found["pixels"], np.uint8)
                shape = found["height"], found["width"]
                images[sample] = StoredImage(sample, pixels.reshape(shape))
        return images


def _plain(value: Any) -> Any:
    return to_text(value) if isinstance(value, Mapping | tuple) else value


def _read(found: sqlite3.Row) -> dict[str, Any]:
    fields = dict(found)
    return fields | {n: read(fields[n]) for n, read in _READ.items() if n in fields}
