"""A study on workers leaves the rows that it leaves here."""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster

from mercer import _dask
from mercer._dask import open_client
from mercer.exceptions import ClusterError, MemoryBudgetError, ParameterError
from mercer.studies import Store, make_plan, on_workers, run_plan
from studies.tiny_study import Tiny


class Slow(Tiny):
    pause = 0.1


def values(store):
    return {(row.key, str(row.values), row.seed) for row in store.rows()}


@pytest.fixture
def local_rows(tmp_path):
    with Store(tmp_path / "local.sqlite") as store:
        run_plan(make_plan(Tiny(), None), store)
        yield values(store)


def test_rows_are_the_local_ones_and_are_stored_at_once(client, tmp_path, local_rows):
    told = []
    with Store(tmp_path / "cluster.sqlite") as store:
        plan = make_plan(Tiny(), None)
        assert run_plan(plan, store, client=client, listen=told.append) == []
        assert values(store) == local_rows
        assert sorted({p.done for p in told})[:2] != [0, 30]
        # what is there is not run again
        before = [row.created for row in store.rows()]
        run_plan(plan, store, client=client)
        assert [row.created for row in store.rows()] == before


def test_a_cell_that_fails_stops_no_other(client, tmp_path):
    class Unlucky(Tiny):
        def run(self, cell, context):
            if cell.params["die"] == 6:
                raise ValueError("the die fell off the table")
            return super().run(cell, context)

    with Store(tmp_path / "store.sqlite") as store:
        failures = run_plan(make_plan(Unlucky(), None), store, client=client)
        assert len(failures) == 10
        assert "fell off the table" in failures[0].message
        assert len(store.rows()) == 20


def test_a_study_that_workers_do_not_have(client, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text(
        "from studies.tiny_study import Tiny\n\n\nclass OnlyHere(Tiny):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    study = importlib.import_module("only_here").OnlyHere()
    sentence = "A worker cannot import only_here .* install on all workers"
    with (
        Store(tmp_path / "store") as store,
        pytest.raises(ClusterError, match=sentence),
    ):
        run_plan(make_plan(study, None), store, client=client)


# Dask's finalizers may drop it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_and_resume(client, tmp_path, local_rows):
    def press():
        os.kill(os.getpid(), signal.SIGINT)

    with Store(tmp_path / "store.sqlite") as store:
        plan = make_plan(Slow(), None)
        threading.Timer(0.5, press).start()
        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, store, client=client)
        assert len(store.rows()) < 30
        run_plan(plan, store, client=client)
        assert values(store) == local_rows


def test_killed_workers(tmp_path, local_rows):
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
        Store(tmp_path / "store.sqlite") as store,
    ):
        first, *others = client.run(os.getpid).values()
        doomed = {2: [first], 8: others}

        def listen(progress):
            for least in [least for least in doomed if least <= progress.done]:
                for pid in doomed.pop(least):
                    os.kill(pid, signal.SIGKILL)

        plan = make_plan(Slow(), None)
        assert run_plan(plan, store, client=client, listen=listen) == []
        assert not doomed
        assert values(store) == local_rows


class Hungry(Tiny):
    def run(self, cell, context):
        own = np.ones(2**27)  # 1 GB
        time.sleep(30)
        return super().run(cell, own)


class Deadly(Tiny):
    def run(self, cell, context):
        if cell.params == {"die": 4, "repeat": 3}:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(cell, context)


@pytest.mark.parametrize(
    ("study", "error", "sentence"),
    [
        (Hungry, MemoryBudgetError, r"ran out of memory .*more memory"),
        (Deadly, ClusterError, r"\{'die': 4, .* were lost 1 times"),
    ],
)
def test_a_cell_that_takes_its_workers_with_it(
    study, error, sentence, tmp_path, monkeypatch
):
    monkeypatch.setattr(on_workers, "_LOSSES", 1)
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            memory_limit="700MB",
        ) as cluster,
        Client(cluster) as client,
        Store(tmp_path / "store.sqlite") as store,
    ):
        with pytest.raises(error, match=sentence):
            run_plan(make_plan(study(), None), store, client=client)
        # Dask cannot close a cluster while it starts a worker in place of a lost one
        client.wait_for_workers(1, timeout=60)


def test_the_scheduler_is_gone_and_rows_stay(tmp_path):
    file = tmp_path / "scheduler.json"
    folders = {"PYTHONPATH": os.pathsep.join(sys.path)}  # where the study is
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": os.environ | folders,
    }
    place = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    dask = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen([*dask, "scheduler", "--port", "0", *place], **quiet)
    worker = subprocess.Popen([*dask, "worker", "--nthreads", "1", *place], **quiet)
    try:
        while not file.exists():
            time.sleep(0.1)

        def listen(progress):
            if progress.done >= 3:
                scheduler.kill()

        with (
            Client(scheduler_file=str(file), timeout=60) as client,
            Store(tmp_path / "store.sqlite") as store,
        ):
            with pytest.raises(ClusterError, match="cannot be reached any more"):
                run_plan(make_plan(Slow(), None), store, client=client, listen=listen)
            assert len(store.rows()) >= 3
    finally:
        scheduler.kill()
        scheduler.wait(30)
        worker.terminate()
        worker.wait(60)


def test_own_workers_listen_on_loopback_only():
    with open_client(None, 2) as client:
        pids = [os.getpid(), *client.run(os.getpid).values()]
        listening = [
            connection.laddr.ip
            for pid in pids
            for connection in psutil.Process(pid).net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert set(client.nthreads().values()) == {1}
    assert listening
    assert set(listening) <= {"127.0.0.1", "::1"}


def test_addresses_that_are_none(monkeypatch):
    monkeypatch.setattr(_dask, "_CONNECT", 1.0)
    with pytest.raises(ParameterError, match="exclude each other"), open_client("a", 1):
        pass
    with (
        pytest.raises(ClusterError, match=r"no scheduler at tcp://127.0.0.1:1; start"),
        open_client("tcp://127.0.0.1:1", None),
    ):
        pass
