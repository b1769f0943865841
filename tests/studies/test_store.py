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
        with pytest.raises(StoreError, match=r"newer Mercer \(version 99 .* knows 1\)"):
            Store(path, readonly)
    assert path.read_bytes() == before


@pytest.fixture
def second_version(monkeypatch):
    newer = (*schema.MIGRATIONS, "ALTER TABLE failures ADD COLUMN hint TEXT")
    monkeypatch.setattr(schema, "MIGRATIONS", newer)


@pytest.fixture
def first_version_file(tmp_path):
    """A file as the first version of the store wrote it."""
    path = tmp_path / "old.sqlite"
    with Store(path) as store:
        store.add_row(row())
    return path


@pytest.mark.parametrize("readonly", [False, True])
def test_an_older_store_is_brought_up_to_date(
    first_version_file, second_version, readonly
):
    with Store(first_version_file, readonly) as store:
        assert store.rows() == [row()]
        assert store.query("PRAGMA user_version")[0][0] == 2
        assert store.query("SELECT hint FROM failures") == []
    copy = first_version_file.with_name("old.sqlite.v1")
    with sqlite3.connect(copy) as old:
        assert old.execute("SELECT count(*) FROM rows").fetchone() == (1,)
        assert old.execute("PRAGMA user_version").fetchone() == (1,)
    old.close()


def test_an_update_that_fails_changes_nothing(first_version_file, monkeypatch):
    broken = (
        *schema.MIGRATIONS,
        "ALTER TABLE failures ADD COLUMN hint TEXT; DROP TABLE no_such_table",
    )
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", broken)
        with pytest.raises(StoreError, match="no such table"):
            Store(first_version_file)
    with Store(first_version_file) as store:
        assert store.rows() == [row()]
