import dataclasses
import shutil
import sqlite3

import numpy as np
import pytest

from mercer.studies import Row, Store, StoreError
from mercer.studies.store import StoredImage, schema


def row(key="k", created=1.0, **values):
    return Row(
        key,
        "tiny",
        "data",
        {"die": 6},
        7,
        values or {"roll": 0.1},
        {"throw": 0.5},
        2.0,
        ("a warning",),
        "0.1",
        {"cores": 2},
        created,
    )


def test_a_row_comes_back_as_it_was(tmp_path):
    with Store(tmp_path / "deep" / "store.sqlite") as store:
        assert store.add_row(row())
        assert store.rows() == [row()]
    with Store(tmp_path / "deep" / "store.sqlite", readonly=True) as store:
        assert store.rows(study="tiny") == [row()]
        assert store.rows(study="other") == []


def test_a_later_row_replaces_and_an_earlier_one_does_not(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        store.add_row(row(created=5.0, roll=1.0))
        assert not store.add_row(row(created=4.0, roll=2.0))
        assert store.add_row(row(created=6.0, roll=3.0))
        assert [r.values["roll"] for r in store.rows()] == [3.0]


@pytest.mark.parametrize("readonly", [True, False])
def test_others_write_while_it_is_opened(tmp_path, monkeypatch, readonly):
    """Between any two statements: entries and their total are of one moment."""
    path = tmp_path / "store.sqlite"
    connect, written = sqlite3.connect, []
    with Store(path) as neighbour:

        class Disturbed(sqlite3.Connection):
            def execute(self, sql, *parameters):
                if sql.startswith(("SELECT", "PRAGMA user", "PRAGMA app")):
                    written.append(row(f"row {len(written)}", created=2.0))
                    neighbour.add_row(written[-1])
                return super().execute(sql, *parameters)

        monkeypatch.setattr(
            sqlite3, "connect", lambda *a, **k: connect(*a, factory=Disturbed, **k)
        )
        with Store(path, readonly) as store:
            monkeypatch.undo()
            assert len(written) > 5
            assert len(store.rows()) == len(written)


def test_a_copy_of_what_others_write_is_of_one_moment(tmp_path, monkeypatch):
    """Where nothing can be written beside the file, SQLite reads a copy."""
    path = tmp_path / "store.sqlite"
    connect, copy, written = sqlite3.connect, shutil.copy, []

    def as_on_a_readonly_medium(name, **options):
        if "mode=ro" in str(name):
            raise sqlite3.OperationalError("unable to open database file")
        return connect(name, **options)

    with Store(path) as neighbour:

        def copy_and_write(source, target):
            copy(source, target)
            if len(written) < 5:
                written.append(row(f"row {len(written)}", created=2.0))
                neighbour.add_row(written[-1])
                neighbour.query("PRAGMA wal_checkpoint(TRUNCATE)")

        monkeypatch.setattr(sqlite3, "connect", as_on_a_readonly_medium)
        monkeypatch.setattr(shutil, "copy", copy_and_write)
        with Store(path, readonly=True) as store:
            assert store.rows() == written
            assert len(written) == 5


def test_images(tmp_path):
    pixels = np.arange(6, dtype=np.uint8).reshape(2, 3)
    with Store(tmp_path / "store.sqlite") as store:
        store.add_row(row(), images=[StoredImage(4, pixels)])
        found = store.images("data", [4, 5])
        assert list(found) == [4]
        np.testing.assert_array_equal(found[4].pixels, pixels)


def test_there_is_nothing_to_read_yet(tmp_path):
    with pytest.raises(StoreError, match=r"There is no store .* yet"):
        Store(tmp_path / "store.sqlite", readonly=True)


def test_a_folder_in_the_way(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"is a file; choose another place|cannot be"):
        Store(tmp_path / "file" / "store.sqlite")
    with pytest.raises(StoreError, match=r"read-only|cannot be"):
        Store(tmp_path)


def test_a_newer_store_is_refused_and_stays(tmp_path):
    path = tmp_path / "store.sqlite"
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    for readonly in (False, True):
        with pytest.raises(StoreError, match=r"newer Mercer \(version 99 .* knows 3\)"):
            Store(path, readonly)
    assert path.read_bytes() == before


@pytest.fixture
def next_version(monkeypatch):
    newer = (*schema.MIGRATIONS, "ALTER TABLE failures ADD COLUMN hint TEXT")
    monkeypatch.setattr(schema, "MIGRATIONS", newer)


@pytest.fixture
def older_file(tmp_path):
    """A file as this version of the store writes it."""
    path = tmp_path / "old.sqlite"
    with Store(path) as store:
        store.add_row(row())
    return path


@pytest.fixture
def first_version_file(tmp_path):
    """A file as the first version of the store wrote it, which kept no memory."""
    path = tmp_path / "first.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(schema.MIGRATIONS[0])
        db.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        db.execute("PRAGMA user_version = 1")
        db.execute("""INSERT INTO machines VALUES ('m', '{"cores":2}')""")
        db.execute(
            "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *("k", "tiny", 1, "data", '{"die":6}', 7, '{"roll":0.1}'),
                *('{"throw":0.5}', 2.0, '["a warning"]', "0.1", "m", 1.0),
            ),
        )
        db.execute("INSERT INTO plans VALUES ('p', 'tiny', '', 0, 0, '', 1.0, 1.0)")
        db.execute("INSERT INTO plan_cells VALUES ('p', 0, 'k', '')")
    db.close()
    return path


