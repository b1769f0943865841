"""Workers that are killed cost time, never the result."""

import dataclasses
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from mercer import KernelSVC, _dask, load_dataset
from mercer.cluster import DaskKernelSVC
from mercer.exceptions import ClusterError, MemoryBudgetError

BOUND = 600  # seconds, in which a fit with kills must have ended


@pytest.fixture(scope="module")
def own_cluster():
    """A cluster of this module, whose workers are killed."""
    with LocalCluster(
        n_workers=3,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        memory_limit="2GB",
    ) as cluster:
        yield cluster


def pids(client):
    return list(client.run(os.getpid).values())


def slowly_made(X, chunks):
    """Blocks that take a moment to load, as those from a disk do."""

    def load(block):
        time.sleep(0.1)
        return block

    return da.from_array(X, chunks=(chunks, *X.shape[1:])).map_blocks(load)


class Kills(logging.Handler):
    """Kills so many workers at once in these rounds of a fit that tells them."""

    def __init__(self, client, moments, seed):
        super().__init__()
        self.client, self.moments, self.kills = client, dict(moments), 0
        self.random = random.Random(seed)

    def emit(self, record):
        told = record.getMessage()
        number = int(told.split()[1].rstrip(",:")) if told.startswith("round ") else -1
        number = "end" if f"round {number}: 0 of" in told else number
        found = pids(self.client) if number in self.moments else []
        for pid in self.random.sample(
            found, min(self.moments.get(number, 0), len(found))
        ):
            os.kill(pid, signal.SIGKILL)
            self.kills += 1


def fit_with_kills(client, X, y, parameters, moments, seed):
    """A model, and how many workers were killed meanwhile."""
    models, errors = [], []
    dX, dy = slowly_made(X, 120), da.from_array(y, chunks=120)

    def fit():
        try:
            model = DaskKernelSVC(client=client, verbose=1, **parameters)
            models.append(model.fit(dX, dy))
        except BaseException as error:
            errors.append(error)

    logger, kills = logging.getLogger("mercer"), Kills(client, moments, seed)
    level = logger.level
    logger.setLevel("INFO")
    logger.addHandler(kills)
    try:
        thread = threading.Thread(target=fit)
        thread.start()
        thread.join(BOUND)
        assert not thread.is_alive(), "the fit hangs"
    finally:
        logger.removeHandler(kills)
        logger.setLevel(level)
    if errors:
        raise errors[0]
    return models[0], kills.kills


@pytest.mark.parametrize(
    "moments",
    [[(2, 1)], [(3, 2)], [(1, 3)], [("end", 1)]],
    ids=["one", "two", "all", "before the certificate"],
)
def test_killed_workers(own_cluster, moments):
    data = load_dataset("digits")
    X, y = data.X[:480], data.y[:480]
    parameters = {"C": 10, "tol": 1e-6}
    local = KernelSVC(**parameters).fit(X, y)
    with Client(own_cluster) as client:
        client.wait_for_workers(3, timeout=60)
        model, kills = fit_with_kills(client, X, y, parameters, moments, 0)
    assert kills >= 1
    assert model.effort_.partitions_rebuilt >= 1
    assert model.certificate_.converged
    assert model.certificate_.dual == pytest.approx(local.certificate_.dual, rel=1e-6)
    assert set(model.support_) == set(local.support_)
    np.testing.assert_allclose(
        model.to_local().binary_scores(X), local.binary_scores(X), atol=1e-3
    )


def test_a_partition_that_is_moved_is_built_again(own_cluster):
    data = load_dataset("digits")
    X, y = data.X[:300], data.y[:300]
    with Client(own_cluster) as client:
        client.wait_for_workers(3, timeout=60)
        dX, dy = (da.from_array(a, chunks=(150, *a.shape[1:])) for a in (X, y))

        class Moving(DaskKernelSVC):
            def _solve_on(self, data, dtype, C, limits):
                def told(snapshot):
                    if snapshot.iterations and not moved:
                        keys = [k for k in client.who_has() if "mercer_partition" in k]
                        (home,) = client.who_has()[keys[0]]
                        moved.append(home)
                        client.retire_workers([home], close_workers=False)

                return super()._solve_on(
                    data, dtype, C, dataclasses.replace(limits, progress=told)
                )

        moved = []
        model = Moving(C=10).fit(dX, dy)
    local = KernelSVC(C=10).fit(X, y)
    assert moved
    assert model.effort_.partitions_rebuilt >= 1
    gap = local.certificate_.gap
    assert model.certificate_.dual == pytest.approx(local.certificate_.dual, abs=gap)


def test_a_worker_that_joins_late_takes_part():
    data = load_dataset("digits")
    X, y = data.X[:480], data.y[:480]
    local = KernelSVC(C=10, tol=1e-6).fit(X, y)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        (first,) = pids(client)

        class Growing(DaskKernelSVC):
            def _solve_on(self, data, dtype, C, limits):
                def told(snapshot):
                    if snapshot.iterations and not joined:
                        cluster.scale(2)
                        client.wait_for_workers(2, timeout=60)
                        joined.extend(pid for pid in pids(client) if pid != first)
                        os.kill(first, signal.SIGKILL)

                return super()._solve_on(
                    data, dtype, C, dataclasses.replace(limits, progress=told)
                )

        joined = []
        dX, dy = slowly_made(X, 120), da.from_array(y, chunks=120)
        model = Growing(C=10, tol=1e-6, client=client).fit(dX, dy)
    assert joined
    assert model.effort_.partitions_rebuilt >= 4  # all were on the first
    assert set(model.support_) == set(local.support_)
    assert model.certificate_.dual == pytest.approx(local.certificate_.dual, rel=1e-6)


def test_no_worker_at_all(monkeypatch):
    monkeypatch.setattr(_dask, "ALONE", 0.1)
    X, y = (da.zeros(shape, chunks=5) for shape in ((10, 2), 10))
    sentence = r"The cluster at tcp.* has had no worker for 0 s; start one with: dask"
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
        pytest.raises(ClusterError, match=sentence),
    ):
        DaskKernelSVC(client=client).fit(X, y)


def test_a_worker_out_of_memory():
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            memory_limit="500MB",
        ) as cluster,
        Client(cluster) as client,
    ):
        X = da.random.random((40_000, 3000), chunks=(40_000, -1))
        y = da.arange(40_000, chunks=40_000) % 2
        with pytest.raises(MemoryBudgetError, match=r"ran out of memory.*more workers"):
            DaskKernelSVC(client=client).fit(X, y)


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler and a worker of their own, as on the command line."""
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    place = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    scheduler = subprocess.Popen(
        [*command, "scheduler", "--port", "0", *place], **quiet
    )
    try:
        worker = subprocess.Popen(
            [*command, "worker", "--nthreads", "1", *place[:2], *place[2:]], **quiet
        )
        try:
            yield scheduler, Path(file)
        finally:
            worker.terminate()
            worker.wait(30)
    finally:
        scheduler.kill()
        scheduler.wait(30)


def test_the_scheduler_is_gone(scheduler):
    process, file = scheduler
    while not file.exists():
        time.sleep(0.1)
    data = load_dataset("digits")
    X, y = (da.from_array(a, chunks=(600, *a.shape[1:])) for a in (data.X, data.y))
    with Client(scheduler_file=str(file), timeout=60) as client:
        client.wait_for_workers(1, timeout=60)

        class Lonely(DaskKernelSVC):
            def _solve_on(self, *args):
                process.kill()
                return super()._solve_on(*args)

        with pytest.raises(ClusterError, match=r"scheduler at tcp.* cannot be reached"):
            Lonely(client=client).fit(X, y)
