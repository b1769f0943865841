"""Kills, neighbours, full and read-only disks: nothing is lost, nothing done twice."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.console import python_path
from mercer.exceptions import MercerError
from mercer.studies import Outcome, Store, StoreError, make_plan, run_plan
from mercer.studies.store import Claimed, Claims
from mercer.studies.store.checksums import snapshot
from mercer.studies.store.schema import transaction
from studies.tiny_study import Slow, Tiny

TESTS = Path(__file__).parents[1]


def drive(what, store, log):
    done = subprocess.run(
        [sys.executable, TESTS / "studies" / "driver.py", what, store, log],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": python_path(TESTS)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(path):
    with Store(path) as store:
        rows = store.rows()
        assert store.query("PRAGMA integrity_check")[0][0] == "ok"
        assert store.query("SELECT count(*) FROM claims")[0][0] == 0
    return {(r.params["die"], r.params["repeat"], r.seed): r.values for r in rows}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "store.sqlite"
    with Store(path) as store:
        run_plan(make_plan(Tiny(), None), store)
    return contents(path)


def test_killed_at_random_moments_it_ends_with_identical_results(tmp_path, undisturbed):
    store, log = tmp_path / "store.sqlite", tmp_path / "log"
    killed = int(drive("kill", store, log))
    assert killed >= 20
    assert contents(store) == undisturbed
    begun = Counter(log.read_text().splitlines())
    # only what was in flight is done again
    assert len(begun) == 30
    assert sum(begun.values()) <= 30 + killed


def test_two_runs_at_once_do_nothing_twice(tmp_path, undisturbed):
    store, log = tmp_path / "store.sqlite", tmp_path / "log"
    drive("two", store, log)
    assert contents(store) == undisturbed
    assert set(Counter(log.read_text().splitlines()).values()) == {1}


def test_a_store_that_others_are_making_is_waited_for(tmp_path):
    path = tmp_path / "store.sqlite"
    reading = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    reading.execute("CREATE TABLE gone (name)")
    reading.execute("DROP TABLE gone")
    reading.execute("BEGIN")
    reading.execute("SELECT count(*) FROM sqlite_master").fetchone()
    timer = threading.Timer(0.3, reading.execute, ("COMMIT",))
    timer.start()
    with Store(path) as store:  # a reader alone keeps others from a write-ahead log
        assert store.rows() == []
    timer.join()
    reading.close()


def test_jobs_give_the_same_rows(tmp_path, undisturbed):
    path = tmp_path / "store.sqlite"
    heard = []
    with Store(path) as store:
        assert not run_plan(make_plan(Tiny(), None), store, jobs=2, listen=heard.append)
    assert contents(path) == undisturbed
    assert heard[0].done == 0
    assert heard[-1].done == heard[-1].total == 30
    assert "MERCER_NUM_THREADS" not in os.environ


def test_jobs_divide_the_threads(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "5")
    plan = make_plan(Tiny(), None, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert not run_plan(plan, store, jobs=2)
        assert {row.machine["threads"] for row in store.rows(plan.id)} == {2}
        assert not run_plan(plan, store, force=True)
        assert {row.machine["threads"] for row in store.rows(plan.id)} == {5}


def test_the_claim_of_a_dead_process_is_taken_over_at_once(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        child = os.fork()
        if child == 0:
            with Store(tmp_path / "store.sqlite") as mine:
                Claims(mine).take("cell")
            os._exit(0)
        # a zombie until it is waited for, which is as dead as it gets
        while not store.query("SELECT * FROM claims"):
            time.sleep(0.01)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        with Claims(store) as claims:
            assert claims.take("cell") is Claimed.MINE
        os.waitpid(child, 0)


def test_a_live_claim_holds_and_a_stale_one_from_elsewhere_does_not(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        with Claims(store) as second:
            with Claims(store) as first:
                assert first.take("cell") is Claimed.MINE
                assert second.take("cell") is Claimed.BUSY
            # what was not finished is let go of
            assert second.take("cell") is Claimed.MINE
        with Claims(store) as claims:
            for age, expected in ((1.0, Claimed.BUSY), (1000.0, Claimed.MINE)):
                with store.transaction() as db:
                    db.execute(
                        "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)",
                        ("far", "x", "elsewhere", 1, 0.0, time.time() - age),
                    )
                assert claims.take("far") is expected


def test_helpers_end_when_their_parent_is_killed(tmp_path):
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from studies.tiny_study import Endless\n"
        "from mercer.studies import Store, make_plan, run_plan\n"
        "if __name__ == '__main__':\n"
        "    with Store(sys.argv[1]) as store:\n"
        "        run_plan(make_plan(Endless(), None), store, jobs=2)\n"
    )
    (tmp_path / "parent.py").write_text(code)
    parent = subprocess.Popen(
        [sys.executable, tmp_path / "parent.py", tmp_path / "store.sqlite"],
        env={**os.environ, "PYTHONPATH": python_path(TESTS)},
    )
    try:
        while len(claims := _claims(tmp_path / "store.sqlite")) < 2:
            assert parent.poll() is None
            time.sleep(0.05)
    finally:
        parent.kill()
        parent.wait()
    pids = {pid for _, pid in claims}
    deadline = time.monotonic() + 60
    while any(_is_running(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _claims(path):
    if not path.exists():
        return []
    try:
        with Store(path, readonly=True) as store:
            return [(c["key"], c["pid"]) for c in store.query("SELECT * FROM claims")]
    except MercerError:
        return []


def _is_running(pid):
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


class Swallowing(Slow):
    """As an SVM does: Ctrl-C ends the fit early, and the best model so far counts."""

    name = "swallowing"

    def run(self, cell, context):
        if cell.params == {"die": 4, "repeat": 3}:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            except KeyboardInterrupt:
                return Outcome({"roll": -1.0})
        return super().run(cell, context)


def test_what_ctrl_c_cut_short_is_not_stored(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        plan = make_plan(Swallowing(), None)
        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, store)
        rows = store.rows(plan=plan.id)
        assert [row.params["repeat"] for row in rows] == [0, 1, 2]
        assert all(row.values["roll"] >= 0 for row in rows)
        assert not store.query("SELECT * FROM claims")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextmanager
def small_disk(folder, size):
    """A disk of its own that is soon full; needs root."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(command).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Wordy(Tiny):
    """Rows of 10 KB."""

    name = "wordy"

    def run(self, cell, context):
        outcome = super().run(cell, context)
        return Outcome({**outcome.values, "text": "x" * 10_000})


