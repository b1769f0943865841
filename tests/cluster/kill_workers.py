"""Kill workers at random moments of many fits, until so many have died.

    python tests/cluster/kill_workers.py 30

A test of minutes, to be run by hand: the suite kills a few.
"""

import os
import random
import signal
import sys
import threading
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from mercer import KernelSVC, load_dataset
from mercer.cluster import DaskKernelSVC


def main(wanted: int, bound: float = 300.0) -> None:
    rng, data = random.Random(0), load_dataset("digits")
    X, y = data.X[:800], data.y[:800]
    parameters = {"C": 10, "tol": 1e-6}
    local = KernelSVC(**parameters).fit(X, y)
    dX, dy = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    kills = fits = 0
    with (
        LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        while kills < wanted:
            client.wait_for_workers(4, timeout=120)
            client.run(__import__, "mercer.cluster.training", None, None, ["run"])
            found = list(client.run(os.getpid).values())
            doomed = rng.sample(found, rng.choice([1, 2, 4]))
            moment = rng.uniform(0.0, 2.0)

            def kill(pids=doomed):
                for pid in pids:
                    os.kill(pid, signal.SIGKILL)

            timer = threading.Timer(moment, kill)
            timer.start()
            began = time.monotonic()
            model = DaskKernelSVC(client=client, **parameters).fit(dX, dy)
            took = time.monotonic() - began
            timer.join()
            kills, fits = kills + len(doomed), fits + 1
            print(
                f"{kills} kills: {len(doomed)} at {moment:.2f} s, {took:.1f} s, "
                f"{model.effort_.partitions_rebuilt} partitions rebuilt",
                flush=True,
            )
            assert took < bound
            assert set(model.support_) == set(local.support_)
            np.testing.assert_allclose(
                model.certificate_.dual, local.certificate_.dual, rtol=1e-6
            )
    print(f"{kills} kills in {fits} fits: the same result each time")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
