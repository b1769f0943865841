"""Files are there whole or not at all, whatever ends the writing."""

import os
import resource
import stat
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from mercer._atomic_write import write_atomically
from mercer.cli._app import app
from mercer.report.look import new_axes, save_figure
from mercer.studies import Row, Store


@contextmanager
def full_disk(room=0):
    """No file can grow beyond so many bytes, as where the disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a small store in it."""
    with Store(tmp_path / "store.sqlite") as store:
        store.add_row(Row("long", "tiny", "", {}, 0, {"text": "x" * 200_000}))
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = {
    "rows.csv": ("study", "export", "--store", "store.sqlite", "-o", "out/rows.csv"),
    "rows.json": (
        *("study", "export", "--format", "json"),
        *("--store", "store.sqlite", "-o", "out/rows.json"),
    ),
    "iris.png": ("data", "show", "iris", "--picture", "out/iris.png"),
    "iris.svg": ("data", "show", "iris", "--picture", "out/iris.svg"),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("before", [None, b"what was there before"])
def test_a_full_disk_leaves_what_was_there(place, name, before):
    path = place / "out" / name
    if before is not None:
        path.write_bytes(before)
    # the store is read, for which SQLite needs a little room
    with full_disk(100 if "iris" in name else 100_000):
        done = CliRunner().invoke(app, COMMANDS[name])
    assert done.exit_code == 2, done.exception
    assert f"(out/{name})" in done.stderr
    assert [p.name for p in path.parent.iterdir()] == ([] if before is None else [name])
    assert before is None or path.read_bytes() == before
    done = CliRunner().invoke(app, COMMANDS[name])
    assert done.exit_code == 0, done.stderr
    assert path.stat().st_size > 100


def test_a_figure_is_whole_or_not_there(tmp_path):
    figure = new_axes(False, 2.0, "x", "y")[0]
    path = tmp_path / "figure.PNG"
    with full_disk(), pytest.raises(OSError, match=r"figure\.PNG"):
        save_figure(figure, path)
    assert list(tmp_path.iterdir()) == []
    save_figure(figure, path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["日" * 85, "a" * 255, os.fsdecode(b"not \xff text")])
def test_any_name_that_a_file_can_have(tmp_path, name):
    write_atomically(tmp_path / name, b"content")
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"content"


def test_devices_and_pipes_are_written_to_and_not_replaced(tmp_path):
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_atomically(link, b"content")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match=r"No space left.*/dev/full"):
        write_atomically("/dev/full", b"content")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match=r"No such device.*pipe"):
        write_atomically(pipe, b"content")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, b"content")
    assert os.read(reader, 100) == b"content"
    os.close(reader)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["null", "pipe"]
