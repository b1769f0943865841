"""Kill workers at random moments of fits, searches and studies, until so many died.

    PYTHONPATH=tests python tests/cluster/kill_workers.py 30

A test of minutes, to be run by hand: the suite kills a few.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client

from mercer import KernelSVC, _dask, load_dataset
from mercer.cluster import DaskKernelSVC
from mercer.model_selection import GramSearchCV
from mercer.studies import Store, make_plan, run_plan
from studies.tiny_study import Tiny

BOUND = 600.0  # seconds, in which anything must have ended
GRID = {"gamma": np.geomspace(1e-4, 1e-2, 24).tolist(), "C": [1, 10]}
_data = load_dataset("digits")
X, y = _data.X[:800], _data.y[:800]


class Slow(Tiny):
    pause = 0.3


def fit(client):
    """The support vectors, and the dual as far as the tolerance goes."""
    parameters = {"C": 10, "tol": 1e-6}
    if client is None:
        model = KernelSVC(**parameters).fit(X, y)
    else:
        dX, dy = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
        model = DaskKernelSVC(client=client, **parameters).fit(dX, dy)
    dual = model.certificate_.dual
    return sorted(model.support_.tolist()), f"{dual:.4g}", model.certificate_.converged


def search(client):
    """The score of every candidate on every fold."""
    found = GramSearchCV(KernelSVC(), GRID, cv=3, client=client, refit=False).fit(X, y)
    return [found.cv_results_[f"split{k}_test_score"].tolist() for k in range(3)]


def study(client):
    """The rows in the store."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "store.sqlite") as store,
    ):
        assert run_plan(make_plan(Slow(), None), store, client=client) == []
        return sorted((row.key, str(row.values)) for row in store.rows())


@contextmanager
def workers(n):
    """A client of so many workers that are started again when they die.

    Not a LocalCluster: what it knows of its workers is wrong once some were killed.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        file = Path(folder) / "scheduler.json"
        place = ["--host", "127.0.0.1", "--scheduler-file", str(file)]
        kinds = {
            "scheduler": ["--port", "0", "--no-dashboard"],
            "worker": ["--nworkers", str(n), "--nthreads", "1", "--no-dashboard"],
        }
        for kind, options in kinds.items():
            command = [sys.executable, "-m", "dask", kind, *place, *options]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            started.callback(process.wait, BOUND)
            started.callback(process.terminate)
            while not file.exists():
                time.sleep(0.1)
        with Client(scheduler_file=str(file), timeout=BOUND) as client:
            yield client


def process_ids(client, n):
    """Of all workers, once they are there and nobody is about to leave."""
    while True:
        with suppress(OSError):
            found = list(client.run(os.getpid).values())
            if len(found) == n:
                return found
        time.sleep(0.2)


class Kills(threading.Thread):
    """Kills some of the workers at a random moment."""

    def __init__(self, pids, longest, choose):
        super().__init__()
        self.doomed = choose.sample(pids, choose.choice([1, 2, len(pids)]))
        self.moment = choose.uniform(0.0, longest)

    def run(self):
        time.sleep(self.moment)
        for pid in self.doomed:
            os.kill(pid, signal.SIGKILL)


def main(wanted: int) -> None:
    choose, kills, worst = random.Random(0), Counter(), 0.0
    _dask.ALONE = BOUND  # a busy machine is slow to start workers again
    works = {work: work(None) for work in (fit, search, study)}
    with workers(4) as client:
        process_ids(client, 4)
        longest = dict.fromkeys(works, 0.0)
        for work, expected in works.items():
            began = time.monotonic()
            assert work(client) == expected
            longest[work] = time.monotonic() - began
        for work in cycle(works):
            if kills.total() >= wanted:
                break
            killer = Kills(process_ids(client, 4), longest[work], choose)
            began = time.monotonic()
            killer.start()
            assert work(client) == works[work], "another result"
            took = time.monotonic() - began
            killer.join()
            kills[work.__name__] += len(killer.doomed)
            worst = max(worst, took)
            print(
                f"{kills.total()} kills: {len(killer.doomed)} in a {work.__name__} at "
                f"{killer.moment:.1f} s, which took {took:.1f} s",
                flush=True,
            )
            assert took < BOUND
    print(f"{dict(kills)}: the same results each time, at most {worst:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