@pytest.mark.parametrize("readonly", [False, True])
def test_an_older_store_is_brought_up_to_date(older_file, next_version, readonly):
    with Store(older_file, readonly) as store:
        assert store.rows() == [row()]
        assert store.query("PRAGMA user_version")[0][0] == 4
        assert store.query("SELECT hint FROM failures") == []
    copy = older_file.with_name("old.sqlite.v3")
    with sqlite3.connect(copy) as old:
        assert old.execute("SELECT count(*) FROM rows").fetchone() == (1,)
        assert old.execute("PRAGMA user_version").fetchone() == (3,)
    old.close()


@pytest.mark.parametrize("readonly", [False, True])
def test_rows_from_before_memory_was_kept(first_version_file, readonly):
    with Store(first_version_file, readonly) as store:
        assert store.rows() == [row()]
        assert store.rows()[0].memory is None
        assert store.plans()[0].memory is None
        assert store.query("PRAGMA user_version")[0][0] == 3
    assert first_version_file.with_name("first.sqlite.v1").exists()
    with Store(first_version_file) as store:
        store.add_row(dataclasses.replace(row(created=2.0), memory=5_000_000_000))
        assert store.rows()[0].memory == 5_000_000_000
        assert store.plans()[0].memory == 5_000_000_000


def test_damage_from_before_there_were_checksums(first_version_file):
    with sqlite3.connect(first_version_file) as db:
        db.execute("""UPDATE rows SET result = '{"roll":0.'""")
    db.close()
    with (
        Store(first_version_file) as store,
        pytest.raises(StoreError, match=r"damaged: a Row in it cannot be read \("),
    ):
        store.rows()


def test_a_damaged_file_is_not_brought_up_to_date(first_version_file):
    with sqlite3.connect(first_version_file) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'rows'"
        ).fetchone()
    db.close()
    content = bytearray(first_version_file.read_bytes())
    content[(page - 1) * 4096 + 3] ^= 1  # how many rows there are
    first_version_file.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        Store(first_version_file)
    assert first_version_file.read_bytes() == content
    assert list(first_version_file.parent.iterdir()) == [first_version_file]


def test_an_update_that_fails_changes_nothing(older_file, monkeypatch):
    broken = (
        *schema.MIGRATIONS,
        "ALTER TABLE failures ADD COLUMN hint TEXT; DROP TABLE no_such_table",
    )
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", broken)
        with pytest.raises(StoreError, match="no such table"):
            Store(older_file)
    with Store(older_file) as store:
        assert store.rows() == [row()]