def test_a_full_disk_is_a_sentence_and_loses_nothing(tmp_path):
    plan = make_plan(Wordy(), None)
    with small_disk(tmp_path / "disk", "400k") as disk:
        with (
            Store(disk / "store.sqlite") as store,
            pytest.raises(StoreError, match="is full; every finished cell is stored"),
        ):
            run_plan(plan, store)
        with Store(disk / "store.sqlite", readonly=True) as store:
            before = store.rows()
        assert 3 < len(before) < 30
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        with Store(disk / "store.sqlite") as store:
            assert not run_plan(plan, store)
            assert store.rows()[: len(before)] == before
            assert len(store.rows()) == 30


def test_a_limit_on_file_size_is_a_sentence_too(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Store(tmp_path / "store.sqlite") as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
        try:
            with pytest.raises(StoreError, match="is full"):
                run_plan(make_plan(Wordy(), None), store)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with Store(tmp_path / "store.sqlite") as store:
        run_plan(make_plan(Wordy(), None), store)
        assert len(store.rows()) == 30


def test_a_read_only_disk_can_be_read_and_not_written(tmp_path):
    plan = make_plan(Tiny(), None)
    with small_disk(tmp_path / "disk", "2m") as disk:
        with Store(disk / "store.sqlite") as store:
            run_plan(plan, store)
            # as after a kill: the last rows are in the WAL only
            store.query("PRAGMA wal_autocheckpoint = 0")
            for suffix in ("", "-wal"):
                name = f"store.sqlite{suffix}"
                shutil.copy(disk / name, tmp_path / name)
        (disk / "store.sqlite").unlink()
        for suffix in ("", "-wal"):
            name = f"store.sqlite{suffix}"
            shutil.copy(tmp_path / name, disk / name)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(StoreError, match=r"cannot be written.*read-only"):
            Store(disk / "store.sqlite")
        with pytest.raises(StoreError, match="read-only"):
            Store(disk / "new.sqlite")
        with Store(disk / "store.sqlite", readonly=True) as store:
            assert len(store.rows()) == 30


def test_a_damaged_file_is_a_sentence_and_stays(tmp_path):
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        run_plan(make_plan(Tiny(), None), store)
    whole = path.read_bytes()
    torn = whole[:4096] + os.urandom(len(whole) - 4096)
    for content in (b"a letter to a friend" * 100, torn):
        path.write_bytes(content)
        with (
            pytest.raises(StoreError, match="is damaged"),
            Store(path) as store,
        ):
            store.rows()
        assert path.read_bytes() == content
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE songs (name)")
    other.close()
    with pytest.raises(StoreError, match="of some other program"):
        Store(tmp_path / "other.sqlite")


class Interrupted(sqlite3.Connection):
    """Ctrl-C, as soon as a transaction has begun."""

    def execute(self, statement, *rest):
        done = super().execute(statement, *rest)
        if statement.startswith("BEGIN"):
            raise KeyboardInterrupt
        return done


@pytest.mark.parametrize("begin", [transaction, snapshot])
def test_ctrl_c_leaves_no_transaction_open(begin):
    connection = sqlite3.connect(":memory:", factory=Interrupted, isolation_level=None)
    with pytest.raises(KeyboardInterrupt), begin(connection):
        raise AssertionError("it must not get so far")
    assert not connection.in_transaction
    connection.close()
